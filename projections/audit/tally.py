"""The audit's own sum of a hand, from the cards alone.

This is the one deliberate second copy of a rule: it shares no line with ``projections.scoring`` and ``projections.play``,
so that a fault there cannot hide here. rules.md §6.3, §7, §8.
"""

from collections.abc import Mapping, Sequence

import msgspec

from events.cards import Card, Seat
from events.ruleset import Ruleset
from events.types import Bid, CardPlayed

_STRENGTH = {rank: value for value, rank in enumerate("23456789TJQKA", start=2)}


class Sum(msgspec.Struct, frozen=True):
    """What a seat's line must be, and how it comes about, a piece of arithmetic an entry."""

    points: int
    new_bags: int
    penalty: int
    total: int
    bags: int
    steps: tuple[str, ...]


def taken(plays: Sequence[CardPlayed]) -> dict[Seat, int]:
    """The tricks each seat took: the plays of a hand sorted into tricks, each going to its strongest card."""
    tricks: dict[int, list[tuple[Seat, Card]]] = {}
    for play in plays:
        tricks.setdefault(play.trick, []).append((play.seat, play.card))
    count: dict[Seat, int] = {"north": 0, "south": 0}
    for cards in tricks.values():
        led = cards[0][1][1]

        def strength(played: tuple[Seat, Card], led: str = led) -> int:
            rank, suit = played[1]
            return _STRENGTH[rank] + (100 if suit == "S" else 50 if suit == led else 0)

        count[max(cards, key=strength)[0]] += 1
    return count


def add_up(rules: Ruleset, total: int, bags: int, bid: Bid, tricks: int) -> Sum:
    """A seat's line after a hand: `total` and `bags` are those before it."""
    steps: list[str] = []
    new_bags = 0
    if bid in (0, "double_nil"):
        name, value = ("nil", rules.nil_value) if bid == 0 else ("double nil", rules.double_nil_value)
        points = value if tricks == 0 else -value
        steps.append(f"{name} {'made' if tricks == 0 else 'failed'} = {points:+}".replace("-", "−"))
        if tricks and rules.failed_nil != "ignore":
            new_bags = tricks
        if tricks and rules.failed_nil == "bags_and_points":
            points += tricks
            steps.append(f"+{tricks} for the tricks = {points:+}".replace("-", "−"))
    else:
        asked = int(bid)
        points = asked * 10 if tricks >= asked else asked * -10
        over = max(tricks - asked, 0)
        new_bags, points = over, points + over
        extra = f" +{over} bag{'s' if over > 1 else ''}" if over else ""
        set_ = "" if tricks >= asked else "set, −"
        steps.append(f"{set_}{asked}×10{extra} = {points:+}".replace("= -", "= −"))
    penalty, left = 0, bags + new_bags
    if rules.bag_limit:
        times = left // rules.bag_limit  # not counted down: a log may claim any number of bags
        left -= times * rules.bag_limit
        penalty = times * rules.bag_penalty
        if times:
            left = 0 if rules.bag_carry == "zero" else left
            steps.append(f"bags {bags}+{new_bags} = {bags + new_bags} → −{penalty}")
    return Sum(points, new_bags, penalty, total + points - penalty, left, tuple(steps))


def ending(rules: Ruleset, hand: int, totals: Mapping[Seat, int]) -> tuple[str, Seat | None] | None:
    """Reason and winner after a hand, None when the game goes on; the tests of rules.md §8.7 in their order."""
    north, south = totals["north"], totals["south"]
    leader: Seat | None = None
    if north != south:
        leader = "north" if north > south else "south"
    reached = [total for total in (north, south) if total >= rules.target]
    if reached and leader:
        return "target", leader
    under = rules.floor is not None and any(total <= rules.floor for total in (north, south))
    if under and leader:
        return "floor", leader
    return ("hand_limit", leader) if hand >= rules.max_hands else None
