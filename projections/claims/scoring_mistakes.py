"""The slips people make when they keep a score, each as a small change of what was played or of one line of the sheet.

A slip yields the lines it leads to; whether a claim says the same is for the search to look at.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from events.cards import HAND_TRICKS, SEATS, Seat, other
from events.ruleset import Ruleset
from events.types import Bid, Line
from projections.claims.facts import Facts, Ledger, ScoredHand, scored
from projections.claims.people import people
from projections.scoring import score_hand
from projections.sheet import arithmetic

BIDS: Final[tuple[Bid, ...]] = (*range(14), "double_nil")


class Slip(msgspec.Struct, frozen=True):
    """One slip: a stable code, its cost (the smaller the simpler), what was done in words, and the lines it leads to, of the
    seats it touches. `hand` is None where it is made throughout; `rests_on` are the positions that show how it was, `really`;
    `rules` those its hand is scored by, None for the game's own.
    """

    code: str
    cost: int
    text: str
    lines: Ledger
    hand: int | None = None
    rests_on: tuple[str, ...] = ()
    really: str = ""
    rules: Ruleset | None = None


class Sheet:
    """The sheet as the plays make it, from which slips are made."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.rules: Ruleset = facts.rules
        self.who: dict[Seat, str] = people(facts.names)
        self.lines: Ledger = facts.ledger()
        self.played: dict[Seat, list[tuple[Bid, int]]] = {seat: facts.played(seat) for seat in SEATS}

    def before(self, seat: Seat, at: int) -> tuple[int, int]:
        """Total and bags before the hand of this index."""
        return (self.lines[seat][at - 1].total, self.lines[seat][at - 1].bags) if at else (0, 0)

    def other_facts(self, seat: Seat, at: int, bid: Bid, tricks: int) -> tuple[Line, ...]:
        """The seat's lines where hand `at` had this bid and these tricks."""
        return self.other_line(seat, at, score_hand(self.rules, *self.before(seat, at), bid, tricks))

    def other_line(self, seat: Seat, at: int, line: Line) -> tuple[Line, ...]:
        """The seat's lines where hand `at` was written down like this, and all that follows goes on from it."""
        rest = scored(self.rules, self.played[seat][at + 1 :], line.total, line.bags)
        return (*self.lines[seat][:at], line, *rest)


def slips(sheet: Sheet) -> Iterator[Slip]:
    """Every slip that is looked for but the adding errors, which depend on the claim."""
    yield from _throughout(sheet)
    for at, hand in enumerate(sheet.facts.hands):
        yield from _tricks(sheet, at, hand)
        for seat in SEATS:
            yield from _bags(sheet, at, hand, seat)
            yield from _failed_nil(sheet, at, hand, seat)
            yield from _bids(sheet, at, hand, seat)


def _throughout(sheet: Sheet) -> Iterator[Slip]:
    if not sheet.facts.hands:
        return
    swapped: Ledger = {seat: sheet.lines[other(seat)] for seat in SEATS}
    yield Slip("lines_swapped", 20, "the two players' lines are swapped throughout", swapped)
    for name, seats in (("both players'", SEATS), *((f"{sheet.who[seat]}'s", (seat,)) for seat in SEATS)):
        cost = 2 * (2 - len(seats))
        without = {seat: _without_points(sheet, seat) for seat in seats}
        yield Slip("bag_points_left_out", 22 + cost, f"the points of {name} bags are left out throughout", without)
        digits = {seat: _ones_digit(sheet, seat) for seat in seats}
        yield Slip("ones_digit", 33 + cost, f"the ones digit of {name} score is taken for the bags throughout", digits)


def _without_points(sheet: Sheet, seat: Seat) -> tuple[Line, ...]:
    total, lines = 0, []
    for line in sheet.lines[seat]:
        less = _bag_points(line)
        points = line.points - less
        total += points - line.penalty
        lines.append(msgspec.structs.replace(line, points=points, total=total))
    return tuple(lines)


def _bag_points(line: Line) -> int:
    """The points that the bags of a made bid bring."""
    return line.new_bags if isinstance(line.bid, int) and line.bid else 0


def _ones_digit(sheet: Sheet, seat: Seat) -> tuple[Line, ...]:
    total, lines = 0, []
    for bid, tricks in sheet.played[seat]:
        line = score_hand(sheet.rules, total, abs(total) % 10, bid, tricks)
        total = line.total
        lines.append(msgspec.structs.replace(line, bags=abs(total) % 10))
    return tuple(lines)


