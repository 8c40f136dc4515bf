"""Every total and count of bags that bids and tricks allow, from rules.md §7 and §8."""

from collections.abc import Iterable
from typing import Any

from tests.claims.referee.paper import SEATS

State = tuple[int, int]
BIDS = ("nil", "double_nil", *(str(tricks) for tricks in range(1, 14)))


def scored(rules: dict[str, Any], bid: str, took: int, bags: int) -> State:
    """The net change of a hand and the bags after it."""
    if bid in ("nil", "double_nil"):
        worth = rules[f"{bid}_value"]
        new = took if rules["failed_nil"] != "ignore" else 0
        points = worth if took == 0 else -worth + (took if rules["failed_nil"] == "bags_and_points" else 0)
    elif took < int(bid):
        points, new = -10 * int(bid), 0
    else:
        points, new = 9 * int(bid) + took, took - int(bid)
    limit = rules["bag_limit"]
    fines, left = divmod(bags + new, limit) if limit else (0, bags + new)
    return points - fines * rules["bag_penalty"], 0 if fines and rules["bag_carry"] == "zero" else left


def after(
    rules: dict[str, Any], before: Iterable[State], bids: Iterable[str], tricks: Iterable[int]
) -> tuple[set[int], set[State]]:
    """The net changes and the states (total, bags) that a hand can bring from any of the states before."""
    changes, states = set(), set()
    tricks = tuple(tricks)
    for total, bags in before:
        for bid in bids:
            for took in tricks:
                change, left = scored(rules, bid, took, bags)
                changes.add(change)
                states.add((total + change, left))
    return changes, states


def outcome(rules: dict[str, Any], hand: int, totals: dict[str, int]) -> str:
    """The seat that has won after a hand, ``draw``, or ``none`` while it is still played (rules §8.1 to 8.7)."""
    north, south = (totals[seat] for seat in SEATS)
    ahead = "draw" if north == south else "north" if north > south else "south"
    floored = rules["floor"] is not None and min(north, south) <= rules["floor"]
    if ahead != "draw" and (max(north, south) >= rules["target"] or floored):
        return ahead
    return ahead if hand >= rules["max_hands"] else "none"
