"""Waiting for news of games: one thread and one connection a process, whatever the number of those who wait.

It only wakes people up; what is in the log they read themselves.
"""

import contextlib
import os
import threading
import time
import weakref
from typing import Any, Final

from redis.exceptions import RedisError, ResponseError

from events import keys
from events.redis_client import ANSWER_SECONDS, BLOCK_SECONDS, connect, connect_blocking

_PAUSE_SECONDS: Final = 0.2
_AGAIN_SECONDS: Final = 0.005
_CLOSE_SECONDS: Final = 2.0


class Waiter:
    """Blocks callers until a game's stream has an entry above a version. The thread starts with the first call."""

    def __init__(self, url: str, *, block: float = BLOCK_SECONDS, answer: float = ANSWER_SECONDS) -> None:
        self._url = url
        self._block = block
        self._control = connect(url, socket_timeout=answer)
        self._closed = False
        self._begin()
        _waiters.add(self)

    def _begin(self) -> None:
        """Nobody waits and no thread runs: so it is at first, and in a child after a fork."""
        self._changed = threading.Condition()
        self._waking = threading.Lock()
        self._wanted: dict[bytes, list[int]] = {}
        self._latest: dict[bytes, int] = {}
        self._unreadable: set[bytes] = set()
        self._asked = self._seen = 0
        self._thread: threading.Thread | None = None
        self._reader_id: int | None = None

    def wait(self, game: str, version: int, seconds: float) -> bool:
        """Whether the game is longer than `version` (events) within `seconds`; no once the waiter is closed."""
        end = time.monotonic() + seconds
        stream = keys.stream(game).encode()
        with self._changed:
            self._watch(stream, version)
        try:
            while True:
                with self._changed:
                    left = end - time.monotonic()
                    if self._closed:
                        return False
                    if self._latest.get(stream, 0) > version:
                        return True
                    if left <= 0:
                        return False
                    if self._seen == self._asked:
                        self._changed.wait(left)
                        continue
                    reader = self._reader_id
                pause = _AGAIN_SECONDS if reader is not None and self._wake(reader) else _PAUSE_SECONDS
                with self._changed:
                    if self._seen < self._asked and self._reader_id == reader:
                        self._changed.wait(min(pause, max(0.0, end - time.monotonic())))
        finally:
            with self._changed:
                self._unwatch(stream, version)

    def close(self) -> None:
        """Wakes everybody with no news and ends the thread; on a server that stands still it ends with its read."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        end = time.monotonic() + _CLOSE_SECONDS
        while thread is not None and thread.is_alive() and time.monotonic() < end:
            reader = self._reader_id
            if reader is not None and not self._wake(reader):
                break
            thread.join(timeout=_AGAIN_SECONDS)
        self._control.close()

    def _watch(self, stream: bytes, version: int) -> None:
        """Adds one who waits. A game already watched from that version or below needs no new read."""
        versions = self._wanted.setdefault(stream, [])
        if not versions or version < min(versions):
            self._asked += 1
            self._changed.notify_all()  # the reader sleeps when nobody waits
        versions.append(version)
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._read, name="trickbook-waiter", daemon=True)
            self._thread.start()

    def _unwatch(self, stream: bytes, version: int) -> None:
        versions = self._wanted[stream]
        versions.remove(version)
        if not versions:
            del self._wanted[stream]
            self._latest.pop(stream, None)
            self._unreadable.discard(stream)

    def _wake(self, reader: int) -> bool:
        """Ends the reader's block to take up what is asked now; called again until it has. Whether that can be.

        Outside the lock, and by one at a time: on a server that does not answer this takes as long as an answer may.
        """
        if not self._waking.acquire(blocking=False):
            return True
        try:
            self._control.client_unblock(reader)
        except ResponseError:  # a server that does not allow it: look often instead
            self._block = _PAUSE_SECONDS
            return False
        except RedisError:  # the reader finds out by itself that the server is gone
            return False
        finally:
            self._waking.release()
        return True

    def _read(self) -> None:
        while self._somebody_waits():
            with contextlib.suppress(RedisError):
                self._read_until_broken()
            with self._changed:
                self._reader_id = None
                if not self._closed:
                    self._changed.wait(_PAUSE_SECONDS)

    def _somebody_waits(self) -> bool:
        """Sleeps until somebody does; no once closed."""
        with self._changed:
            while not self._wanted and not self._closed:
                self._seen = self._asked
                self._changed.wait()
            return not self._closed

    def _read_until_broken(self) -> None:
        client: Any = connect_blocking(self._url, self._block)
        try:
            reader = int(client.client_id())
            with self._changed:
                self._reader_id = reader
                self._latest.clear()  # the server may be another one, or on an older copy
                self._changed.notify_all()
            while self._somebody_waits():
                with self._changed:
                    self._seen = self._asked
                    after = {
                        stream: f"{max(min(versions), self._latest.get(stream, 0))}-0"
                        for stream, versions in self._wanted.items()
                        if stream not in self._unreadable
                    }
                if not after:  # whoever waits for unreadable streams is told when the time is over
                    with self._changed:
                        self._changed.wait(_PAUSE_SECONDS)
                    continue
                try:
                    news = client.xread(after, block=int(self._block * 1000))
                except ResponseError:
                    self._set_aside(client, after)
                    continue
                with self._changed:
                    for stream, entries in (news or {}).items():
                        if stream in self._wanted and entries:
                            self._latest[stream] = int(entries[-1][0].split(b"-")[0])
                    self._changed.notify_all()
        finally:
            client.close()

    def _set_aside(self, client: Any, after: dict[bytes, str]) -> None:
        """One key that is no stream must not make everybody deaf: finds it."""
        refused: set[bytes] = set()
        for stream, place in after.items():
            try:
                client.xread({stream: place}, count=1)
            except ResponseError:
                refused.add(stream)
        with self._changed:
            self._unreadable |= refused
            if not refused:
                self._changed.wait(_PAUSE_SECONDS)


_waiters: "weakref.WeakSet[Waiter]" = weakref.WeakSet()


def _begin_again() -> None:
    for waiter in list(_waiters):
        waiter._begin()


os.register_at_fork(after_in_child=_begin_again)
