"""The house as an opponent: it sits south of games created with ``opponent: "house"`` and moves like anybody, through the
same handler, seeing its own view alone.

Which games are its own is in the log (their invite is one only the house can make), and its keys follow from the log as
well: after any crash, and in any number of processes, the next look at the game makes it go on without moving twice.
"""

import json
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec
import structlog

from events.cards import Seat
from events.store import Unreachable
from projections.table import Open
from service.base.identity import Identity, invite_hash, same
from service.base.names import HOUSE
from service.bots import house_move
from service.games import moves
from service.games.handler import Games, MoveRequest, NewPlayer
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused
from service.games.results import view_for

NAME: Final = HOUSE
SEAT: Final[Seat] = "south"

log = structlog.get_logger("trickbook.house")


def is_house_game(identity: Identity, live: LoadedGame) -> bool:
    """Whether the house is to sit at this table; the log says so from its first event on."""
    expected = invite_hash(identity.house_invite(live.table.open.game))
    return same(expected, live.table.house.invite_hash or "")


def wanted(o: Open) -> bool:
    """Whether it would be for the house to do something at such a table."""
    return o.phase == "waiting" or o.turn == SEAT


class HousePlayer:
    """Plays in a thread of its own; `notice` may be called from anywhere, as often as one likes."""

    def __init__(self, games: Games, read_move: Callable[[dict[str, Any]], moves.Move]) -> None:
        """`read_move` makes a move of its JSON form, as for anybody's request."""
        self._games = games
        self._read_move = read_move
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._queued: set[str] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def notice(self, live: LoadedGame) -> None:
        """Takes up a game in which the house is to move; returns at once."""
        o = live.table.open
        if not wanted(o) or not is_house_game(self._games.identity, live):
            return
        with self._lock:
            if o.game in self._queued:
                return
            self._queued.add(o.game)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="trickbook-house", daemon=True)
                self._thread.start()
        self._queue.put(o.game)

    def close(self) -> None:
        """Ends the thread after what it is doing."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            self._queue.put(None)
            thread.join(timeout=5)

    def _run(self) -> None:
        while (game := self._queue.get()) is not None:
            with self._lock:
                self._queued.discard(game)  # before it plays: what is noticed from now on is looked at again
            try:
                self.attend(game)
            except (Refused, Unreachable) as error:
                log.warning("house_waits", game=game, reason=type(error).__name__)
            except Exception:
                log.exception("house_fault", game=game)

    def attend(self, game: str) -> None:
        """Sits down if it has not, and moves as long as it is its turn. Raises `Refused`, `Unreachable`."""
        live = self._games.live(game)
        if game in self._games.frozen.ids():
            return
        while wanted(live.table.open) and is_house_game(self._games.identity, live):
            if live.table.open.phase == "waiting":
                ask = NewPlayer(NAME, self._games.identity.house_invite(game))
                self._games.join(game, self._asked(live, {"name": NAME}), partial(_same, ask))
            else:
                move = self._choose(live)
                self._games.move(game, SEAT, self._asked(live, move), partial(self._read_move, move))
            live = self._games.live(game)

    def _choose(self, live: LoadedGame) -> dict[str, Any]:
        """The bot's move on the house's own view, as it would come over HTTP."""
        view = view_for(SEAT, live.table, live.at.head, live.receipt)
        move: dict[str, Any] = house_move(json.loads(msgspec.json.encode(view)))
        return move

    def _asked(self, live: LoadedGame, body: dict[str, Any]) -> MoveRequest:
        """A request whose key follows from the place in the log, so that two processes make the same one."""
        return MoveRequest(self._games.identity.house_key(live.table.open.game, live.at.version), body)


def _same(ask: NewPlayer) -> NewPlayer:
    return ask
