"""A claim beside what the plays make: the first figure that differs, with the arithmetic of both sides and what it rests on."""

from collections.abc import Mapping

import msgspec

from events.cards import SEATS, Seat, other
from events.ruleset import Ruleset
from events.types import Bid, Line
from projections.claims.claim import FIGURES, Claim, ClaimedFigure, Figure, figure_of, winner_of
from projections.claims.endings import decided_by
from projections.claims.facts import Facts, Ledger, ScoredHand
from projections.claims.scoring_mistakes import bid_name
from projections.positions import Position
from projections.sheet import arithmetic, minus


class Difference(msgspec.Struct, frozen=True):
    """A figure that is claimed otherwise than the plays make it. `headline` says which and how, `ours` and `theirs`
    are the arithmetic of the two sides, `rests_on` the positions that show how it was, `message` all of it in one sentence."""

    hand: int | None
    seat: Seat | None
    figure: Figure
    claimed: int | str
    right: int | str
    ours: str
    theirs: str
    rests_on: tuple[str, ...]
    headline: str
    at: str = ""
    message: str = ""

    def __post_init__(self) -> None:
        places = f" ({', '.join(self.rests_on)})" if self.rests_on else ""
        msgspec.structs.force_setattr(self, "message", f"{self.headline}: {self.ours}{places}")


class Parting(msgspec.Struct, frozen=True):
    """Where two sheets part: the first hand, seat and figure that differ, the arithmetic of the plays (`ours`) and of the other
    sheet (`theirs`), and the position of the score."""

    hand: int
    seat: Seat
    figure: Figure
    ours: str
    theirs: str
    position: Position


def differences(facts: Facts, claim: Claim) -> list[Difference]:
    """Every figure claimed that differs, the first one first."""
    ledger = facts.ledger()
    found = []
    for said in sorted(claim, key=lambda said: said.order):
        right = _right(facts, ledger, said)
        if right != said.value:
            found.append(difference(facts, ledger, claim, said, right))
    return found


def _right(facts: Facts, ledger: Ledger, said: ClaimedFigure) -> Bid | str:
    if said.seat is None:
        return winner_of(facts.rules, facts, ledger)
    lines = ledger[said.seat]
    if not lines:
        return 0
    return figure_of(lines[-1 if said.hand is None else said.hand - 1], said.figure)


def difference(facts: Facts, ledger: Ledger, claim: Claim, said: ClaimedFigure, right: Bid | str) -> Difference:
    """The difference of a claimed figure from the `right` one; a hand it names is one of the `facts`."""
    rests_on = _rests_on(facts, said)
    if said.seat is None:
        who = "the end"
        ours = decided_by(facts.rules, facts, ledger)
        theirs = f"the winner is {said.value}"
    elif said.hand is None:
        who = f"the end, {said.seat}"
        ours, theirs = _running(ledger, said, right), f"{_named(said)}, {_off(said, right)}"
    else:
        who, at = f"hand {said.hand}, {said.seat}", said.hand - 1
        ours = _sum(facts.rules, said.figure, facts.hands[at], said.seat, *_before(ledger, said.seat, at))
        theirs = _their_sum(claim, said, right)
    headline = f"{who}: you have {_named(said)}, the plays make it {_value(said.figure, right)}"
    where = (said.hand, said.seat, said.figure, said.value, right)
    return Difference(*where, minus(ours), minus(theirs), rests_on, minus(headline), said.at)


def bare_difference(said: ClaimedFigure, right: Bid | str) -> Difference:
    """The difference of a figure where not every hand before it has a score, so that there is no whole sum to show."""
    where = "the end" if said.hand is None else f"hand {said.hand}"
    who = f", {said.seat}" if said.seat is not None else ""
    headline = f"{where}{who}: you have {_named(said)}, the plays make it {_value(said.figure, right)}"
    ours = f"{said.figure} {_value(said.figure, right)}, whatever the hands without a score brought"
    places = () if said.hand is None else (f"{said.hand}.s",)
    figures = (said.hand, said.seat, said.figure, said.value, right)
    return Difference(*figures, minus(ours), minus(f"{_named(said)}, {_off(said, right)}"), places, minus(headline), said.at)


def _named(said: ClaimedFigure) -> str:
    return f"{said.figure} {_value(said.figure, said.value)}"


