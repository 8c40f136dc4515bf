"""The follower process: keeps every read model from the feed until it is told to end.

A model that is missing, or of an older version than ours, is built first. When another process has built a newer
generation, this one goes on with that.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping

import msgspec
import structlog

from events.feed import Gone
from events.redis_store import RedisStore
from events.store import Unreachable
from projections.across.models import MODELS, Model
from service.readmodels.follower import IDLE_MS, Busy, Follower
from service.readmodels.model_store import ReadModelStore
from service.readmodels.rebuild import clean, needed, rebuild

log = structlog.get_logger("trickbook.following")

Saved = Callable[[Model, Mapping[str, bytes]], None]


def _nobody(model: Model, changed: Mapping[str, bytes]) -> None:
    """Is told and does nothing."""


class Pace(msgspec.Struct, frozen=True):
    """How often what is done, in seconds; `block` in ms is the longest one waits for an announcement, `idle` in ms how long
    one may lie with another follower."""

    block: int = 500
    idle: int = IDLE_MS
    take_over: float = IDLE_MS / 2000
    compare: float = 300.0
    trim: float = 60.0
    pause: float = 1.0


class Keeper:
    """Keeps one read model in a thread of its own, on every way its store may fail."""

    def __init__(self, store: RedisStore, books: ReadModelStore, model: Model, *, pace: Pace, saved: Saved) -> None:
        self._store = store
        self._books = books
        self._model = model
        self._pace = pace
        self._saved = saved
        self._consumer = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"follow-{model.name}", daemon=True)

    def start(self) -> None:
        """Begins to follow."""
        self._thread.start()

    def end(self) -> None:
        """Ends after the round under way."""
        self._ending.set()

    def join(self, seconds: float) -> None:
        """Waits for the end, so long at most."""
        self._thread.join(seconds)

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._follow()
            except Gone:
                pass  # look what serves now
            except (Unreachable, Busy) as error:
                log.warning("follower_waits", model=self._model.name, reason=str(error))
                self._ending.wait(self._pace.pause)
            except Exception:
                log.exception("follower_fault", model=self._model.name)
                self._ending.wait(self._pace.pause)

    def _follow(self) -> None:
        """Follows one generation, as long as it is the one that serves."""
        if needed(self._books, self._model):
            found = rebuild(self._store, self._books, self._model)
            log.info("model_built", model=found.model, games=found.games, different=len(found.different))
        clean(self._store, self._books, self._model)
        now = self._books.serving(self._model).now
        if now is None or now.version > self._model.version:
            log.warning("model_is_newer", model=self._model.name)  # of a later Trickbook, which keeps it
            self._ending.wait(self._pace.trim)
            return
        follower = Follower(self._store, self._books, self._model, now.number, self._consumer, self._tell)
        follower.feed.join()
        follower.compare()
        compared = taken = trimmed = time.monotonic()
        while not self._ending.is_set() and self._books.serving(self._model).now == now:
            follower.round(self._pace.block)
            if time.monotonic() - taken > self._pace.take_over:
                follower.take_over(self._pace.idle)
                taken = time.monotonic()
            if time.monotonic() - trimmed > self._pace.trim:
                follower.feed.trim()
                follower.feed.forget_consumers(60 * 60 * 1000)
                trimmed = time.monotonic()
            if time.monotonic() - compared > self._pace.compare:
                follower.compare()
                compared = time.monotonic()

    def _tell(self, changed: Mapping[str, bytes]) -> None:
        self._saved(self._model, changed)


def keep(store: RedisStore, books: ReadModelStore, *, pace: Pace | None = None, saved: Saved = _nobody) -> list[Keeper]:
    """A keeper of every read model, started."""
    keepers = [Keeper(store, books, model, pace=pace or Pace(), saved=saved) for model in MODELS]
    for keeper in keepers:
        keeper.start()
    return keepers
