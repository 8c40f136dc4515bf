"""A thread that notices at once when the store goes, and has it started again, so that the next request finds it
there. It must not keep a process alive or make it a user.
"""

import contextlib
import logging
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from service.embedded.errors import StoreUnavailable

_AGAIN_SECONDS = 1.0
_log = logging.getLogger("trickbook.store")


class Watcher:
    """Watches the store at one socket."""

    def __init__(self, path: Path, ensure: Callable[[], bool]) -> None:
        """`ensure` starts the store again and raises StoreUnavailable when it cannot."""
        self._path = path
        self._ensure = ensure
        self._stopped = threading.Event()
        self._connection: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, name="store-watcher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; returns when the thread has ended, or after a second if it is starting a store."""
        self._stopped.set()
        connection = self._connection
        if connection is not None:
            with contextlib.suppress(OSError):  # it may have gone by itself
                connection.shutdown(socket.SHUT_RDWR)
        if self._thread is not threading.current_thread():
            self._thread.join(1.0)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                if self._ensure():
                    _log.warning("the store had gone and was started again")
                self._wait_for_end()
            except StoreUnavailable as error:
                if not self._stopped.is_set():
                    _log.error("%s", error)
                self._stopped.wait(_AGAIN_SECONDS)

    def _wait_for_end(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            self._connection = connection
            with contextlib.suppress(OSError):
                connection.connect(str(self._path))
                if not self._stopped.is_set():
                    connection.recv(1)  # the store never speaks first: this returns when it has gone
            self._connection = None
