"""An independent recomputation of a sheet from rules.md §7 and §8: it reads the text anew and shares no code with the product.

It knows score-only sheets and sheets with every play; `sound` says whether each stated figure follows from bids and tricks.
"""

from typing import Any

STANDARD: dict[str, Any] = {
    "target": 500, "nil_value": 100, "double_nil_value": 200, "bag_limit": 10, "bag_penalty": 100, "bag_carry": "remainder",
    "failed_nil": "ignore", "floor": None, "max_hands": 100,
}  # fmt: skip
RANKS = "23456789TJQKA"


def _line(rules: dict[str, Any], bid: str, took: int, bags: int) -> tuple[int, int]:
    """Net change and bags after a hand."""
    if bid in ("nil", "0", "double_nil"):
        value = rules["double_nil_value"] if bid == "double_nil" else rules["nil_value"]
        points, new = (value, 0) if took == 0 else (-value, took if rules["failed_nil"] != "ignore" else 0)
        if took and rules["failed_nil"] == "bags_and_points":
            points += took
    elif took >= int(bid):
        points, new = 10 * int(bid) + took - int(bid), took - int(bid)
    else:
        points, new = -10 * int(bid), 0
    count, fine, limit = bags + new, 0, rules["bag_limit"]
    while limit and count >= limit:
        count, fine = count - limit, fine + rules["bag_penalty"]
    if limit and bags + new >= limit and rules["bag_carry"] == "zero":
        count = 0
    return points - fine, count


def _takers(words: list[str]) -> list[str]:
    """Who takes each trick of a `plays` line."""
    takers = []
    for trick in " ".join(words).split("/"):
        leader, led, reply = trick.split()
        other = {"north": "south", "south": "north"}[leader]
        higher = RANKS.index(reply[0]) > RANKS.index(led[0])
        wins = higher if led[1] == reply[1] else reply[1] == "S"
        takers.append(other if wins else leader)
    return takers


def sound(text: str) -> bool:
    """Whether every stated figure follows; raises `ValueError` or `KeyError` for what it cannot read."""
    rules = dict(STANDARD)
    totals, bags = {"north": 0, "south": 0}, {"north": 0, "south": 0}
    bids: dict[str, str] = {}
    tricks: dict[str, int] = {}
    stated: dict[str, tuple[int, int, int]] = {}
    hand, over, unscored = 0, None, False

    def close() -> bool:
        nonlocal over, unscored
        if not hand:
            return True
        if len(bids) < 2 or len(tricks) < 2:
            unscored = True
            return not stated
        if unscored or over is not None or sum(tricks.values()) != 13:
            return False
        for seat in ("north", "south"):
            change, bags[seat] = _line(rules, bids[seat], tricks[seat], bags[seat])
            totals[seat] += change
            if seat in stated and stated[seat] != (change, totals[seat], bags[seat]):
                return False
        high = max(totals, key=lambda seat: totals[seat])
        even = totals["north"] == totals["south"]
        at_floor = rules["floor"] is not None and min(totals.values()) <= rules["floor"]
        if (totals[high] >= rules["target"] or at_floor) and not even:
            over = high
        elif hand >= rules["max_hands"]:
            over = "draw" if even else high
        return True

    result = None
    for line in text.split("\n"):
        words = line.partition("#")[0].split()
        if not words:
            continue
        word, rest = words[0], words[1:]
        if word == "rules":
            for each in rest:
                name, _, value = each.partition("=")
                rules[name] = None if value == "none" else int(value) if value.lstrip("-").isdigit() else value
        elif word == "hand":
            if not close():
                return False
            hand, bids, tricks, stated = int(rest[0]), {}, {}, {}
        elif word == "double_nil":
            bids[rest[0]] = "double_nil"
        elif word == "bids":
            bids |= dict(zip(rest[::2], rest[1::2], strict=True))
        elif word == "tricks":
            counted = {seat: int(n) for seat, n in zip(rest[::2], rest[1::2], strict=True)}
            if tricks and counted != tricks:
                return False
            tricks = counted
            if len(tricks) == 1:
                ((seat, n),) = tricks.items()
                tricks[{"north": "south", "south": "north"}[seat]] = 13 - n
        elif word == "plays":
            takers = _takers(rest)
            if len(takers) == 13:
                won = {seat: takers.count(seat) for seat in ("north", "south")}
                if tricks and tricks != won:
                    return False
                tricks = won
        elif word == "score":
            for at in range(0, len(rest), 4):
                stated[rest[at]] = (int(rest[at + 1]), int(rest[at + 2]), int(rest[at + 3]))
        elif word == "result":
            result = rest
    if not close():
        return False
    if result is None:
        return True
    given = dict(zip(result[::2], result[1::2], strict=True))
    if {"north": int(given["north"]), "south": int(given["south"])} != totals:
        return False
    return "winner" not in given or given["winner"] == over
