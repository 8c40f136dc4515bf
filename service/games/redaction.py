"""The hidden names as this process knows them: read from the operator's journal now and then, never for each move."""

import threading
import time
from collections.abc import Callable
from typing import Final

import msgspec
import structlog

from events.store import BadEntry, GameStore, Unreachable
from projections import hiding
from projections.table import Table
from service.games.loaded_game import LoadedGame

REFRESH_SECONDS: Final = 5.0
"""How old the names may be: what was hidden is shown nowhere any more after so long."""

log = structlog.get_logger("trickbook.hidden")


class HiddenNames:
    """Safe between threads: one of them reads the journal on, the others go on with what is known.

    `clock` is a monotonic one, in seconds.
    """

    def __init__(self, store: GameStore, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._read = 0
        self._names: frozenset[str] = frozenset()
        self._due = float("-inf")

    def names(self) -> frozenset[str]:
        """The hidden names, at most `REFRESH_SECONDS` old while the store answers."""
        if self._clock() >= self._due and self._lock.acquire(blocking=self._read_never):
            try:
                self._refresh()
            finally:
                self._lock.release()
        return self._names

    @property
    def _read_never(self) -> bool:
        return self._due == float("-inf")

    def _refresh(self) -> None:
        if self._clock() < self._due:
            return
        first, self._due = self._read_never, self._clock() + REFRESH_SECONDS
        try:
            notes = self._store.notes(self._read)
        except BadEntry as error:  # people play on, whatever somebody wrote there
            log.error("journal_damaged", reason=str(error))  # noqa: TRY400 - the sentence says it all
            return
        except Unreachable as error:
            log.warning("journal_not_read", reason=str(error))
            if first:
                self._due = float("-inf")
                raise
            return
        self._names = hiding.hidden_by(notes, self._names)
        self._read += len(notes)

    def name(self, name: str) -> str:
        """The name as it is shown to people."""
        return hiding.shown(name, self.names())

    def table(self, table: Table) -> Table:
        """The table as it is shown to people; what is decided on it is the same."""
        shown = hiding.shown_table(table.open, self.names())
        return table if shown is table.open else table.but(open=shown)

    def live(self, live: LoadedGame) -> LoadedGame:
        """The game as it is shown to people."""
        table = self.table(live.table)
        return live if table is live.table else msgspec.structs.replace(live, table=table)
