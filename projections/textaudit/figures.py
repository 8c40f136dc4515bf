"""Judges the figures of a sheet one by one: each is right, wrong, or cannot be checked for a reason that names the hand.

Nothing here trusts a stated figure: only bids and tricks count. A hand without them leaves totals unknown from there on, but
not the changes of later hands, unless the bags before them decide about a penalty.
"""

from collections.abc import Iterator, Sequence

import msgspec

from events.cards import SEATS, Seat, other
from events.ruleset import Ruleset
from events.types import Bid
from projections.claims.claim import ClaimedFigure, Figure
from projections.scoring import outcome, score_hand
from projections.textaudit.hand_facts import HandFacts
from projections.textrecord.game import End

BIDS: tuple[Bid, ...] = (*range(14), "double_nil")
NO_HAND = "no hand is given"
_MOST_STATES = 400
"""So many pairs of total and bags are followed; beyond them the totals are unknown."""

State = tuple[int | None, int | None]
"""A total and a count of bags; None where it is not known."""


class Judgement(msgspec.Struct, frozen=True):
    """A stated figure: `right` is what bids and tricks give, None where that is not known; then `reason` says why."""

    figure: ClaimedFigure
    right: Bid | str | None
    reason: str = ""

    @property
    def checked(self) -> bool:
        """Whether the figure was computed."""
        return self.right is not None

    @property
    def wrong(self) -> bool:
        """Whether the figure was computed and is another one."""
        return self.right is not None and self.right != self.figure.value


class SheetFigures:
    """Every figure that the hands of a sheet give, as the values it can have."""

    def __init__(self, rules: Ruleset, hands: Sequence[HandFacts], end: End | None) -> None:
        self.rules, self.hands, self.end = rules, tuple(hands), end
        self._lines: dict[tuple[int, Bid, int], tuple[int, int]] = {}
        self._changes: dict[tuple[int, Seat], frozenset[int]] = {}
        self._after: dict[tuple[int, Seat], frozenset[State]] = {}
        for seat in SEATS:
            states: frozenset[State] = frozenset({(0, 0)})
            for hand in self.hands:
                bids = (hand.bids[seat],) if seat in hand.bids else BIDS
                before = states
                states, changes = self._after_hand(before, bids, sorted(hand.taken(seat)))
                self._changes[hand.number, seat], self._after[hand.number, seat] = changes, states

    @property
    def counting(self) -> tuple[HandFacts, ...]:
        """The hands that count at the end: all but a last one that is still played, or in which play stopped."""
        last = self.hands[-1] if self.hands else None
        return self.hands[:-1] if last is not None and not last.scored and (last.open or last.stopped) else self.hands

    def judge(self, figure: ClaimedFigure) -> Judgement:
        """The judgement of one figure; it may name only hands that the sheet has."""
        if figure.seat is None:
            return self._winner(figure)
        if figure.hand is None:
            return self._at_end(figure, figure.seat)
        hand = self.hands[figure.hand - 1]
        if figure.figure in ("bid", "tricks"):
            return _fact(figure, hand, figure.seat)
        if hand.last and not hand.scored and hand.stopped:
            return Judgement(figure, None, hand.lacks(figure.seat) or hand.lacks())
        values = self._values(hand.number, figure.seat, figure.figure)
        if values is not None and len(values) == 1:
            return Judgement(figure, next(iter(values)))
        own = hand.lacks(figure.seat)
        if figure.figure == "points" and not own and values and figure.value not in values:
            return Judgement(figure, _nearest(values, figure.value))
        return Judgement(figure, None, own or self._before(hand.number, figure.seat))

    def _after_hand(
        self, states: frozenset[State], bids: Sequence[Bid], tricks: Sequence[int]
    ) -> tuple[frozenset[State], frozenset[int]]:
        """The states after a hand and the changes of the score it can bring, over every bid and count of tricks possible."""
        after: set[State] = set()
        changes: set[int] = set()
        for total, bags in states:
            for bid in bids:
                for taken in tricks:
                    change, left = self._line(bags or 0, bid, taken)
                    changes.add(change)
                    after.add((None if total is None else total + change, None if bags is None else left))
        if len(after) > _MOST_STATES:
            after = {(None, bags) for _, bags in after}
        if len(after) > _MOST_STATES:  # without a limit on bags no penalty depends on their count
            after = {(None, None)}
        return frozenset(after), frozenset(changes)

    def _line(self, bags: int, bid: Bid, taken: int) -> tuple[int, int]:
        """The change of the score that a hand brings, and the bags after it."""
        key = (bags, bid, taken)
        if key not in self._lines:
            line = score_hand(self.rules, 0, bags, bid, taken)
            self._lines[key] = (line.points - line.penalty, line.bags)
        return self._lines[key]

    def _values(self, number: int, seat: Seat, figure: Figure) -> frozenset[int] | None:
        """The values a figure of a hand can have, None where nothing is known of it."""
        if figure == "points":
            return self._changes[number, seat]
        found = {state[0 if figure == "total" else 1] for state in self._after[number, seat]}
        return None if None in found else frozenset(value for value in found if value is not None)

    def _before(self, number: int, seat: Seat) -> str:
        """The first hand up to this one whose score is not known."""
        return next((lacks for hand in self.hands[:number] if (lacks := hand.lacks(seat))), "")

    def total(self, seat: Seat) -> int | None:
        """A seat's total at the end, None where it is not known."""
        if not self.counting:
            return 0
        values = self._values(self.counting[-1].number, seat, "total")
        return next(iter(values)) if values is not None and len(values) == 1 else None

    def _at_end(self, figure: ClaimedFigure, seat: Seat) -> Judgement:
        """A total, or bags, of the end: of the score so far in a game that is still played."""
        if not self.hands:
            return Judgement(figure, None, NO_HAND)
        if not self.counting:
            return Judgement(figure, 0) if figure.value == 0 else Judgement(figure, None, self.unscored())
        found = self.judge(msgspec.structs.replace(figure, hand=self.counting[-1].number))
        running = len(self.counting) < len(self.hands) and self.end is None
        if running and found.wrong and figure.at.startswith("line "):
            return Judgement(figure, None, self.unscored())
        return msgspec.structs.replace(found, figure=figure)

    def unscored(self) -> str:
        """Why the last hand has no score."""
        last = self.hands[-1]
        return f"hand {last.number} is not scored: {last.lacking}"

    def _winner(self, figure: ClaimedFigure) -> Judgement:
        last = self.hands[-1] if self.hands else None
        if self.end is not None and (last is None or not last.scored or self._outcome() == "none"):
            return Judgement(figure, "none" if self.end.by is None else other(self.end.by))
        if last is None:
            return Judgement(figure, None, NO_HAND)
        if last.open:
            return Judgement(figure, "none")
        right = self._outcome()
        return Judgement(figure, right, "" if right is not None else self._reason())

    def _outcome(self) -> str | None:
        """Who has won after the last hand, None where a total is not known (rules.md §8)."""
        north, south = self.total("north"), self.total("south")
        if north is None or south is None or not self.counting:
            return None
        over = outcome(self.rules, self.counting[-1].number, north, south)
        return "none" if over is None else over.winner or "draw"

    def _reason(self) -> str:
        return next((lacks for hand in self.hands if (lacks := hand.lacks())), "")


