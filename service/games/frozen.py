"""The games whose history was lost, as this process knows them: read from the store now and then, never for a move."""

import threading
import time
from collections.abc import Callable
from typing import Final

import msgspec
import structlog

from events.store import BadEntry, GameStore, Unreachable
from projections.view_types import LostHistory, View

REFRESH_SECONDS: Final = 1.0
"""How old the set may be; a move needs none of it, because the append itself refuses a frozen game."""

log = structlog.get_logger("trickbook.history")


class FrozenGames:
    """Safe between threads. `clock` is a monotonic one, in seconds."""

    def __init__(self, store: GameStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._ids: frozenset[str] = frozenset()
        self._due = float("-inf")

    def ids(self) -> frozenset[str]:
        """The ids of all frozen games, at most `REFRESH_SECONDS` old while the store answers."""
        if self._clock() >= self._due and self._lock.acquire(blocking=self._due == float("-inf")):
            try:
                if self._clock() >= self._due:
                    self._ids, self._due = self._store.frozen_games(), self._clock() + REFRESH_SECONDS
            except Unreachable as error:
                log.warning("frozen_games_not_read", reason=str(error))
            finally:
                self._lock.release()
        return self._ids

    def forget(self) -> None:
        """Reads them again at the next look."""
        self._due = float("-inf")

    def shown(self, game: str, view: View) -> View:
        """A view as it is shown: of a frozen game nobody is on turn, no clock runs, and `frozen` is the version it once had.

        Raises `Unreachable`.
        """
        if game not in self.ids():
            return view
        try:
            proof = self._store.frozen(game)
        except BadEntry:
            proof = None
        still = view.you and msgspec.structs.replace(view.you, legal=(), unplayable=None)
        lost = LostHistory(proof.version if proof else view.version)
        return msgspec.structs.replace(view, turn=None, deadline=None, you=still, frozen=lost)
