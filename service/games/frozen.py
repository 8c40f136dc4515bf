"""The games whose history was lost, as this process knows them: read from the store now and then, never for a move."""

import threading
import time
from collections.abc import Callable
from typing import Final

import msgspec
import structlog

from events.store import BadEntry, FrozenGame, GameStore, Unreachable
from projections.view_types import LostHistory, View

REFRESH_SECONDS: Final = 1.0
"""How old the set may be; a move needs none of it, because the append itself refuses a frozen game."""

log = structlog.get_logger("trickbook.history")


class FrozenGames:
    """Safe between threads. `clock` is a monotonic one, in seconds. With `wakes` a game that freezes or thaws wakes those who
    wait for it."""

    def __init__(self, store: GameStore, clock: Callable[[], float] = time.monotonic, *, wakes: bool = False) -> None:
        self._store = store
        self._wakes = wakes
        self._clock = clock
        self._lock = threading.Lock()
        self._ids: frozenset[str] = frozenset()
        self._due = float("-inf")

    def ids(self) -> frozenset[str]:
        """The ids of all frozen games, at most `REFRESH_SECONDS` old while the store answers."""
        if self._clock() >= self._due and self._lock.acquire(blocking=self._due == float("-inf")):
            try:
                if self._clock() >= self._due:
                    before, self._ids = self._ids, self._store.frozen_games()
                    self._due = self._clock() + REFRESH_SECONDS
                    if self._wakes and (changed := before ^ self._ids):
                        self._store.disturb(changed)
            except Unreachable as error:
                log.warning("frozen_games_not_read", reason=str(error))
            finally:
                self._lock.release()
        return self._ids

    def forget(self) -> None:
        """Reads them again at the next look."""
        self._due = float("-inf")

    def proof(self, game: str) -> FrozenGame | None:
        """What proves that the game's history was lost, None where it is not frozen. Raises `Unreachable`."""
        if game not in self.ids():
            return None
        try:
            found = self._store.frozen(game)
        except BadEntry:
            return FrozenGame(0, "")
        if found is None:
            self.forget()
        return found


def frozen_view(view: View, proof: FrozenGame | None) -> View:
    """A view as it is shown: where there is a proof nobody is on turn, no clock runs, and `frozen` is the version there was."""
    if proof is None:
        return view
    still = view.you and msgspec.structs.replace(view.you, legal=(), unplayable=None)
    lost = LostHistory(proof.version or view.version)
    return msgspec.structs.replace(view, turn=None, deadline=None, you=still, frozen=lost)
