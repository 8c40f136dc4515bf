"""A user of the embedded store: as long as one process holds one of these, the store runs. It holds no connection
and knows no command of the store; whoever gets a connection error calls `ensure()` and tries again.
"""

import fcntl
import os
import threading
import time
from types import TracebackType
from typing import Self
from urllib.parse import quote

from service.embedded import locks
from service.embedded.directory import DataDirectory, prepare
from service.embedded.errors import StoreUnavailable
from service.embedded.probe import StoreState, probe
from service.embedded.starting import bring_up
from service.embedded.watcher import Watcher

START_SECONDS = 20.0
_REMEMBER_FAILURE_SECONDS = 1.0


class EmbeddedStore:
    """One user. The kernel counts it, so no way to end leaves the store behind or takes it from another user.

    A forked child shares its parent's place: the store lives until both have gone. An executed program does not.
    """

    def __init__(self, directory: DataDirectory, users: int) -> None:
        """Use `open`. `users` is a descriptor that holds the shared lock."""
        self.directory = directory
        self._users: int | None = users
        self._starting = threading.Lock()
        self._pid = os.getpid()
        self._failed: tuple[float, str] | None = None
        self._watcher: Watcher | None = None

    @classmethod
    def open(cls, data_dir: str | os.PathLike[str], *, seconds: float = START_SECONDS) -> Self:
        """Become a user of the store in `data_dir` and see that it runs. Raises `StoreUnavailable`."""
        directory = prepare(data_dir)
        try:
            store = cls(directory, locks.open_lock(directory.users_lock))
        except OSError as error:
            raise _unusable(directory, error) from None
        try:
            store._join(seconds)
            store.ensure(seconds=seconds)
        except BaseException:
            store.close()
            raise
        return store

    @property
    def url(self) -> str:
        """For redis-py: `unix://` and the path of the socket. It stays the same over restarts of the store."""
        return f"unix://{quote(str(self.directory.socket))}"

    def ensure(self, *, seconds: float = START_SECONDS) -> bool:
        """See that the store answers, starting it again if it has gone; True when this call started it.

        Cheap when it answers; from any thread or process. A start that failed is not tried again for a second, so
        that many callers do not queue up for it. Raises `StoreUnavailable`.
        """
        try:
            self._require_same_directory()
            if probe(self.directory) is StoreState.READY:
                return False
            if self._pid != os.getpid():  # forked: the lock may have been held by a thread that is not here
                self._pid, self._starting = os.getpid(), threading.Lock()
            with self._starting:
                if self._failed is not None and time.monotonic() < self._failed[0] + _REMEMBER_FAILURE_SECONDS:
                    raise StoreUnavailable(self._failed[1])
                try:
                    return bring_up(self.directory, seconds)
                except StoreUnavailable as error:
                    self._failed = (time.monotonic(), str(error))
                    raise
        except OSError as error:
            raise _unusable(self.directory, error) from None

    def watch(self) -> None:
        """From now on, start the store again as soon as it goes, from a thread; for `serve`'s main process."""
        if self._watcher is None:
            self._watcher = Watcher(self.directory.socket, self.ensure)
            self._watcher.start()

    def close(self, *, wait_seconds: float = 0.0) -> None:
        """Be no user any more; the last one ends the store. Harmless when done twice.

        With `wait_seconds`, wait so long for the store to have ended, as it does unless it has another user.
        """
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None
        if self._users is not None:
            os.close(self._users)  # closed, not unlocked: a forked child may still be a user
            self._users = None
        deadline = time.monotonic() + wait_seconds
        while time.monotonic() < deadline and locks.is_held(self.directory.keeper_lock):
            time.sleep(0.005)

    def _join(self, seconds: float) -> None:
        """Take the users' lock; in the way is only a keeper that ends the store after its last user."""
        assert self._users is not None
        try:
            joined = locks.wait_lock(self._users, fcntl.LOCK_SH, seconds)
        except OSError as error:  # a file system without locks
            raise _unusable(self.directory, error) from None
        if not joined:
            pid = locks.read_note(self.directory.keeper_lock) or "unknown"
            raise StoreUnavailable(
                f"The store in {self.directory.root} is being ended by its keeper (process {pid}) and that does not come to "
                f"an end. Its log is {self.directory.log}; if it hangs, end that process and try again."
            )

    def _require_same_directory(self) -> None:
        if self._users is None:
            raise StoreUnavailable(f"The store in {self.directory.root} has been closed by this process.")
        ours = os.fstat(self._users)
        try:
            there = self.directory.users_lock.stat()
        except FileNotFoundError:
            there = None
        if there is None or (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino):
            raise StoreUnavailable(
                f"The data directory {self.directory.root} was removed or replaced while it was in use. "
                "Put it back if you can, and start again."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _unusable(directory: DataDirectory, error: OSError) -> StoreUnavailable:
    return StoreUnavailable(f"The store in {directory.root} cannot be used: {error}. Name another place with --data DIR.")
