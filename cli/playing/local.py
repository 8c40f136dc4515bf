"""The service of one's own data directory: the one that runs there, or one started for as long as we play."""

import json
import logging
import os
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from service.base import settings
from service.client.http import Client, ClientError
from service.embedded import AlreadyServing, EmbeddedStore, ServeLock, locks, prepare
from service.runtime.ports import CannotServe, check_address, free_port
from service.runtime.server_process import ServerProcess

_HOST: Final = "127.0.0.1"
_FACTORY: Final = "service.runtime.web_process:create_from_environment"
_START_SECONDS: Final = 15.0
_POLL_SECONDS: Final = 0.05
_EVERYWHERE: Final = {"0.0.0.0": _HOST, "::": "::1"}  # noqa: S104 - read, not bound


class LocalService:
    """Its `url` may change when it has to be started anew. Close it in the end; calls are safe between threads."""

    def __init__(self, directory: Path, port: int = 0) -> None:
        """`port` is the one wanted, so that a friend's link stays true; another one where that is taken."""
        logging.getLogger("trickbook.store").addHandler(logging.NullHandler())  # what it warns of must not lie on the screen
        self._directory = prepare(directory)
        self._port = port
        self._ours = ExitStack()
        self._server: ServerProcess | None = None
        self._lock = threading.Lock()
        self._closed = False
        self.url = self._open()

    @property
    def port(self) -> int:
        """Where it is, to be wanted again."""
        return int(self.url.rsplit(":", 1)[1])

    def mend(self) -> None:
        """See that there is one, after it could not be reached. Raises what starting one raises."""
        with self._lock:
            if self._closed or (self._server is not None and self._server.answers()):
                return
            self._end()
            self.url = self._open()

    def close(self) -> None:
        """End what was started here."""
        with self._lock:
            self._closed = True
            self._end()

    def _end(self) -> None:
        self._ours.close()
        self._ours, self._server = ExitStack(), None

    def _open(self) -> str:
        port = self._free()
        with ExitStack() as ours:
            if not os.environ.get(settings.REDIS_URL):
                try:
                    ours.enter_context(ServeLock.take(self._directory, _HOST, port))
                except AlreadyServing:
                    return self._running()
                ours.enter_context(EmbeddedStore.open(self._directory.root)).watch()
            server = ServerProcess.start(
                _FACTORY,
                log=self._directory.root / "play.log",
                port=port,
                env={settings.DATA: str(self._directory.root)},
                seconds=_START_SECONDS,
            )
            self._server = ours.enter_context(server)
            self._ours = ours.pop_all()
        self._port = port
        return server.url

    def _running(self) -> str:
        """The address of the service that holds the lock, once it answers; our own if it lets go. Raises `CannotServe`."""
        end = time.monotonic() + _START_SECONDS
        while locks.is_held(self._directory.serve_lock):
            url = _noted(locks.read_note(self._directory.serve_lock))
            if url is not None and _answers(url):
                return url
            if time.monotonic() > end:
                raise CannotServe(f"The service that runs on {self._directory.root} does not answer at {url or 'any address'}.")
            time.sleep(_POLL_SECONDS)
        return self._open()

    def _free(self) -> int:
        try:
            return self._port if self._port and check_address(_HOST, self._port) else free_port(_HOST)
        except CannotServe:
            return free_port(_HOST)


def _noted(note: str) -> str | None:
    """The address in the note of a lock's holder; None while it has not said one."""
    try:
        holder = json.loads(note)
        host, port = _EVERYWHERE.get(holder["host"], holder["host"]), int(holder["port"])
    except (ValueError, KeyError, TypeError):
        return None
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _answers(url: str) -> bool:
    try:
        return Client(url).get("/healthz").get("status") == "ok"
    except ClientError:
        return False
