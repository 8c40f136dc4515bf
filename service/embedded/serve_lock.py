"""The lock that lets one `serve` run on a data directory, and names its holder to the second one."""

import fcntl
import json
import os
import time
from datetime import datetime
from types import TracebackType
from typing import Self

from service.embedded import locks
from service.embedded.directory import DataDirectory
from service.embedded.errors import AlreadyServing, StoreUnavailable

_GRACE_SECONDS = 0.5  # one that was just killed may still be on its way out


class ServeLock:
    """Held by the main process of one `serve`; the kernel drops it with that process."""

    def __init__(self, descriptor: int) -> None:
        """Use `take`."""
        self._descriptor: int | None = descriptor
        os.register_at_fork(after_in_child=self.release)  # workers do not hold it

    @classmethod
    def take(cls, directory: DataDirectory, host: str, port: int) -> Self:
        """Take it for a service at `host` and `port`. Raises `AlreadyServing`, `StoreUnavailable`."""
        try:
            descriptor = locks.open_lock(directory.serve_lock)
            taken = locks.wait_lock(descriptor, fcntl.LOCK_EX, _GRACE_SECONDS)
        except OSError as error:
            raise StoreUnavailable(f"{directory.serve_lock} cannot be locked: {error.strerror}.") from None
        if not taken:
            os.close(descriptor)
            raise AlreadyServing(_sentence(directory))
        locks.note(descriptor, json.dumps({"pid": os.getpid(), "host": host, "port": port, "since": int(time.time())}))
        return cls(descriptor)

    def release(self) -> None:
        """Give it back. Harmless when done twice."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


def _sentence(directory: DataDirectory) -> str:
    try:
        holder = json.loads(locks.read_note(directory.serve_lock))
        since = datetime.fromtimestamp(holder["since"]).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        which = f"process {holder['pid']} on {holder['host']} port {holder['port']}, since {since}"
    except (ValueError, KeyError, TypeError, OSError, OverflowError):
        which = "a process that did not say its number"
    return (
        f"A service already runs on the data directory {directory.root}: {which}. "
        "Use that one, end it first, or name another directory with --data DIR."
    )
