"""The live form of the events (``text/event-stream``): every log event has its seq as id, nothing else has one.

A stream ends after five minutes, when the process ends, or when its client has gone; ``Last-Event-ID`` resumes it without
a gap and without a double.
"""

import time
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from flask import Response

from events.store import Unreachable
from service import answers
from service.answers import Reader
from service.games import Games
from service.process import ending
from service.refusals import Refused
from service.web.places import Places

MEDIA_TYPE: Final = "text/event-stream"
LONGEST_SECONDS: Final = 300.0
RETRY_MS: Final = 2000


Place = tuple[Places, str, str | None]


def stream(games: Games, game: str, reader: Reader, after: int | None, place: Place, heartbeat: float) -> Response:
    """The stream of a reader who holds `place`; `after` is the last seq it has, None for one it cannot have.

    The place is given back when the stream ends, however it ends. `heartbeat` is in seconds: a client that has gone is
    noticed at the next one.
    """
    body = _Held(_events(games, game, reader, after, heartbeat), place)
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


def _events(games: Games, game: str, reader: Reader, after: int | None, heartbeat: float) -> Iterator[bytes]:
    began = time.monotonic()
    yield b"retry: %d\n\n" % RETRY_MS
    if after is None:
        live = games.live(game)
        yield _frame("reset", answers.view_for(reader, live.table, live.at.head, live.receipt))
        after = live.at.version
    while not ending.is_set() and time.monotonic() - began < LONGEST_SECONDS:
        try:
            for seq, line in _since(games, game, reader, after):
                yield _frame("event", line, seq)
                after = seq
            heard = time.monotonic()
            if not games.store.wait(game, after, heartbeat):
                if time.monotonic() - heard < heartbeat / 2:
                    return  # nobody waits any more: the process is ending
                yield b": still here\n\n"
        except (Refused, Unreachable):
            return  # the client comes back by itself, and is told the reason then


def _since(games: Games, game: str, reader: Reader, after: int) -> Iterator[tuple[int, dict[str, Any]]]:
    ended = games.live(game).table.open.phase == "ended"
    place, commits = games.since(game, after)
    for event, line in answers.event_lines(commits, place.head, reader, ended=ended):
        if event.seq > after:
            yield event.seq, line


def _frame(kind: str, body: dict[str, Any], seq: int | None = None) -> bytes:
    """One frame; JSON has no line ends, so one ``data`` line is enough."""
    head = b"" if seq is None else b"id: %d\n" % seq
    return head + b"event: %s\ndata: " % kind.encode() + msgspec.json.encode(body) + b"\n\n"
