"""Waiting for news of games: one thread and one connection a process, whatever the number of those who wait.

It only wakes people up; what is in the log they read themselves.
"""

import os
import threading
import time
import weakref
from collections.abc import Iterable
from typing import Any, Final

import structlog
from redis.exceptions import RedisError, ResponseError

from events import keys
from events.redis_client import ANSWER_SECONDS, BLOCK_SECONDS, connect, connect_blocking

_PAUSE_SECONDS: Final = 0.2
_FAILED_SECONDS: Final = 1.0
_AGAIN_SECONDS: Final = 0.005
_CLOSE_SECONDS: Final = 2.0
_TOGETHER_SECONDS: Final = 0.0002
"""For each game that is waited for, as every read names them all: news that follows other news so soon is told together, and
a read costs a small part of the time. A table alone hears its news at once; with 200 games it may be 40 ms later. An eighth
of it cost moves half their rate beside 400 streams, and telling what this process wrote at once as much."""
_FEW: Final = 20
_LINGER_SECONDS: Final = 2.0
"""How long a game that had news is read on for nobody: who was told comes back when the news has been read."""

log = structlog.get_logger("trickbook.notifier")


class _Watched:
    """A game somebody waits for, or did a moment ago. All of it is looked at and changed under the waiter's lock."""

    def __init__(self, lock: threading.Lock, version: int) -> None:
        self.changed = threading.Condition(lock)  # of its own: news of one game wakes nobody who waits for another
        self.versions: list[int] = []
        self.place = version  # what is read is what comes after it
        self.latest = 0  # the newest version that was read, 0 for none
        self.asked = 0  # the question since which it is read from there
        self.left = 0.0  # when the last one went
        self.disturbed = 0  # how often those who wait were to look again without news


