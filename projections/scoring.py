"""The score of a hand and how a game ends (rules.md §7, §8): the one copy of these rules that decisions use."""

from events.cards import Seat
from events.ruleset import Ruleset
from events.types import Bid, Line
from projections.table import Result


def score_hand(rules: Ruleset, total: int, bags: int, bid: Bid, tricks: int) -> Line:
    """One seat's line: `total` and `bags` are those before the hand, `tricks` what it took (rules.md §7)."""
    points, new_bags = _points(rules, bid, tricks)
    count = bags + new_bags
    penalties, left = divmod(count, rules.bag_limit) if rules.bag_limit else (0, count)
    if penalties and rules.bag_carry == "zero":
        left = 0
    penalty = penalties * rules.bag_penalty
    return Line(bid, tricks, points, new_bags, penalty, total + points - penalty, left)


def bags_to_penalty(rules: Ruleset, bags: int) -> int | None:
    """How many more bags bring the next penalty at a count of `bags`, or None where there is none (rules.md §7.5)."""
    return rules.bag_limit - bags % rules.bag_limit if rules.bag_limit else None


def _points(rules: Ruleset, bid: Bid, tricks: int) -> tuple[int, int]:
    """Points before the penalty, and new bags."""
    if bid == "double_nil" or bid == 0:
        value = rules.double_nil_value if bid == "double_nil" else rules.nil_value
        if tricks == 0:
            return value, 0
        if rules.failed_nil == "ignore":
            return -value, 0
        return (-value + tricks if rules.failed_nil == "bags_and_points" else -value), tricks
    if tricks < bid:
        return -10 * bid, 0
    return 10 * bid + tricks - bid, tricks - bid


def higher(north: int, south: int) -> Seat | None:
    """The seat with the higher total, None where they are equal."""
    return "north" if north > south else "south" if south > north else None


def outcome(rules: Ruleset, hand: int, north: int, south: int) -> Result | None:
    """How the game ends after hand `hand` with these totals, or None if it goes on (rules.md §8)."""
    leader = higher(north, south)
    if max(north, south) >= rules.target and leader:
        return Result("target", leader)
    if rules.floor is not None and min(north, south) <= rules.floor and leader:
        return Result("floor", leader)
    if hand >= rules.max_hands:
        return Result("hand_limit", leader)
    return None
