"""The live form of the events (``text/event-stream``): every log event has its seq as id, nothing else has one.

A stream ends after five minutes, when the process ends, or when its client has gone; ``Last-Event-ID`` resumes it without
a gap and without a double.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from flask import Response

from events.log import BadEvent, Commit, NotCanonical, load
from events.store import FrozenGame, LogHead, Unreachable
from projections.view_types import View
from service.base.process_ends import ending
from service.games import results
from service.games.frozen import frozen_view
from service.games.handler import Games
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused
from service.games.result_types import EventLine
from service.games.results import Reader
from service.games.tail_cache import TailCache
from service.http.connection_slots import ConnectionSlots

MEDIA_TYPE: Final = "text/event-stream"
LONGEST_SECONDS: Final = 300.0
RETRY_MS: Final = 2000


Place = tuple[ConnectionSlots, str, str | None]


def stream(
    news: TailCache, games: Games, live: LoadedGame, reader: Reader, after: int | None, place: Place, heartbeat: float
) -> Response:
    """The stream of a reader who holds `place`; `after` is the last seq it has, None for one it cannot have.

    The place is given back when the stream ends, however it ends. `heartbeat` is in seconds: a client that has gone is
    noticed at the next one.
    """
    body = _Held(_events(news, games, live, reader, after, heartbeat), place)
    response = Response(body, content_type=MEDIA_TYPE)
    response.headers["X-Accel-Buffering"] = "no"  # a proxy that buffers makes it useless
    return response


class _Held:
    """An iterator that gives its place back when it is closed, also before its first item was asked for."""

    def __init__(self, items: Iterator[bytes], place: Place) -> None:
        self._items, self._place, self._open = items, place, True

    def __iter__(self) -> "_Held":
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._items)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Gives the place back, once."""
        if self._open:
            self._open = False
            places, address, seat = self._place
            places.give_back(address, seat)

    def __del__(self) -> None:
        self.close()


def _events(
    news: TailCache, games: Games, live: LoadedGame, reader: Reader, after: int | None, heartbeat: float
) -> Iterator[bytes]:
    began = time.monotonic()
    yield b"retry: %d\n\n" % RETRY_MS
    game, ended = live.table.open.game, live.table.open.ended
    try:
        proof = games.frozen.proof(game)
        if after is None or proof is not None:  # a client that knows its events does not know that it is frozen
            live = games.live(game)
            yield _reset(live, reader, proof)
            at, after, ended = live.at, live.at.version, live.table.open.ended
            commits: tuple[Commit, ...] = ()
        else:
            at, commits = games.since(game, after)
        while True:
            ended = ended or _ends(commits)
            for seq, line in results.event_lines(commits, at.head, reader, ended=ended):
                if seq > after:
                    yield _frame("event", line, seq)
                    after = seq
            if commits:
                at = LogHead(commits[-1].seq, commits[-1].head)
            left = began + LONGEST_SECONDS - time.monotonic()
            if ending.is_set() or left <= 0:
                return
            heard = time.monotonic()
            frozen = proof is not None
            waited = (game in games.frozen.ids()) != frozen or games.store.wait(game, at.version, min(heartbeat, left))
            if (game in games.frozen.ids()) != frozen:
                yield _reset(games.live(game), reader, games.frozen.proof(game))
                return
            if waited:
                commits = news.after(game, at)
                continue
            if left < heartbeat or time.monotonic() - heard < heartbeat / 2:
                return  # its time is over, or nobody waits any more: the process is ending
            yield b": still here\n\n"
            commits = ()
            games.actual(game)  # a game whose history was lost ends its streams; the house sees that it is its turn
    except (Refused, Unreachable, BadEvent, NotCanonical):
        return  # the client comes back by itself, and is told the reason then


def _ends(commits: Sequence[Commit]) -> bool:
    """Whether play ends with these commits: what was sealed is open from then on."""
    return any(
        b'"game_ended"' in stored.public and load(stored).type.name == "game_ended"
        for commit in commits
        for stored in commit.events
    )


def _reset(live: LoadedGame, reader: Reader, proof: FrozenGame | None) -> bytes:
    """The frame of a view after which the events begin again."""
    return _frame("reset", frozen_view(results.view_for(reader, live.table, live.at.head, live.receipt), proof))


def _frame(kind: str, body: EventLine | View, seq: int | None = None) -> bytes:
    """One frame; JSON has no line ends, so one ``data`` line is enough."""
    head = b"" if seq is None else b"id: %d\n" % seq
    return head + b"event: %s\ndata: " % kind.encode() + msgspec.json.encode(body) + b"\n\n"
