"""``trickbook audit`` of many games: who is named while it runs, what is said at its end, and the exit code."""

import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from cli.bulk.forms import Form, form_of
from cli.bulk.inputs import Inputs
from cli.bulk.pool import Pool, WorkersDie, cores
from cli.bulk.tally import Tally
from cli.bulk.units import Grade, StoredUnit, Unit, UnitOutcome
from cli.failures import FAULT, FOUND_OTHERWISE, INTERRUPTED, NOT_TRUSTED, OK, UNREACHABLE, USAGE, code_of, worst
from cli.interruption import Interruption
from cli.progress import Bar
from cli.sources import opened
from cli.text import tell
from events.store import Unreachable
from projections.audit.findings import Receipts

_CODES: Final[dict[Grade, int]] = {
    "ok": OK,
    "text_bad": FOUND_OTHERWISE,
    "text_incomplete": FOUND_OTHERWISE,
    "unreadable": USAGE,
    "log_bad": NOT_TRUSTED,
    "missing": UNREACHABLE,
    "unreachable": UNREACHABLE,
    "fault": FAULT,
}


class BulkOptions:
    """How games are audited: `form` of the answer, processes (None for one a core), whether to stop at the first that is not
    OK, and which receipts are checked."""

    def __init__(self, form: str, jobs: int | None, *, fail_fast: bool, every_receipt: bool) -> None:
        self.form, self.jobs, self.fail_fast = form, jobs or cores(), fail_fast
        self.receipts: Receipts = "every" if every_receipt else "last"


def audit_store(data: Path | None, wish: BulkOptions) -> int:
    """Audits every game of the store, and every record from elsewhere that is kept in it; the exit code."""
    with opened(data) as store:
        stored = [StoredUnit(game) for game in sorted(store.games())]
        stored += [StoredUnit(game, imported=True) for game in sorted(store.imports())]
        inputs = Inputs((), lambda: sys.stdin.buffer, stored)
        return _Run(inputs, wish).run(inputs, store.url)


def audit_named(inputs: Inputs, units: Iterable[Unit], data: Path | None, wish: BulkOptions) -> int:
    """Audits the `units` of `inputs`, which may be some way into it already; the exit code."""
    if not inputs.has_stored:
        return _Run(inputs, wish).run(units, None)
    with opened(data) as store:
        return _Run(inputs, wish).run(units, store.url)


class _Run:
    """One run through many games."""

    def __init__(self, inputs: Inputs, wish: BulkOptions) -> None:
        self._inputs, self._wish = inputs, wish
        self._form: Form = form_of(wish.form)
        self._tally = Tally()
        self._weights: deque[int] = deque()
        self._done = 0
        self._interruption = Interruption()
        self._bar = Bar("auditing", quiet=self._form.is_its_own_progress)

    def run(self, units: Iterable[Unit], store_url: str | None) -> int:
        """The exit code, once everything has been said."""
        begun = time.monotonic()
        ended, code = "", OK
        interruption = self._interruption
        with interruption, Pool(self._wish.jobs, store_url, self._wish.receipts) as pool:
            try:
                for found in pool.outcomes(self._weighed(units), self._tick):
                    with interruption.shielded():
                        self._tell(found)
                    if self._wish.fail_fast and found.grade != "ok":
                        ended = "stopped"
                        break
            except KeyboardInterrupt:
                ended, code = "interrupted", INTERRUPTED
                with interruption.shielded():
                    for found in pool.left_over():
                        self._tell(found)
            except (Unreachable, WorkersDie) as error:
                self._bar.close()
                tell(f"trickbook: {error}")
                ended, code = "broken off", code_of(error) or FAULT
            with interruption.shielded():
                self._bar.close()
                self._form.end(self._tally, self._summary(ended, time.monotonic() - begun))
        return worst(code, *(_CODES[grade] for grade in self._tally.grades))

    def _weighed(self, units: Iterable[Unit]) -> Iterator[Unit]:
        for unit in units:
            self._weights.append(unit.weight)
            yield unit

    def _tell(self, found: UnitOutcome) -> None:
        self._tally.add(found)
        self._done += self._weights.popleft()
        if self._form.disturbs(found):
            self._bar.close()
        self._form.one(found)
        self._draw()

    def _tick(self) -> None:
        with self._interruption.shielded():
            self._draw()

    def _draw(self) -> None:
        tally = self._tally
        bad = f", {tally.incomplete:,} INCOMPLETE" if tally.incomplete else ""
        bad += f", {tally.bad:,} BAD" if tally.bad else ""
        bad += f", {tally.not_audited:,} not checked" if tally.not_audited else ""
        self._bar.tick(self._done, self._inputs.weight, f"{self._of()}{bad}")

    def _of(self) -> str:
        """``512 of 2,000 games``."""
        total, exact = self._inputs.total, self._inputs.is_exact
        return f"{self._tally.games:,} of {'' if exact else 'at least '}{total:,} game{'' if total == 1 else 's'}"

    def _summary(self, ended: str, seconds: float) -> str:
        tally = self._tally
        begun = f"{ended} after {self._of()}" if ended else f"{tally.games:,} game{'' if tally.games == 1 else 's'} checked"
        if not tally.games and not ended:
            return "there are no games to check"
        counts = [f"{tally.ok:,} OK"] if tally.ok < tally.games or not tally.games else ["all OK"]
        counts += [f"{tally.incomplete:,} INCOMPLETE"] if tally.incomplete else []
        counts += [f"{tally.bad:,} BAD"] if tally.bad else []
        counts += [f"{tally.not_audited:,} NOT CHECKED"] if tally.not_audited else []
        return f"{begun} in {seconds:.1f} s: {', '.join(counts)}"
