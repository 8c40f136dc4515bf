"""Tables for tests of time: games on a store whose clock the test moves, or on a real one, played through the handler."""

import random
import secrets
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from events import shuffle
from events.cards import Seat, other
from events.log import load
from events.memory import MemoryStore
from events.receipts import Signer
from events.redis_store import RedisStore
from events.ruleset import with_options
from events.store import GameStore
from events.types import Event, GameEnded
from projections.audit import audit, from_commits
from projections.table import Open, Result
from projections.view import deadline
from service.base.clock import Clock, SystemClock
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.bots import any_move
from service.games import moves
from service.games.handler import Games, MoveRequest, NewGame, NewPlayer
from service.games.results import view_for
from service.http.schemas.bodies import move as move_of

IDENTITY = Identity(bytes(range(32)), Signer(bytes(range(1, 33))))
MINUTE, DAY = 60_000, 24 * 60 * 60 * 1000
BYTES: dict[Seat, str] = {"north": "11" * 32, "south": "22" * 32}


class Hand:
    """A clock that stands where the test puts it. Milliseconds."""

    def __init__(self, time: int = 1_790_000_000_000) -> None:
        self.time = time

    def now(self) -> int:
        return self.time


class Off:
    """The machine's clock, so many ms off."""

    def __init__(self, by: int) -> None:
        self.by = by

    def now(self) -> int:
        return SystemClock().now() + self.by


class Earlier(RedisStore):
    """A real store whose time is so many ms ago, to write logs that are old already."""

    ago = 0

    def now(self) -> int:
        return super().now() - self.ago


def games_on(store: GameStore, clock: Clock | None = None) -> Games:
    """A process on the store; its own clock is a century off unless one is given, so that nothing can lean on it."""
    return Games(store, IDENTITY, clock or Off(100 * 365 * DAY), Csprng())


def timed_store(clock: Hand) -> MemoryStore:
    return MemoryStore(clock.now)


class Table:
    """A game both have joined unless `join` is False; `brought` are the seats that brought bytes of their own."""

    def __init__(
        self, games: Games, *, brought: Sequence[Seat] = (), join: bool = True, opponent: Any = None, **rules: Any
    ) -> None:
        self.games = games
        own = {seat: shuffle.contribution(bytes.fromhex(BYTES[seat])) for seat in brought}
        ask = NewGame("Ann", with_options(rules), "north", opponent, own.get("north"))
        made = games.create(MoveRequest(secrets.token_bytes(16), {}), lambda: ask)
        self.game: str = made.game
        if join and opponent is None:
            sit = NewPlayer("Bo", made.invite, own.get("south"))
            games.join(self.game, MoveRequest(secrets.token_bytes(16), {}), lambda: sit)

    def move(self, move: moves.Move, seat: Seat | None = None, *, on: Games | None = None, key: bytes | None = None) -> Any:
        """A move of the seat on turn, or of another, through a process."""
        asked = MoveRequest(key or secrets.token_bytes(16), msgspec.to_builtins(move))
        return (on or self.games).move(self.game, seat or self.turn, asked, lambda: move)

    def play(self, count: int, seed: int = 1, *, on: Sequence[Games] = ()) -> "Table":
        """Random legal moves, in turns through the processes."""
        dice = random.Random(seed)
        for number in range(count):
            live = self.games.live(self.game)
            view = msgspec.json.decode(msgspec.json.encode(view_for(self.turn, live.table, live.at.head, live.receipt)))
            self.move(move_of(any_move(view, dice)), on=on[number % len(on)] if on else None)
        return self

    def claim(self, *, on: Games | None = None) -> Any:
        """The seat that is not on turn claims."""
        return self.move(moves.ClaimTimeout(), other(self.turn), on=on)

    @property
    def open(self) -> Open:
        return self.games.live(self.game).table.open

    @property
    def turn(self) -> Seat:
        seat = self.open.turn
        assert seat is not None
        return seat

    @property
    def limit(self) -> int:
        """The deadline."""
        found = deadline(self.open)
        assert found is not None
        return found

    @property
    def result(self) -> Result | None:
        return self.open.result

    @property
    def events(self) -> list[Event]:
        return [load(stored) for commit in self.games.log(self.game) for stored in commit.events]

    def ends(self) -> int:
        """How often play ended: the audit must find nothing wrong with the log."""
        assert audit(from_commits(self.game, self.games.log(self.game))).findings == ()
        return sum(isinstance(event.data, GameEnded) for event in self.events)

    def last_by(self) -> Any:
        """Who asked for the last commit."""
        return msgspec.json.decode(self.games.log(self.game)[-1].by)


class Between(MemoryStore):
    """A store in memory in which something happens just before the house's next end is written."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(now)
        self.before: Callable[[], object] | None = None

    def append(self, game: str, expected: Any, commit: Any, *, announce: bool = False) -> Any:
        happening, self.before = self.before, None if b'"seat":"house"' in commit.by else self.before
        if happening is not None and b'"seat":"house"' in commit.by:
            happening()
        return super().append(game, expected, commit, announce=announce)
