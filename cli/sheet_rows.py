"""The score sheet as rows for a spreadsheet: one a hand and seat."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from cli.output import csv_line
from events.cards import SEATS, Seat
from events.printable import printable
from events.types import Event, PlayerJoined
from projections.sheet import rows

COLUMNS: Final = ("hand", "seat", "player", "bid", "tricks", "points", "new_bags", "penalty", "total", "bags")
"""`points` is before the penalty; `total` and `bags` are those after the hand. A bid of 0 is nil."""


def names_of(events: Iterable[Event]) -> dict[Seat, str]:
    """The names of the players who have joined."""
    return {event.data.seat: event.data.name for event in events if isinstance(event.data, PlayerJoined)}


def sheet_rows(events: Sequence[Event], names: Mapping[Seat, str]) -> list[list[Any]]:
    """A row a hand and seat under `COLUMNS`, hands in order and north first."""
    found: list[list[Any]] = []
    for row in rows(events):
        for seat in SEATS:
            line = row.lines[seat]
            points = (line.points, line.new_bags, line.penalty, line.total, line.bags)
            found.append([row.hand, seat, names.get(seat, ""), line.bid, line.tricks, *points])
    return found


def csv_text(headings: Sequence[str], found: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV (RFC 4180 with LF), headings first; a text is escaped, and no formula."""
    escaped = ([printable(cell) if isinstance(cell, str) else cell for cell in row] for row in found)
    return "".join(f"{csv_line(row)}\n" for row in (headings, *escaped))
