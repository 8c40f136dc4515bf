"""The job that looks at every game by the clock (service/games/overdue.py): what nobody claims or touches."""

import time
from collections.abc import Iterator
from typing import Final

import structlog

from service.games.overdue import sweep
from service.jobs.job_context import JobContext

SECONDS: Final = 40.0
"""How long one round looks at games; the next one begins with those that may still be played."""

log = structlog.get_logger("trickbook.jobs")


class Rounds:
    """Looks at all games, and never again at one whose end it has seen. It holds no more than their ids."""

    def __init__(self) -> None:
        self._over: set[str] = set()

    def look(self, bench: JobContext) -> None:
        """One round."""
        swept = sweep(bench.games, self._candidates(bench), bench.attend)
        self._over.update(swept.over)

    def _candidates(self, bench: JobContext) -> Iterator[str]:
        end = time.monotonic() + SECONDS
        for game in bench.store.games():
            if game in self._over:
                continue
            if time.monotonic() > end:
                log.warning("clocks_not_all_seen", seconds=SECONDS)
                return
            yield game
