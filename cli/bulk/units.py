"""What goes to a process that audits and what comes back: one game, and what was found of it. Plain values, no pickles."""

from typing import Any, Final, Literal

import msgspec

from projections.audit.findings import Receipts

Grade = Literal["ok", "log_bad", "text_bad", "text_incomplete", "unreadable", "missing", "unreachable", "fault"]
"""How it went: fine; a log that cannot be trusted; something wrong in a text record, or a stated figure of it that could not be
checked; no record of a game; nothing there;
the store did not answer; it could not be audited for a reason of our own."""

STORED_WEIGHT: Final = 250_000
"""What a stored game counts for beside records, whose weight is their bytes: only progress is told by it."""

MOST_JOBS: Final = 256
"""The most processes that audit side by side."""


class RecordUnit(msgspec.Struct, frozen=True, tag="record"):
    """A record as its bytes; `line` (from 1) is where it begins in what it was read from."""

    name: str
    raw: bytes
    line: int = 1

    @property
    def weight(self) -> int:
        """Its share of the work."""
        return len(self.raw)


class TextUnit(msgspec.Struct, frozen=True, tag="text"):
    """A text record as its bytes."""

    name: str
    raw: bytes

    @property
    def weight(self) -> int:
        """Its share of the work."""
        return len(self.raw)


class StoredUnit(msgspec.Struct, frozen=True, tag="stored"):
    """A game of the store by its id; with `imported`, the record from elsewhere that is kept under that id."""

    name: str
    imported: bool = False

    @property
    def weight(self) -> int:
        """Its share of the work."""
        return STORED_WEIGHT


class UnreadUnit(msgspec.Struct, frozen=True, tag="unread"):
    """Something named that could not be read, and why; `missing` if there is nothing of that name."""

    name: str
    message: str
    missing: bool = False
    weight: int = 0


Unit = RecordUnit | TextUnit | StoredUnit | UnreadUnit


class UnitOutcome(msgspec.Struct, frozen=True):
    """What was found of one game. `answer` is what the audit says as JSON values, with ``game`` and ``from`` before it; where
    there was no audit it has ``verdict`` "unreadable" and the ``message``."""

    name: str
    grade: Grade
    answer: dict[str, Any]

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The findings in the order of the log, as JSON values."""
        found: list[dict[str, Any]] = self.answer.get("findings", [])
        return found

    @property
    def message(self) -> str:
        """Why it was not audited, empty where it was."""
        said: str = self.answer.get("message", "")
        return said


def not_audited(name: str, grade: Grade, message: str) -> UnitOutcome:
    """The outcome of what could not be audited."""
    return UnitOutcome(name, grade, {"game": None, "from": name, "verdict": "unreadable", "message": message})


class AuditOrders(msgspec.Struct, frozen=True):
    """The first message to a process that audits: whose child it is (a pid), the store to read from, if any, and which
    receipts it checks."""

    parent: int
    store: str | None = None
    receipts: Receipts = "last"
