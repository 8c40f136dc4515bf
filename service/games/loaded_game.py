"""A game as a handler holds it between two moves: the folded table and which requests are in the log, nothing more.

It is a cache of a prefix of the log: it is thrown away without loss, and never trusted where the log disagrees.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, Literal

import msgspec

from events.canonical import decode, encode
from events.cards import Seat
from events.log import Commit, load
from events.store import LogHead, start
from projections.fold import fold
from projections.table import Table, empty

Asker = Literal["north", "south", "house"]


class RequestHashes(msgspec.Struct, frozen=True):
    """Who asked for a commit: the hashes of the idempotency key and of the canonical request, 64 hex digits each."""

    seat: Asker
    key: str
    request: str

    def stored(self) -> bytes:
        """The canonical bytes that stand in the commit's ``by``."""
        return encode({"key": self.key, "request": self.request, "seat": self.seat})


def request_of(seat: Asker, key: bytes, canonical: bytes) -> RequestHashes:
    """The request of a seat with this key and these canonical bytes."""
    return RequestHashes(seat, sha256(key).hexdigest(), sha256(canonical).hexdigest())


class LoadedGame(msgspec.Struct, frozen=True):
    """The table at `at`, the last receipt, and each request in the log with the version of its commit."""

    table: Table
    at: LogHead
    receipt: bytes
    requests: dict[tuple[str, str], tuple[str, int]]

    def version_of(self, request: RequestHashes) -> int | None:
        """The version of the commit that this seat's key made, None where there is none."""
        found = self.requests.get((request.seat, request.key))
        return None if found is None else found[1]

    def same_request(self, request: RequestHashes) -> bool:
        """Whether the key was used for the same request."""
        found = self.requests.get((request.seat, request.key))
        return found is not None and found[0] == request.request


def new(game: str) -> LoadedGame:
    """A game before its first event."""
    return LoadedGame(empty(game), start(game), b"", {})


def extend(live: LoadedGame, commits: Sequence[Commit]) -> LoadedGame:
    """The game after `commits` too."""
    if not commits:
        return live
    table, requests = live.table, dict(live.requests)
    for commit in commits:
        table = fold(table, [load(stored) for stored in commit.events])
        by = msgspec.convert(decode(commit.by), RequestHashes)
        requests[(by.seat, by.key)] = (by.request, commit.seq)
    last = commits[-1]
    return LoadedGame(table, LogHead(last.seq, last.head), last.receipt, requests)


class Cache:
    """The games used last, at most `size` of them; safe between threads."""

    SIZE: Final = 2000

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._games: OrderedDict[str, LoadedGame] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, game: str) -> LoadedGame | None:
        """What is held of a game."""
        with self._lock:
            live = self._games.get(game)
            if live is not None:
                self._games.move_to_end(game)
            return live

    def put(self, game: str, live: LoadedGame) -> None:
        """Holds a game, unless something later is held already."""
        with self._lock:
            held = self._games.get(game)
            if held is None or held.at.version <= live.at.version:
                self._games[game] = live
            self._games.move_to_end(game)
            while len(self._games) > self._size:
                self._games.popitem(last=False)

    def drop(self, game: str) -> None:
        """Forgets a game."""
        with self._lock:
            self._games.pop(game, None)


def seat_moved_after(live: LoadedGame, seat: Seat, version: int) -> bool:
    """Whether this seat has a commit after `version`."""
    return any(asker == seat and made > version for (asker, _), (_, made) in live.requests.items())
