"""The facts a score rests on: the rules, and of each scored hand the bids and the tricks, each with the position that shows it.

They are taken from the plays, never from the recorded score, so that a claim is compared with what was played.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from events.cards import HAND_TRICKS, SEATS, Seat
from events.ruleset import STANDARD, Ruleset
from events.types import (
    Bid,
    BidPlaced,
    CardKept,
    CardPlayed,
    CardsExchanged,
    DoubleNilBid,
    Event,
    HandScored,
    HandStarted,
    Line,
    Looked,
)
from projections.fold import Impossible, apply
from projections.positions import of
from projections.scoring import score_hand
from projections.table import Result, Table, empty


class Fact(msgspec.Struct, frozen=True):
    """What one seat did in a hand: `bid_at` is the position of the bid, `taken` the numbers of the tricks it took, empty
    where only their count is known."""

    bid: Bid
    tricks: int
    bid_at: str = ""
    taken: tuple[int, ...] = ()


class ScoredHand(msgspec.Struct, frozen=True):
    """A scored hand."""

    number: int
    north: Fact
    south: Fact

    def of(self, seat: Seat) -> Fact:
        """The facts of a seat."""
        return self.north if seat == "north" else self.south

    @property
    def scored_at(self) -> str:
        """The position of its score."""
        return f"{self.number}.s"


class Wait(msgspec.Struct, frozen=True):
    """How long a seat took over a move, in ms; `scored` is the number of hands scored before it."""

    seat: Seat
    position: str
    ms: int
    scored: int


Ledger = dict[Seat, tuple[Line, ...]]
"""The lines of both seats, one a hand, in order."""


class Facts(msgspec.Struct, frozen=True):
    """A game as its score sees it. `rules_at` says where the rules stand; `result` is how play ended, None while it goes on."""

    rules: Ruleset = STANDARD
    hands: tuple[ScoredHand, ...] = ()
    result: Result | None = None
    rules_at: str = "event 1"
    waits: tuple[Wait, ...] = ()
    names: dict[Seat, str] = {}

    def ledger(self, rules: Ruleset | None = None) -> Ledger:
        """The lines that the plays make, under the game's rules or others."""
        return {seat: scored(rules or self.rules, self.played(seat)) for seat in SEATS}

    def played(self, seat: Seat) -> list[tuple[Bid, int]]:
        """Bid and tricks of a seat, hand by hand."""
        return [(hand.of(seat).bid, hand.of(seat).tricks) for hand in self.hands]


def scored(rules: Ruleset, played: Sequence[tuple[Bid, int]], total: int = 0, bags: int = 0) -> tuple[Line, ...]:
    """The lines of a seat's bids and tricks, from a total and a count of bags on."""
    lines = []
    for bid, tricks in played:
        line = score_hand(rules, total, bags, bid, tricks)
        total, bags = line.total, line.bags
        lines.append(line)
    return tuple(lines)


_MOVES = (Looked, DoubleNilBid, CardKept, CardsExchanged, BidPlaced, CardPlayed)


Moved = tuple[Table, Event, Table]
"""An event with the table before it and the table after it."""


def facts_of(events: Iterable[Event], rules_at: str = "event 1") -> Facts:
    """The facts of a log, as far as it can be folded."""
    return facts_from(_folded(events), rules_at)


def _folded(events: Iterable[Event]) -> Iterator[Moved]:
    table = empty("")
    for event in events:
        try:
            after = apply(table, event)
        except Impossible:
            return
        yield table, event, after
        table = after


def facts_from(walked: Iterable[Moved], rules_at: str = "event 1") -> Facts:
    """The facts of a log that has been folded already; a draft turn may be one event of it."""
    after = empty("")
    hands: list[ScoredHand] = []
    waits: list[Wait] = []
    bids: dict[Seat, tuple[Bid, str]] = {}
    taken: dict[Seat, list[int]] = {"north": [], "south": []}
    for before, event, after in walked:
        data, o = event.data, before.open
        place = of(o, event)
        if isinstance(data, _MOVES):
            waits.append(Wait(data.seat, place, event.at - o.played_at, len(hands)))
        match data:
            case HandStarted():
                bids, taken = {}, {"north": [], "south": []}
            case DoubleNilBid():
                bids[data.seat] = ("double_nil", place)
            case BidPlaced():
                bids[data.seat] = (data.tricks, place)
            case CardPlayed() if o.trick is not None and len(o.trick.cards) == 1 and after.open.last_trick is not None:
                winner = after.open.last_trick.winner
                assert winner is not None
                taken[winner].append(o.trick.number)
            case HandScored():
                hands.append(_hand(data, bids, taken))
            case _:
                pass
    o = after.open
    return Facts(o.rules, tuple(hands), o.result, rules_at, tuple(waits), _names(after))


def _hand(data: HandScored, bids: dict[Seat, tuple[Bid, str]], taken: dict[Seat, list[int]]) -> ScoredHand:
    whole = len(taken["north"]) + len(taken["south"]) == HAND_TRICKS
    found = []
    for seat in SEATS:
        line: Line = data.north if seat == "north" else data.south
        tricks = tuple(taken[seat]) if whole else ()
        bid, place = bids.get(seat, (line.bid, ""))
        found.append(Fact(bid, len(tricks) if whole else line.tricks, place, tricks))
    return ScoredHand(data.hand, *found)


def _names(table: Table) -> dict[Seat, str]:
    return {seat: table.open.player(seat).name for seat in SEATS if table.open.player(seat).seated}
