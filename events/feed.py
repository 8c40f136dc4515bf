"""The feed: hints that a game has reached, or is about to reach, a version, one stream a partition (design §3).

The log is the truth. A hint may be early, late, doubled or missing; a follower reads the game's stream and compares.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from redis.exceptions import ResponseError

from events import keys
from events.redis_store import RedisStore
from events.store import Unreachable

STALE_MS: Final = 60_000
"""An announcement this old (ms) whose version has not been reached is not waited for any longer: its commit never came."""

Entries = Sequence[tuple[bytes, dict[bytes, bytes] | None]]


class Announcement(msgspec.Struct, frozen=True):
    """One hint and its place in the feed; `game` is empty where the entry is none of ours. `at` is ms by the store's clock."""

    part: str
    entry: bytes
    game: str
    version: int

    @property
    def at(self) -> int:
        return _order(self.entry)[0]


class Lag(msgspec.Struct, frozen=True):
    """What a group has not acknowledged: how many announcements, and the age of the oldest of them in ms (0 for none)."""

    announcements: int
    oldest: int


class Gone(Exception):
    """The group is not there any more: its generation was replaced, or the feed was lost."""


class Feed:
    """Every partition's feed as one consumer group reads it. All calls may raise `Unreachable`."""

    def __init__(self, store: RedisStore, group: str, consumer: str = "") -> None:
        self._store = store
        self._client: Any = store.client
        self.group = group
        self._consumer = consumer

    def join(self) -> None:
        """Makes the group where there is none; it begins with the oldest announcement still there."""
        for part in keys.PARTS:
            self._store.ask(partial(self._make, keys.feed(part)))

    def _make(self, name: str) -> None:
        try:
            self._client.xgroup_create(name, self.group, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise

    def leave(self) -> None:
        """Removes the group."""
        for part in keys.PARTS:
            self._store.ask(partial(self._remove, keys.feed(part)))

    def _remove(self, name: str) -> None:
        try:
            self._client.xgroup_destroy(name, self.group)
        except ResponseError as error:
            if "no such key" not in str(error) and "requires the key to exist" not in str(error):
                raise

    def take(self, count: int, block: int) -> list[Announcement]:
        """New announcements, waiting up to `block` ms (1 to 1000) for the first. Raises `Gone`."""
        wanted = dict.fromkeys(map(keys.feed, keys.PARTS), ">")
        read = partial(self._client.xreadgroup, self.group, self._consumer, wanted, count=count, block=block)
        try:
            found: Mapping[bytes, Entries] = self._store.ask(read)
        except Unreachable as error:
            if "NOGROUP" in str(error):
                raise Gone(f"the group {self.group} was removed") from None
            raise
        return [one for name, entries in (found or {}).items() for one in _announcements(name.decode(), entries)]

    def reclaim(self, idle: int, count: int) -> list[Announcement]:
        """Announcements that another consumer, or an earlier life of this one, took `idle` ms ago and left."""
        found: list[Announcement] = []
        for part in keys.PARTS:
            claim = partial(self._client.xautoclaim, keys.feed(part), self.group, self._consumer, idle, count=count)
            found += _announcements(keys.feed(part), self._store.ask(claim)[1])
        return found

    def acknowledge(self, done: Sequence[Announcement]) -> None:
        """These need not be given to anybody again."""
        for part in sorted({one.part for one in done}):
            entries = [one.entry for one in done if one.part == part]
            self._store.ask(partial(self._client.xack, keys.feed(part), self.group, *entries))

    def lag(self) -> Lag:
        """How far the group is behind; what its followers have in hand counts as well."""
        count, oldest, now = 0, 0, self._store.now()
        for part in keys.PARTS:
            about = next((one for one in self._groups(part) if one["name"].decode() == self.group), None)
            delivered = about["last-delivered-id"] if about else b"-"
            ahead = self._between(part, b"(" + delivered if about else b"-")
            first = self._oldest_pending(part) if about and about["pending"] else (ahead[0][0] if ahead else None)
            if about is None:
                count += int(self._store.ask(partial(self._client.xlen, keys.feed(part))))
            else:
                count += int(about["pending"]) + (len(ahead) if about["lag"] is None else int(about["lag"]))
            oldest = max(oldest, now - _order(first)[0] if first else 0)
        return Lag(count, oldest)

    def trim(self) -> None:
        """Removes the announcements that every group has acknowledged."""
        for part in keys.PARTS:
            needed = []
            for about in self._groups(part):
                other = Feed(self._store, about["name"].decode())
                needed.append((other._oldest_pending(part) if about["pending"] else None) or about["last-delivered-id"])
            if needed:
                least = min(needed, key=_order)
                self._store.ask(partial(self._client.xtrim, keys.feed(part), minid=least, approximate=False))

    def forget_consumers(self, idle: int) -> None:
        """Removes consumers that have nothing in hand and have not been seen for `idle` ms."""
        for part in keys.PARTS:
            name = keys.feed(part)
            for one in self._store.ask(partial(self._client.xinfo_consumers, name, self.group)):
                if not one["pending"] and one["idle"] > idle and one["name"].decode() != self._consumer:
                    self._store.ask(partial(self._client.xgroup_delconsumer, name, self.group, one["name"]))

    def all_groups(self) -> set[str]:
        """The names of every group of any partition."""
        return {about["name"].decode() for part in keys.PARTS for about in self._groups(part)}

    def _groups(self, part: str) -> list[dict[str, Any]]:
        return self._store.ask(partial(self._groups_there, keys.feed(part)))

    def _groups_there(self, name: str) -> list[dict[str, Any]]:
        try:
            found: list[dict[str, Any]] = self._client.xinfo_groups(name)
        except ResponseError as error:
            if "no such key" in str(error):
                return []
            raise
        return found

    def _oldest_pending(self, part: str) -> bytes | None:
        found: bytes | None = self._store.ask(partial(self._client.xpending, keys.feed(part), self.group))["min"]
        return found

    def _between(self, part: str, after: bytes) -> Entries:
        found: Entries = self._store.ask(partial(self._client.xrange, keys.feed(part), after, "+", count=1))
        return found


def _announcements(name: str, entries: Entries) -> Iterator[Announcement]:
    part = name.split("{")[1][:2]
    for entry, fields in entries:
        game = (fields or {}).get(b"game", b"").decode(errors="replace")
        version = (fields or {}).get(b"version", b"")
        if keys.is_game_id(game) and version.isdigit() and len(version) < 16:
            yield Announcement(part, entry, game, int(version))
        else:
            yield Announcement(part, entry, "", 0)


def _order(entry: bytes) -> tuple[int, int]:
    ms, _, number = entry.partition(b"-")
    return int(ms), int(number or 0)