class Notifier:
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
        self._lock = threading.Lock()
        self._work = threading.Condition(self._lock)  # for the reader
        self._waking = threading.Lock()
        self._watched: dict[bytes, _Watched] = {}
        self._unreadable: set[bytes] = set()
        self._asked = self._seen = 0
        self._thread: threading.Thread | None = None
        self._reader_id: int | None = None

    def wait(self, game: str, version: int, seconds: float) -> bool:
        """Whether the game is longer than `version` (events) within `seconds`; no once the waiter is closed."""
        end = time.monotonic() + seconds
        stream = keys.stream(game).encode()
        with self._lock:
            watched = self._watch(stream, version)
            disturbed = watched.disturbed
        told = False
        try:
            while True:
                with self._lock:
                    left = end - time.monotonic()
                    if self._closed:
                        return False
                    told = watched.latest > version
                    if watched.disturbed != disturbed:
                        return True
                    if told or left <= 0:
                        return told
                    if self._seen >= watched.asked:
                        watched.changed.wait(left)
                        continue
                    reader = self._reader_id
                pause = _AGAIN_SECONDS if reader is not None and self._wake(reader) else _PAUSE_SECONDS
                with self._lock:
                    if self._seen < watched.asked and self._reader_id == reader:
                        watched.changed.wait(min(pause, max(0.0, end - time.monotonic())))
        finally:
            with self._lock:
                self._unwatch(stream, watched, version, told=told)

    def disturb(self, games: Iterable[str]) -> None:
        """Ends the waits for these games as if there were news, so that those who wait look at them."""
        with self._lock:
            for game in games:
                watched = self._watched.get(keys.stream(game).encode())
                if watched is not None:
                    watched.disturbed += 1
                    watched.changed.notify_all()

    def close(self) -> None:
        """Wakes everybody with no news and ends the thread; on a server that stands still it ends with its read."""
        with self._lock:
            self._closed = True
            self._work.notify_all()
            for watched in self._watched.values():
                watched.changed.notify_all()
            thread = self._thread
        end = time.monotonic() + _CLOSE_SECONDS
        while thread is not None and thread.is_alive() and time.monotonic() < end:
            reader = self._reader_id
            if reader is not None and not self._wake(reader):
                break
            thread.join(timeout=_AGAIN_SECONDS)
        self._control.close()

    def _watch(self, stream: bytes, version: int) -> _Watched:
        """Adds one who waits. A game that is read from that version or below needs no new read."""
        watched = self._watched.get(stream)
        if watched is None:
            watched = self._watched[stream] = _Watched(self._lock, version)
            self._ask(watched)
        elif version < watched.place and not (watched.versions and watched.latest > version):
            # What was read when nobody waited may be gone since: it is read once more before it is told.
            watched.place, watched.latest = version, 0
            self._ask(watched)
        watched.versions.append(version)
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._read, name="trickbook-waiter", daemon=True)
            self._thread.start()
        return watched

    def _ask(self, watched: _Watched) -> None:
        self._asked += 1
        watched.asked = self._asked
        self._work.notify_all()  # the reader sleeps when nobody waits

    def _unwatch(self, stream: bytes, watched: _Watched, version: int, *, told: bool) -> None:
        watched.versions.remove(version)
        if watched.versions or self._watched.get(stream) is not watched:
            return
        watched.left = time.monotonic()
        if not told:
            self._forget(stream)

    def _forget(self, stream: bytes) -> None:
        del self._watched[stream]
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
        except Exception:  # a cluster's errors are no RedisError
            log.exception("notifier_failed")
            return False
        finally:
            self._waking.release()
        return True

    def _read(self) -> None:
        while self._somebody_waits():
            pause = _PAUSE_SECONDS
            try:
                self._read_until_broken()
            except RedisError:
                pass  # the server is away: try again
            except Exception:  # everybody in this process waits for this thread
                log.exception("notifier_failed")
                pause = _FAILED_SECONDS
            with self._lock:
                self._reader_id = None
                if not self._closed:
                    self._work.wait(pause)

    def _somebody_waits(self) -> bool:
        """Sleeps until somebody does; no once closed."""
        with self._lock:
            while not self._watched and not self._closed:
                self._seen = self._asked
                self._work.wait()
            return not self._closed

    def _read_until_broken(self) -> None:
        client: Any = connect_blocking(self._url, self._block)
        try:
            reader = int(client.client_id())
            with self._lock:
                self._reader_id = reader
                self._distrust()
            while self._somebody_waits():
                with self._lock:
                    self._seen = self._asked
                    after = self._places()
                if not after:  # whoever waits for unreadable streams is told when the time is over
                    with self._lock:
                        self._work.wait(_PAUSE_SECONDS)
                    continue
                try:
                    news = client.xread(after, block=int(self._block * 1000))
                except ResponseError:
                    self._set_aside(client, after)
                    continue
                with self._lock:
                    for stream, entries in (news or {}).items():
                        watched = self._watched.get(stream)
                        if watched is not None and entries:
                            watched.latest = watched.place = int(entries[-1][0].split(b"-")[0])
                            watched.changed.notify_all()
                    if news and len(after) > _FEW:
                        self._work.wait(len(after) * _TOGETHER_SECONDS)
        finally:
            client.close()

    def _distrust(self) -> None:
        """The server may be another one, or on an older copy: what was read before is read again."""
        for stream, watched in list(self._watched.items()):
            if watched.versions:
                watched.latest, watched.place = 0, min(watched.versions)
            else:
                self._forget(stream)

    def _places(self) -> dict[bytes, str]:
        """What to read from where, without the games that nobody waits for any more."""
        now = time.monotonic()
        for stream, watched in list(self._watched.items()):
            if not watched.versions and now - watched.left > _LINGER_SECONDS:
                self._forget(stream)
        return {stream: f"{watched.place}-0" for stream, watched in self._watched.items() if stream not in self._unreadable}

    def _set_aside(self, client: Any, after: dict[bytes, str]) -> None:
        """One key that is no stream must not make everybody deaf: finds it."""
        refused: set[bytes] = set()
        for stream, place in after.items():
            try:
                client.xread({stream: place}, count=1)
            except ResponseError:
                refused.add(stream)
        with self._lock:
            self._unreadable |= refused
            if not refused:
                self._work.wait(_PAUSE_SECONDS)


_waiters: "weakref.WeakSet[Notifier]" = weakref.WeakSet()


def _begin_again() -> None:
    for waiter in list(_waiters):
        waiter._begin()


os.register_at_fork(after_in_child=_begin_again)
