"""The score sheet: every scored hand as it was recorded, with the arithmetic of each line in the way people write it."""

from collections.abc import Iterable
from typing import Any

import msgspec

from events.cards import SEATS, Seat
from events.ruleset import Ruleset
from events.types import Event, GameCreated, HandScored, Line
from projections.table import Table


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


class Row(msgspec.Struct, frozen=True):
    """One scored hand: the recorded lines and their arithmetic; `before` are the totals and bags before it."""

    hand: int
    version: int
    lines: dict[Seat, Line]
    arithmetic: dict[Seat, list[str]]
    before: dict[Seat, tuple[int, int]]


def rows(events: Iterable[Event]) -> list[Row]:
    """The scored hands of a log, in order."""
    found: list[Row] = []
    rules: Ruleset | None = None
    before: dict[Seat, tuple[int, int]] = {"north": (0, 0), "south": (0, 0)}
    for event in events:
        data = event.data
        if isinstance(data, GameCreated):
            rules = msgspec.convert(data.rules, Ruleset)
        elif isinstance(data, HandScored) and rules is not None:
            lines: dict[Seat, Line] = {"north": data.north, "south": data.south}
            sums = {seat: arithmetic(rules, before[seat][1], lines[seat]) for seat in SEATS}
            found.append(Row(data.hand, event.seq, lines, sums, before))
            before = {seat: (lines[seat].total, lines[seat].bags) for seat in SEATS}
    return found


def sheet(events: Iterable[Event], table: Table) -> dict[str, Any]:
    """The score sheet as an answer (design §4). Points and bags are those recorded."""
    hands = [
        {"hand": row.hand} | {seat: msgspec.to_builtins(row.lines[seat]) | {"lines": row.arithmetic[seat]} for seat in SEATS}
        for row in rows(events)
    ]
    o = table.open
    answer: dict[str, Any] = {"hands": hands, "totals": {"north": o.north.total, "south": o.south.total}}
    if o.result is not None:
        answer["result"] = msgspec.to_builtins(o.result)
    return answer
