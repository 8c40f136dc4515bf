"""What threatens the games of a store while it answers: how it writes, what it evicts, and the room it has left.

Where room runs out, new games are refused so that running games can go on to their end.
"""

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from redis.exceptions import RedisError, ResponseError

from service.operations.durability import MEANING
from service.operations.open_store import OpenStore

FULL_MEMORY: Final = 0.9
FULL_DISK: Final = 0.8
LEAST_DISK: Final = 10 * 2**30
"""A disk that is full to `FULL_DISK` takes new games while it has this many bytes left."""
_CACHED_SECONDS: Final = 2.0
_LOCAL: Final = ("unix://", "redis://127.", "redis://localhost", "redis://[::1]")


class Concern(msgspec.Struct, frozen=True):
    """A stable code, a sentence for the operator that ends with the remedy, and whether new games are refused meanwhile."""

    code: str
    message: str
    refuses_new_games: bool = False


class StoreState:
    """The concerns about an open store, read at most every two seconds; for any number of threads."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened
        self._lock = threading.Lock()
        self._due = 0.0
        self._concerns: tuple[Concern, ...] = ()

    def concerns(self) -> tuple[Concern, ...]:
        """What is wrong now, the last known state where the store does not answer. It never raises."""
        with self._lock:
            if time.monotonic() >= self._due:
                with contextlib.suppress(RedisError):  # moves and creates have their own answer for a store that is away
                    self._concerns = look(self._opened)
                self._due = time.monotonic() + _CACHED_SECONDS
            return self._concerns

    def new_game_objection(self) -> str | None:
        """Why no new game is made now, for players; None where games are made."""
        if any(concern.refuses_new_games for concern in self.concerns()):
            return (
                "The service takes no new games right now: its store is short of room or not set up safely. You can play on in "
                "your running games."
            )
        return None


def look(opened: OpenStore) -> tuple[Concern, ...]:
    """Every concern about a store. Raises `RedisError` where it does not answer."""
    client = opened.store.client
    told = _settings(client, "appendonly", "appendfsync", "maxmemory-policy", "maxmemory", "dir")
    about: Mapping[str, Any] = client.info()
    found = (
        _durability(told),
        _eviction(told),
        _memory(about),
        _disk(_directory(opened, told), shutil.disk_usage),
        _writes(about),
    )
    return tuple(concern for concern in found if concern is not None)


def _settings(client: Any, *names: str) -> dict[str, str]:
    """The settings that the server tells; a managed one may keep them to itself."""
    try:
        raw = client.config_get(*names)
    except ResponseError:
        return {}
    return {_text(name): _text(value) for name, value in raw.items()}


def _durability(told: Mapping[str, str]) -> Concern | None:
    if "appendonly" not in told:
        return None
    if told["appendonly"] != "yes":
        return Concern("durability_memory", f"appendonly is {told['appendonly']}: {MEANING['memory']}")
    if told.get("appendfsync") == "everysec":
        return Concern("durability_everysec", f"appendfsync is everysec: {MEANING['everysec']}")
    if told.get("appendfsync") != "always":
        return Concern("durability_memory", f"appendfsync is {told.get('appendfsync')}: {MEANING['memory']}")
    return None


def _eviction(told: Mapping[str, str]) -> Concern | None:
    policy = told.get("maxmemory-policy", "")
    if not policy.startswith("allkeys-"):
        return None
    text = f"maxmemory-policy is {policy}: the server deletes games when its memory is full. Set maxmemory-policy noeviction"
    return Concern("eviction", text, refuses_new_games=True)


def _memory(about: Mapping[str, Any]) -> Concern | None:
    limit, used = int(about.get("maxmemory", 0)), int(about.get("used_memory", 0))
    if not limit or used < limit * FULL_MEMORY:
        return None
    share = min(used * 100 // limit, 999)
    text = f"the store uses {share} % of its maxmemory of {_size(limit)}. Raise maxmemory, or move old games away"
    return Concern("memory_full", text, refuses_new_games=True)


def _directory(opened: OpenStore, told: Mapping[str, str]) -> Path | None:
    """Where the store writes, None where that is another machine's disk or unknown."""
    if opened.embedded is not None:
        return opened.embedded.directory.root
    named = Path(told.get("dir", ""))
    return named if "dir" in told and opened.store.url.startswith(_LOCAL) and named.is_dir() else None


def _disk(directory: Path | None, usage: Callable[[Path], Any]) -> Concern | None:
    """The concern about the disk of `directory`; its share counts as `df` does, without what is reserved for root."""
    if directory is None:
        return None
    disk = usage(directory)
    share = disk.used / max(disk.used + disk.free, 1)
    if share < FULL_DISK:
        return None
    text = f"the disk of {directory} is {share * 100:.0f} % full, with {_size(disk.free)} free. Make room there"
    return Concern("disk_full", text, refuses_new_games=disk.free < LEAST_DISK)


def _writes(about: Mapping[str, Any]) -> Concern | None:
    if about.get("aof_last_write_status", "ok") == "ok":
        return None
    return Concern("write_failed", "the last write to the disk failed. Look into the server's log", refuses_new_games=True)


def _size(number: int) -> str:
    return f"{number / 2**30:.1f} GiB" if number >= 2**30 else f"{number / 2**20:.1f} MiB"


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
