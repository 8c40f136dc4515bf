"""A game as a handler holds it between two moves: the folded table and which requests are in the log, nothing more.

It is a cache of a prefix of the log: it is thrown away without loss, and never trusted where the log disagrees.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import msgspec

from events.cards import Seat
from events.log import Commit, heads_after, load, seal_of
from events.receipts import is_canonical
from events.store import BadEntry, LogHead, start
from events.types import Event
from projections.fold import fold
from projections.table import Table, empty
from service.games.commits import Asker, Committed, RequestHashes, requester
from service.games.refusals import Refused


class LoadedGame(msgspec.Struct, frozen=True):
    """The table at `at`, the last receipt, each request in the log with the version of its commit, and the last commit of
    each seat; `fresh` if all of it was read from the store for the request at hand, and not taken from the cache."""

    table: Table
    at: LogHead
    receipt: bytes
    requests: dict[tuple[str, str], tuple[str, int]]
    last: dict[Asker, Committed]
    fresh: bool = False

    @property
    def game(self) -> str:
        """The id of the game."""
        return self.table.open.game

    def version_of(self, request: RequestHashes) -> int | None:
        """The version of the commit that this seat's key made, None where there is none. Raises `Refused` (`key_reused`)."""
        hashed, version = self.requests.get((request.seat, request.key), (request.request, None))
        if hashed != request.request:
            raise Refused("key_reused", "this Idempotency-Key was used for another request: use a fresh key for each")
        return version

    def moved_after(self, seat: Seat, version: int) -> bool:
        """Whether this seat has a commit after `version`."""
        return any(asker == seat and made > version for (asker, _), (_, made) in self.requests.items())

    def followed_by(self, done: Committed, request: RequestHashes) -> "LoadedGame":
        """The game after a commit that was decided on it: nothing is folded or decoded again."""
        requests = {**self.requests, (request.seat, request.key): (request.request, done.commit.seq)}
        return LoadedGame(done.after, done.at, done.commit.receipt, requests, {**self.last, request.seat: done}, self.fresh)


def new(game: str) -> LoadedGame:
    """A game before its first event; `fresh`, for nothing of it is assumed."""
    return LoadedGame(empty(game), start(game), b"", {}, {}, fresh=True)


def require_chain(game: str, head: bytes, commits: Sequence[Commit]) -> None:
    """Raises `BadEntry` unless the commits follow `head` in the chain, each with a receipt that can be copied into JSON."""
    for commit in commits:
        head = _heads(game, head, commit)[-1]


def _heads(game: str, before: bytes, commit: Commit) -> tuple[bytes, ...]:
    """The head after each event of a commit. Raises `BadEntry` as `require_chain` does."""
    heads = heads_after(before, commit.events)
    if heads[-1] != commit.head:
        raise BadEntry(f"the head after event {commit.seq} of game {game} is not the one recorded")
    if commit.receipt != b"{}" and not is_canonical(commit.receipt):
        raise BadEntry(f"the receipt after event {commit.seq} of game {game} cannot be read")
    return heads


def _events(game: str, commit: Commit) -> tuple[Event, ...]:
    """The events of a commit. Raises `BadEntry` for an entry that lacks something, or a sealed part under another seal."""
    if commit.receipt == b"{}":
        raise BadEntry(f"the receipt after event {commit.seq} of game {game} is empty")
    if not commit.is_requested:
        raise BadEntry(f"the entry of event {commit.seq} of game {game} names no request")
    events = tuple(load(stored) for stored in commit.events)
    for event, stored in zip(events, commit.events, strict=True):
        if event.seal is not None and (stored.sealed is None or seal_of(stored.sealed) != event.seal):
            raise BadEntry(f"the sealed part of event {event.seq} of game {game} is not the one sealed")
    return events


def extend(live: LoadedGame, commits: Sequence[Commit]) -> LoadedGame:
    """The game after `commits` too.

    Raises `BadEntry`, `BadEvent`, `NotCanonical` or `Impossible` for what no Trickbook wrote there: nothing is decided on it.
    """
    if not commits:
        return live
    table, at, requests, last = live.table, live.at, dict(live.requests), dict(live.last)
    for commit in commits:
        heads, events = _heads(live.game, at.head, commit), _events(live.game, commit)
        table = fold(table, events)
        if commit.by != b"{}":
            by = requester(commit)
            requests[(by.seat, by.key)] = (by.request, commit.seq)
            last[by.seat] = Committed(by.seat, at, commit, events, heads, table)
        at = LogHead(commit.seq, commit.head)
    return LoadedGame(table, at, commits[-1].receipt, requests, last, live.fresh)


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
        live = msgspec.structs.replace(live, fresh=False)
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
