"""Waiting for news of games: one thread and one connection a process, whatever the number of those who wait.

It only wakes people up; what is in the log they read themselves.
"""

import threading
import time
from typing import Any, Final

from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisError

from events import keys
from events.redis_client import connect, connect_blocking

_BLOCK_MS: Final = 20_000
_PAUSE_SECONDS: Final = 0.2


class Waiter:
    """Blocks callers until a game's stream has an entry above a version. The thread starts with the first call."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._changed = threading.Condition()
        self._wanted: dict[str, list[int]] = {}
        self._latest: dict[str, int] = {}
        self._asked = self._seen = 0
        self._thread: threading.Thread | None = None
        self._reader_id: int | None = None
        self._closed = False
        self._control = connect(url)

    def wait(self, game: str, version: int, seconds: float) -> bool:
        """Whether the game is longer than `version` (events) within `seconds`."""
        end = time.monotonic() + seconds
        with self._changed:
            self._watch(game, version)
            try:
                while self._latest.get(game, 0) <= version and not self._closed:
                    left = end - time.monotonic()
                    if left <= 0:
                        return False
                    if self._seen < self._asked:
                        left = min(left, 0.005 if self._wake_reader() else _PAUSE_SECONDS)
                    self._changed.wait(left)
                return not self._closed
            finally:
                self._unwatch(game, version)

    def close(self) -> None:
        """Wakes everybody with no news and ends the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._wake_reader()
        if self._thread is not None:
            self._thread.join(timeout=2)
        self._control.close()

    def _watch(self, game: str, version: int) -> None:
        """Adds one who waits. A game already watched from that version or below needs no new read."""
        versions = self._wanted.setdefault(game, [])
        if not versions or version < min(versions):
            self._asked += 1
        versions.append(version)
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._read, name="trickbook-waiter", daemon=True)
            self._thread.start()

    def _unwatch(self, game: str, version: int) -> None:
        versions = self._wanted[game]
        versions.remove(version)
        if not versions:
            del self._wanted[game]
            self._latest.pop(game, None)

    def _wake_reader(self) -> bool:
        """Ends the reader's block so that it takes up what is asked now; called again until it has. Whether it could be tried."""
        try:
            if self._reader_id is not None:
                self._control.client_unblock(self._reader_id)
        except RedisError:  # the reader finds out by itself that the server is gone
            return False
        return self._reader_id is not None

    def _read(self) -> None:
        while not self._closed:
            try:
                self._read_until_broken()
            except RedisError:
                with self._changed:
                    self._reader_id = None
                    self._changed.wait(_PAUSE_SECONDS)

    def _read_until_broken(self) -> None:
        client: Any = connect_blocking(self._url)
        try:
            with self._changed:
                self._reader_id = int(client.client_id())
            while True:
                with self._changed:
                    while not self._wanted and not self._closed:
                        self._seen = self._asked
                        self._changed.wait()
                    if self._closed:
                        return
                    self._seen = self._asked
                    after = {
                        keys.stream(game): f"{max(min(versions), self._latest.get(game, 0))}-0"
                        for game, versions in self._wanted.items()
                    }
                news = client.xread(after, block=_BLOCK_MS)
                if not isinstance(news, dict):
                    raise NoConnection("the server gave no answer to a read")
                with self._changed:
                    for name, entries in news.items():
                        game = keys.game_of(name.decode())
                        if game in self._wanted and entries:
                            self._latest[game] = int(entries[-1][0].split(b"-")[0])
                    self._changed.notify_all()
        finally:
            client.close()
