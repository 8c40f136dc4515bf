"""The whole score sheet counted again from bids and cards alone, by the audit's own sums: what a correction is held against.

It looks at no recorded score.
"""

from collections.abc import Iterable, Sequence

import msgspec

from events.cards import SEATS, Seat
from events.ruleset import STANDARD, Ruleset
from events.types import Bid, BidPlaced, CardPlayed, DoubleNilBid, Event, GameCreated, HandScored, HandStarted, Line
from projections.audit import tally


class Recount:
    """The lines of both seats, one a scored hand, as bids and plays make them from the first hand on."""

    def __init__(self, rules: Ruleset = STANDARD) -> None:
        self.rules = rules
        self.lines: dict[Seat, list[Line]] = {"north": [], "south": []}

    def hand(self, bids: dict[Seat, Bid], plays: Sequence[CardPlayed]) -> None:
        """The next hand."""
        tricks = tally.taken(plays)
        for seat in SEATS:
            before = self.lines[seat][-1] if self.lines[seat] else None
            total, bags = (0, 0) if before is None else (before.total, before.bags)
            found = tally.add_up(self.rules, total, bags, bids[seat], tricks[seat])
            line = Line(bids[seat], tricks[seat], found.points, found.new_bags, found.penalty, found.total, found.bags)
            self.lines[seat].append(line)


def recount(events: Iterable[Event]) -> Recount:
    """The sheet of a log that is in order."""
    found = Recount()
    bids: dict[Seat, Bid] = {}
    plays: list[CardPlayed] = []
    for event in events:
        match event.data:
            case GameCreated(rules=rules):
                found = Recount(msgspec.convert(rules, Ruleset))
            case HandStarted():
                bids, plays = {}, []
            case DoubleNilBid(seat=seat):
                bids[seat] = "double_nil"
            case BidPlaced(seat=seat, tricks=tricks):
                bids[seat] = tricks
            case CardPlayed():
                plays.append(event.data)
            case HandScored():
                found.hand(bids, plays)
            case _:
                pass
    return found