def _tricks(sheet: Sheet, at: int, hand: ScoredHand) -> Iterator[Slip]:
    """A trick given to the other seat, a trick missed, the lines of a hand swapped."""
    for seat in SEATS:
        mine, theirs = hand.of(seat), hand.of(other(seat))
        if not mine.tricks:
            continue
        places = (hand.scored_at,)
        really = f"{sheet.who['north']} took {hand.north.tricks} and {sheet.who['south']} {hand.south.tricks}"
        lost = sheet.other_facts(seat, at, mine.bid, mine.tricks - 1)
        if theirs.tricks < HAND_TRICKS:
            given = {seat: lost, other(seat): sheet.other_facts(other(seat), at, theirs.bid, theirs.tricks + 1)}
            text = f"a trick that {sheet.who[seat]} took is counted for {sheet.who[other(seat)]}"
            yield Slip("trick_to_other", 32, text, given, hand.number, places, really)
        text = f"a trick that {sheet.who[seat]} took is missing from the sheet"
        yield Slip("trick_missed", 34, text, {seat: lost}, hand.number, places, really)
    if hand.north.tricks + hand.south.tricks == 12:
        for seat in SEATS:
            more = sheet.other_facts(seat, at, hand.of(seat).bid, hand.of(seat).tricks + 1)
            text = f"a trick is missing from the sheet and {sheet.who[seat]} took it"
            really = "only 12 of 13 tricks are counted"
            yield Slip("trick_missing", 21, text, {seat: more}, hand.number, (hand.scored_at,), really)
    crossed = {seat: sheet.other_facts(seat, at, *sheet.played[other(seat)][at]) for seat in SEATS}
    yield Slip("hand_swapped", 33, "the two players' lines are swapped", crossed, hand.number, (hand.scored_at,))


def _bags(sheet: Sheet, at: int, hand: ScoredHand, seat: Seat) -> Iterator[Slip]:
    """What is done wrong with the penalty, the count and the points of bags."""
    line = sheet.lines[seat][at]
    full = sheet.before(seat, at)[1] + line.new_bags
    places = (hand.scored_at,)
    really = "; ".join(arithmetic(sheet.rules, sheet.before(seat, at)[1], line))

    def slip(code: str, cost: int, text: str, lines: tuple[Line, ...]) -> Slip:
        return Slip(code, cost, text, {seat: lines}, hand.number, places, really)

    if line.penalty:
        fine = line.penalty
        free = msgspec.structs.replace(line, penalty=0, total=line.total + fine)
        forgotten = sheet.other_line(seat, at, free)
        yield slip("penalty_forgotten", 26, f"{sheet.who[seat]}'s bag penalty is forgotten", forgotten)
        whole = msgspec.structs.replace(free, bags=full)
        text = f"{sheet.who[seat]}'s bag penalty is forgotten and the bags stay at {full}"
        yield slip("penalty_forgotten", 26, text, _going_on(sheet, seat, at, whole, full - line.bags))
        double = msgspec.structs.replace(line, penalty=2 * fine, total=line.total - fine)
        yield slip("penalty_twice", 27, f"{sheet.who[seat]}'s bag penalty is taken twice", sheet.other_line(seat, at, double))
        if at + 1 < len(sheet.lines[seat]):
            late = forgotten[at + 1]
            late = msgspec.structs.replace(late, penalty=late.penalty + fine, total=late.total - fine)
            text = f"{sheet.who[seat]}'s bag penalty is taken one hand late"
            rest = sheet.other_line(seat, at + 1, late)[at + 1 :]
            yield slip("penalty_late", 28, text, (*forgotten[: at + 1], *rest))
        kept = msgspec.structs.replace(line, bags=full)
        text = f"{sheet.who[seat]}'s bags stay at {full} after the penalty"
        yield slip("bags_not_reset", 29, text, _going_on(sheet, seat, at, kept, full - line.bags))
        yield slip("bags_not_reset", 29, f"{text} and cost another in the next hand", sheet.other_line(seat, at, kept))
    if line.bags:
        reset = msgspec.structs.replace(line, bags=0)
        after = " after the penalty" if line.penalty else ""
        text = f"{sheet.who[seat]}'s bags start again at 0{after}"
        yield slip("bags_reset", 30 if line.penalty else 31, text, sheet.other_line(seat, at, reset))
    if points := _bag_points(line):
        bare = msgspec.structs.replace(line, points=line.points - points, total=line.total - points)
        word = "bag is" if points == 1 else f"{points} bags are"
        text = f"the {'point' if points == 1 else 'points'} of {sheet.who[seat]}'s {word} left out"
        yield slip("hand_points_left_out", 35, text, sheet.other_line(seat, at, bare))


