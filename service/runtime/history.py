"""What a process does so that history that went back is noticed: it keeps the high-water file, and compares the store with it.

The store is compared at the start of `serve`, and whenever its run or its primary changes: by the first process of this
node that connects, before it sends any other command. The other processes wait for that one.
"""

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import structlog
from redis.exceptions import RedisError

from events.redis_store import RedisStore
from events.server_watch import ServerWatch
from events.store import Unreachable
from service.base.high_water import Contents, HighWater
from service.embedded import prepare
from service.games.handler import Games
from service.games.history_check import Comparison, compare
from service.operations.open_store import OpenStore
from service.operations.store_state import Concern
from service.runtime.compose import OtherIdentity

_COMPARED: Final = "history-compared"
_PATIENCE_SECONDS: Final = 8.0

log = structlog.get_logger("trickbook.history")


class History:
    """The high-water file of a data directory, and the watch over the store that it is compared with."""

    def __init__(self, data: Path, opened: OpenStore) -> None:
        """Reads nothing yet."""
        self._run = prepare(data).run
        self._opened = opened
        self._watch = ServerWatch(self._check)
        self._changed = threading.Event()
        self.high_water = HighWater(self._run.parent)
        self.comparison: Comparison | None = None
        self._games: Games | None = None

    def watch(self, *, start: bool = False) -> None:
        """Compares before the next command of the store; with `start` also where another process has compared already.

        Raises `Unreachable`, with `start` also for a file that cannot be read.
        """
        if start:
            self._contents()
            self.high_water.probe()
            (self._run / _COMPARED).unlink(missing_ok=True)
        self._watch.attach(self._opened.store.client)
        self._opened.store.ping()

    def keep(self, games: Games) -> None:
        """Writes down what these games acknowledge from now on, and looks each second whether the primary is another one."""
        self._games = games
        self.high_water.service = games.identity.names()["secret"]
        games.recorded = self.high_water.add
        games.restored = self._opened.store.restored()
        self.high_water.run(self._look)

    def concerns(self) -> tuple[Concern, ...]:
        """What threatens that an older copy is noticed: a file that cannot be written."""
        if self.high_water.fault is None:
            return ()
        text = (
            f"{self.high_water.path} cannot be written ({self.high_water.fault}): after a restart an older copy of the store "
            "may pass unnoticed. Let this user write it, and make room on its disk"
        )
        return (Concern("high_water", text),)

    def require_own(self) -> None:
        """Raises `OtherIdentity` where the file is that of another service than the store's."""
        own, store = self._contents().service, self._opened.store.identity()
        if own and store is not None and own != store.get("secret"):
            raise OtherIdentity(
                f"{self.high_water.path} belongs to another service than the games of the store. Put the file of this service "
                "there, or move it away"
            )

    def _look(self) -> None:
        with contextlib.suppress(RedisError):
            self._watch.poll(self._opened.store.client)
        if self._games is not None:
            self._games.frozen.ids()  # read here where nobody looks, so that those who wait are woken
        if self._games is not None and self._changed.is_set():
            self._changed.clear()
            self._games.restored = self._opened.store.restored()

    def _check(self, identity: str) -> None:
        self._changed.set()
        note = self._run / _COMPARED
        with self._alone():
            if identity and note.exists() and note.read_text() == identity:
                return
            store = RedisStore(self._opened.store.url, patience=_PATIENCE_SECONDS)
            try:
                store.index_frozen()
                self.comparison = compare(store, self._places(store))
            finally:
                store.close()
            note.write_text(identity)
            if self._games is not None:
                self._games.frozen.forget()

    def _places(self, store: RedisStore) -> Contents:
        found, identity = self._contents(), store.identity()
        if found.service and identity is not None and found.service != identity.get("secret"):
            log.error("high_water_of_another_service", path=str(self.high_water.path))
            return Contents({})
        return found

    def _contents(self) -> Contents:
        try:
            return self.high_water.read()
        except OSError as error:
            raise Unreachable(f"{self.high_water.path} cannot be read: {error.strerror}") from None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        descriptor = os.open(self._run / "history.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


@contextlib.contextmanager
def keeping(data: Path, opened: OpenStore) -> Iterator[History]:
    """The watch of a command that writes and ends: compared first, and everything written down when it ends."""
    history = History(data, opened)
    history.watch()
    history.high_water.service = (opened.store.identity() or {}).get("secret", "")
    try:
        yield history
    finally:
        history.high_water.flush()