def _nearest(values: frozenset[int], said: Bid | str) -> int:
    """The value nearest to the one that is stated."""
    return min(values, key=lambda value: abs(value - said) if isinstance(said, int) else 0)


def _fact(figure: ClaimedFigure, hand: HandFacts, seat: Seat) -> Judgement:
    """A claimed bid or count of tricks against what the sheet gives."""
    if figure.figure == "bid":
        return Judgement(figure, hand.bids.get(seat), "" if seat in hand.bids else hand.lacks(seat))
    taken = hand.taken(seat)
    if len(taken) == 1:
        return Judgement(figure, next(iter(taken)))
    return Judgement(figure, None, hand.lacks() or f"hand {hand.number} has no count of tricks")


def grouped(judged: Sequence[Judgement]) -> Iterator[str]:
    """The figures that were not checked, one line for each place and reason: ``line 7: north's total: hand 2 has no bids``."""
    groups: dict[tuple[str, int | None, str], list[ClaimedFigure]] = {}
    for one in judged:
        if not one.checked:
            groups.setdefault((one.figure.at, one.figure.hand, one.reason), []).append(one.figure)
    for (at, hand, reason), figures in groups.items():
        where = f"{at}: " if at else ""
        of = "of the end" if hand is None else f"of hand {hand}"
        yield f"{where}{_listed(figures)} {of}: {reason}"


def _listed(figures: Sequence[ClaimedFigure]) -> str:
    names = {"points": "net change"}
    parts: dict[str, list[str]] = {}
    for figure in figures:
        who = f"{figure.seat}'s" if figure.seat else "the"
        parts.setdefault(who, []).append(names.get(figure.figure, figure.figure))
    phrases = [f"{who} {_in_words(kinds)}" for who, kinds in parts.items()]
    return _in_words(phrases) if len(phrases) == len(figures) else ", ".join(phrases)


def _in_words(kinds: Sequence[str]) -> str:
    return kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} and {kinds[-1]}"