_FAILED_NIL: Final[dict[str, str]] = {
    "ignore": "are left out, neither bags nor points",
    "bags": "are counted as bags",
    "bags_and_points": "are counted as bags and a point each",
}


def _failed_nil(sheet: Sheet, at: int, hand: ScoredHand, seat: Seat) -> Iterator[Slip]:
    """The tricks of a failed nil counted in this one hand as another table counts them throughout (rules.md §7.4).

    Where it is the only failed nil of the game, that is the option of the whole game.
    """
    bid, tricks = sheet.played[seat][at]
    failed = sum(nil in (0, "double_nil") and taken > 0 for each in SEATS for nil, taken in sheet.played[each])
    if bid not in (0, "double_nil") or not tricks or failed < 2:
        return
    really = f"{_FAILED_NIL[sheet.rules.failed_nil].removeprefix('are ')} in this game (failed_nil={sheet.rules.failed_nil})"
    for way, done in _FAILED_NIL.items():
        if way == sheet.rules.failed_nil:
            continue
        rules = msgspec.structs.replace(sheet.rules, failed_nil=way)
        line = score_hand(rules, *sheet.before(seat, at), bid, tricks)
        text = f"the tricks of {sheet.who[seat]}'s failed {bid_name(bid)} {done}, in this hand alone"
        lines = {seat: sheet.other_line(seat, at, line)}
        yield Slip("failed_nil_once", 24, text, lines, hand.number, (hand.scored_at,), really, rules)


def _going_on(sheet: Sheet, seat: Seat, at: int, line: Line, more: int) -> tuple[Line, ...]:
    """The lines where the count goes on with `more` bags than it should have, up to the next penalty."""
    right = scored(sheet.rules, sheet.played[seat][at + 1 :], line.total, line.bags - more)
    lines = [*sheet.lines[seat][:at], line]
    for after in right:
        more = 0 if after.penalty else more
        lines.append(msgspec.structs.replace(after, bags=after.bags + more))
    return tuple(lines)


def bid_name(bid: Bid | str) -> str:
    """A bid as people say it."""
    return {0: "nil", "double_nil": "double nil"}.get(bid, str(bid))


def _bids(sheet: Sheet, at: int, hand: ScoredHand, seat: Seat) -> Iterator[Slip]:
    fact = hand.of(seat)
    places = tuple(place for place in (fact.bid_at, hand.scored_at) if place)
    for bid in BIDS:
        if bid == fact.bid:
            continue
        away = abs(bid - fact.bid) if isinstance(bid, int) and isinstance(fact.bid, int) else 2
        text = f"{sheet.who[seat]}'s bid of {bid_name(fact.bid)} is remembered as {bid_name(bid)}"
        lines = {seat: sheet.other_facts(seat, at, bid, fact.tricks)}
        yield Slip("bid_wrong", 36 + min(away, 13), text, lines, hand.number, places)


def adding_errors(sheet: Sheet, seat: Seat, delta: int, last: int, *, points: bool) -> Iterator[Slip]:
    """An error of `delta` points in adding up one of the hands up to index `last`: in the total, or in the hand's points, which
    is another thing only where `points` are claimed."""
    away = f"{abs(delta)} too {'high' if delta > 0 else 'low'}"
    for at, hand in enumerate(sheet.facts.hands[: last + 1]):
        line = sheet.lines[seat][at]
        total = msgspec.structs.replace(line, total=line.total + delta)
        text = f"{sheet.who[seat]}'s total is added up {away}"
        yield Slip("adding_error", 70, text, {seat: sheet.other_line(seat, at, total)}, hand.number, (hand.scored_at,))
        if not points:
            continue
        wrong = msgspec.structs.replace(total, points=line.points + delta)
        text = f"{sheet.who[seat]}'s points of the hand are added up {away}"
        lines = {seat: sheet.other_line(seat, at, wrong)}
        yield Slip("adding_error", 71, text, lines, hand.number, (hand.scored_at,))
