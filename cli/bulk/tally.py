"""What many audits come to: how many were fine, which were not, as far as they fit in a summary."""

from collections import Counter
from typing import Any, Final

from cli.bulk.units import Grade, UnitOutcome

NAMED: Final = 20
"""So many of those that are not fine are kept for the summary; all of them were told when they were found."""


class Tally:
    """The count so far; `named` are the first outcomes that were not fine, without what was checked."""

    def __init__(self) -> None:
        self.grades: Counter[Grade] = Counter()
        self.named: list[UnitOutcome] = []

    def add(self, found: UnitOutcome) -> None:
        """Counts one."""
        self.grades[found.grade] += 1
        if found.grade != "ok" and len(self.named) < NAMED:
            few = {**found.answer, "findings": found.findings[:1]} if found.findings else found.answer
            self.named.append(UnitOutcome(found.name, found.grade, few))

    @property
    def games(self) -> int:
        """How many were told, whatever came of them."""
        return self.grades.total()

    @property
    def ok(self) -> int:
        """How many are fine."""
        return self.grades["ok"]

    @property
    def bad(self) -> int:
        """How many have a finding."""
        return self.grades["log_bad"] + self.grades["text_bad"]

    @property
    def incomplete(self) -> int:
        """How many text records state a figure that could not be checked, or nothing that can be."""
        return self.grades["text_incomplete"]

    @property
    def not_audited(self) -> int:
        """How many could not be audited."""
        return self.games - self.ok - self.incomplete - self.bad

    def data(self) -> dict[str, Any]:
        """The counts as JSON values."""
        return {
            "games": self.games,
            "ok": self.ok,
            "incomplete": self.incomplete,
            "bad": self.bad,
            "not_audited": self.not_audited,
        }