def _value(figure: Figure, value: Bid | str) -> str:
    if figure == "bid":
        return bid_name(value)
    return f"{value:+}" if figure == "points" else str(value)


def _rests_on(facts: Facts, said: ClaimedFigure) -> tuple[str, ...]:
    """The positions that show a figure: where it was bid, the tricks taken, the score."""
    if said.hand is None or said.seat is None:
        return (facts.hands[-1].scored_at,) if facts.hands else ()
    hand = facts.hands[said.hand - 1]
    fact = hand.of(said.seat)
    tricks = [f"{hand.number}.{number}" for number in fact.taken] if said.figure == "tricks" else []
    score = [] if said.figure in ("bid", "tricks") and (fact.bid_at or tricks) else [hand.scored_at]
    bid = [fact.bid_at] if fact.bid_at and said.figure != "tricks" else []
    return (*bid, *tricks, *score)


def _before(ledger: Ledger, seat: Seat, at: int) -> tuple[tuple[int, int], Line]:
    lines = ledger[seat]
    return ((lines[at - 1].total, lines[at - 1].bags) if at else (0, 0)), lines[at]


def _sum(rules: Ruleset, figure: Figure, hand: ScoredHand, seat: Seat, before: tuple[int, int], line: Line) -> str:
    """How the plays make a figure."""
    fact = hand.of(seat)
    if figure == "bid":
        return f"{seat} bid {bid_name(fact.bid)}"
    if figure == "tricks":
        return f"{seat} took {fact.tricks}, {other(seat)} {hand.of(other(seat)).tricks}"
    return _line_sum(rules, figure, before, line)


def _line_sum(rules: Ruleset, figure: Figure, before: tuple[int, int], line: Line) -> str:
    steps = arithmetic(rules, before[1], line)
    if figure == "bags":
        steps.append(f"bags {before[1]} → {line.bags}" if line.penalty else f"bags {before[1]}+{line.new_bags} = {line.bags}")
    if figure == "total":
        fine = f" -{line.penalty}" if line.penalty else ""
        steps.append(f"{before[0]} {line.points:+}{fine} = {line.total}")
    return "; ".join(steps)


def _their_sum(claim: Claim, said: ClaimedFigure, right: Bid | str) -> str:
    """What the claim itself gives for its figure: the other figures of that hand, and how far it is off."""
    parts = []
    for figure in FIGURES:
        mine = next((s for s in claim if (s.hand, s.seat, s.figure) == (said.hand, said.seat, figure)), None)
        if mine is not None and mine is not said:
            parts.append(_named(mine))
    beside = f" beside {', '.join(parts)}" if parts else ""
    return f"{_named(said)}{beside}, {_off(said, right)}" if isinstance(right, int) else f"{_named(said)}{beside}"


def _off(said: ClaimedFigure, right: Bid | str) -> str:
    if not isinstance(right, int) or not isinstance(said.value, int):
        return _named(said)
    off = said.value - right
    return f"{abs(off)} too {'high' if off > 0 else 'low'}"


def _running(ledger: Ledger, said: ClaimedFigure, right: Bid | str) -> str:
    """The sum of all hands, for a figure of the end."""
    assert said.seat is not None
    lines = ledger[said.seat]
    if said.figure == "total":
        changes = " ".join(f"{line.points - line.penalty:+}" for line in lines)
        return f"{changes} = {right}" if lines else "no hand has been scored"
    return f"{said.figure} {_value(said.figure, right)} after hand {len(lines)}"


def parting(rules: Ruleset, ours: Ledger, theirs: Mapping[Seat, tuple[Line, ...]], other: Ruleset) -> Parting | None:
    """Where two sheets part: the first hand, seat and figure that differ, with the arithmetic of both; None if nowhere."""
    for at in range(len(ours["north"])):
        for seat in SEATS:
            if seat not in theirs or theirs[seat][at] == ours[seat][at]:
                continue
            for figure in FIGURES:
                right, wrong = (figure_of(lines[seat][at], figure) for lines in (ours, theirs))
                if right != wrong:
                    known: Figure = "total" if figure in ("bid", "tricks", "points") else figure
                    sums = [
                        _line_sum(ruleset, known, *_before({**ours, **lines}, seat, at))
                        for ruleset, lines in ((rules, ours), (other, dict(theirs)))
                    ]
                    return Parting(at + 1, seat, figure, minus(sums[0]), minus(sums[1]), f"{at + 1}.s")
    return None
