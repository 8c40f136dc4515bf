"""The score sheet: every scored hand as it is in force, with the arithmetic of each line in the way people write it.

That is as it was recorded, or as a later correction put it right (docs/spec/additions.md).
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from events.cards import SEATS, Seat
from events.ruleset import Ruleset
from events.types import Event, GameCreated, HandScored, Line, ScoreCorrected, Totals
from projections.fold import Impossible, apply
from projections.table import Result, Scored, Table, empty


def minus(text: str) -> str:
    """The text with real minus signs."""
    return text.replace("-", "−")


def arithmetic(rules: Ruleset, before_bags: int, line: Line) -> list[str]:
    """How a recorded line comes about (rules.md §7), a piece of arithmetic an entry."""
    steps: list[str] = []
    if line.bid == 0 or line.bid == "double_nil":
        name = "double nil" if line.bid == "double_nil" else "nil"
        value = rules.double_nil_value if line.bid == "double_nil" else rules.nil_value
        steps.append(
            f"{name} {'made' if line.tricks == 0 else 'failed'} = {minus(f'{value if line.tricks == 0 else -value:+}')}"
        )
        if line.tricks and rules.failed_nil == "bags_and_points":
            steps.append(f"+{line.tricks} for the tricks = {minus(f'{line.points:+}')}")
    elif line.tricks < line.bid:
        steps.append(f"set: {minus(f'-{line.bid}')}×10 = {minus(f'{line.points:+}')}")
    elif line.new_bags:
        steps.append(f"{line.bid}×10 +{line.new_bags} bag{'s' if line.new_bags > 1 else ''} = {line.points:+}")
    else:
        steps.append(f"{line.bid}×10 = {line.points:+}")
    if line.penalty:
        steps.append(f"bags {before_bags}+{line.new_bags} = {before_bags + line.new_bags} → −{line.penalty}")
    return steps


class SheetLine(Line, frozen=True, kw_only=True):
    """A line of a hand's score with its arithmetic, a piece an entry."""

    lines: tuple[str, ...]


class SheetHand(msgspec.Struct, frozen=True):
    """One scored hand as an answer."""

    hand: int
    north: SheetLine
    south: SheetLine


class CorrectedLine(msgspec.Struct, frozen=True, kw_only=True):
    """What a correction changed: its version, hand and seat, the old line and the new, and why."""

    version: int
    hand: int
    seat: Seat
    old: Line
    new: Line
    why: str


class ScoreSheet(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Every scored hand, the totals, how play ended and what was corrected."""

    hands: tuple[SheetHand, ...]
    totals: Totals
    result: Result | None = None
    corrections: tuple[CorrectedLine, ...] | None = None
    imported: Literal[True] | None = None


class SheetRow(msgspec.Struct, frozen=True):
    """One scored hand: its lines and their arithmetic; `before` are the totals and bags before it. `version` is that of its
    `hand_scored`."""

    hand: int
    version: int
    lines: dict[Seat, Line]
    arithmetic: dict[Seat, list[str]]
    before: dict[Seat, tuple[int, int]]


def rows(events: Iterable[Event]) -> list[SheetRow]:
    """The scored hands of a log, in order; of one that cannot be folded whole as they were recorded."""
    log = tuple(events)
    if any(isinstance(event.data, ScoreCorrected) for event in log):
        table = empty("")
        try:
            for event in log:
                table = apply(table, event)
            return _rows(table.open.rules, table.open.scores)
        except Impossible:
            pass
    rules: Ruleset | None = None
    scores: list[Scored] = []
    for event in log:
        data = event.data
        if isinstance(data, GameCreated):
            rules = msgspec.convert(data.rules, Ruleset)
        elif isinstance(data, HandScored):
            played = ((data.north.bid, data.north.tricks), (data.south.bid, data.south.tricks))
            scores.append(Scored(data.hand, event.seq, data.north, data.south, played))
    return [] if rules is None else _rows(rules, scores)


def _rows(rules: Ruleset, scores: Iterable[Scored]) -> list[SheetRow]:
    found: list[SheetRow] = []
    before: dict[Seat, tuple[int, int]] = {"north": (0, 0), "south": (0, 0)}
    for scored in scores:
        lines: dict[Seat, Line] = {"north": scored.north, "south": scored.south}
        sums = {seat: arithmetic(rules, before[seat][1], lines[seat]) for seat in SEATS}
        found.append(SheetRow(scored.hand, scored.version, lines, sums, before))
        before = {seat: (lines[seat].total, lines[seat].bags) for seat in SEATS}
    return found


def corrections(events: Iterable[Event]) -> list[CorrectedLine]:
    """What was corrected, in order."""
    return [
        CorrectedLine(version=event.seq, hand=data.hand, seat=data.seat, old=data.old, new=data.new, why=data.why)
        for event in events
        if isinstance(data := event.data, ScoreCorrected)
    ]


def sheet(events: Iterable[Event], table: Table) -> ScoreSheet:
    """The score sheet as an answer (design §4): the lines in force, and what was corrected."""
    o = table.open
    hands = [SheetHand(row.hand, *(_line(row, seat) for seat in SEATS)) for row in _rows(o.rules, o.scores)]
    totals = Totals(o.north.total, o.south.total)
    return ScoreSheet(hands=tuple(hands), totals=totals, result=o.result, corrections=tuple(corrections(events)) or None)


def _line(row: SheetRow, seat: Seat) -> SheetLine:
    return SheetLine(**msgspec.structs.asdict(row.lines[seat]), lines=tuple(row.arithmetic[seat]))
