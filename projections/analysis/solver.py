"""The play of two open hands, solved exactly: whether north can bring the number of its tricks into a given set.

Such a set is a mask: bit t is 1 if t further tricks for north are good enough. The answer is yes or no, whatever the set is
wanted for, so one table serves every play of a hand, every guess at a hidden hand, and every payoff.
"""

from typing import Final

from projections.analysis.suit_codes import COUNT, FORCED, NORTH, SOUTH, TOP, Code, leads, removals

Mask = int
MOST_ENTRIES: Final = 900_000
"""Answers that a table keeps; when it is full, it is emptied. `docs/analysis.md` has the memory they take."""

_Child = tuple[Code, Code, Code, Code, int, bool]
"""The position after a trick: three side suits, spades, the hand that took it and leads, whether spades are broken."""
_Try = tuple[float, int, Code, Code, Code, tuple[tuple[Code, int], ...] | None]
"""A lead: how promising it is, whether it is a spade, its suit, the two other side suits, and the outcomes in its suit where
the other hand can follow, else None."""


class Solver:
    """Answers about positions before a lead under the rules of play (rules.md §6), with a table of the answers it has.

    `work` counts the positions that were searched, `entries` the answers in the table.
    """

    def __init__(self) -> None:
        self.work = 0
        self._known: dict[Mask, dict[int, bool]] = {}
        self.entries = 0

    def reaches(self, a: Code, b: Code, c: Code, s: Code, lead: int, broken: bool, left: int, mask: Mask) -> bool:
        """Whether north can bring the further tricks it takes into `mask`, with best play of both.

        `a`, `b`, `c` are the codes of the side suits in any order, `s` is that of spades; `lead` is the hand to lead, `left`
        the number of cards in each hand.
        """
        low = FORCED[NORTH][s]
        high = left - FORCED[SOUTH][s]
        reachable = (2 << high) - (1 << low)
        mask &= reachable
        if not mask:
            return False
        if mask == reachable:
            return True
        first = _cashable(a, b, c, s, lead)
        if lead == NORTH:
            enough = (2 << high) - (1 << (low + first))
            if mask & enough == enough:
                return True
        elif not mask & ((2 << (high - first)) - (1 << low)):
            return False
        if a > b:
            a, b = b, a
        if b > c:
            b, c = c, b
            if a > b:
                a, b = b, a
        position = ((((a << 14 | b) << 14 | c) << 14 | s) << 1 | lead) << 1 | broken
        table = self._known.get(mask)
        known = None if table is None else table.get(position)
        if known is not None:
            return known
        upward = _upward(mask, low, high) == (lead == NORTH)
        answer = self._search(a, b, c, s, lead, broken, left, mask, upward)
        self._keep(mask, position, answer)
        return answer

    def _search(self, a: Code, b: Code, c: Code, s: Code, lead: int, broken: bool, left: int, mask: Mask, upward: bool) -> bool:
        """The answer by trying every lead; `upward` says that the leader is helped by tricks rather than hurt."""
        self.work += 1
        success = lead == NORTH
        rest = (mask & (1 << left) - 1, mask >> 1)  # by the hand that takes this trick
        left -= 1
        for each in _tries(a, b, c, s, lead, broken, upward):
            for p, q, r, t, taker, opened in _children(each, a, b, c, s, lead, broken):
                if self.reaches(p, q, r, t, taker, opened, left, rest[taker]) != success:
                    break
            else:
                return success
        return not success

    def _keep(self, mask: Mask, position: int, answer: bool) -> None:
        if self.entries >= MOST_ENTRIES:
            self._known.clear()
            self.entries = 0
        self._known.setdefault(mask, {})[position] = answer
        self.entries += 1


def _cashable(a: Code, b: Code, c: Code, s: Code, lead: int) -> int:
    """Tricks in side suits that the leader can take before anything else happens, beside those its spades are sure of.

    The other hand must follow to them, or has no spade to take them with.
    """
    top, mine, theirs = TOP[lead], COUNT[lead], COUNT[1 - lead]
    ruffs = theirs[s]
    tricks = 0
    for code in (a, b, c):
        if top[code]:
            if top[code] < theirs[code]:
                tricks += top[code]
            else:
                tricks += theirs[code] if ruffs else mine[code]
    return tricks


def _upward(mask: Mask, low: int, high: int) -> bool:
    """Whether north is nearer to `mask` with many tricks than with few: it orders the tries and changes no answer."""
    top, bottom = mask >> high & 1, mask >> low & 1
    if top != bottom:
        return bool(top)
    middle = (low + high) // 2 + 1
    return (mask >> middle).bit_count() * 2 >= mask.bit_count()


def _tries(a: Code, b: Code, c: Code, s: Code, lead: int, broken: bool, upward: bool) -> list[_Try]:
    """The leads that are legal (rules.md §6.4) and different, the most promising first."""
    mine, theirs = COUNT[lead], COUNT[1 - lead]
    sign = 1 if upward else -1
    tries: list[_Try] = []
    for x, y, z, same in ((a, b, c, False), (b, a, c, a == b), (c, a, b, b == c)):
        if same or not mine[x]:
            continue
        if theirs[x]:
            for outcomes in leads(x, lead):
                share = sum(taker == lead for _, taker in outcomes) / len(outcomes)
                tries.append((sign * share, False, x, y, z, outcomes))
        else:
            ruffs = theirs[s] > 0
            tries.append((0.0 if ruffs == upward else float(sign), False, x, y, z, None))
    if mine[s] and (broken or not tries):
        if theirs[s]:
            for outcomes in leads(s, lead):
                share = sum(taker == lead for _, taker in outcomes) / len(outcomes)
                tries.append((sign * share - 0.5 * upward, True, s, 0, 0, outcomes))
        else:
            tries.append((0.5 if upward else -1.0, True, s, 0, 0, None))
    tries.sort(key=_promise)
    return tries


def _promise(each: _Try) -> float:
    return -each[0]


def _children(each: _Try, a: Code, b: Code, c: Code, s: Code, lead: int, broken: bool) -> list[_Child]:
    """The positions after a lead and each different answer to it (rules.md §6.2, §6.3)."""
    _, spade, x, y, z, outcomes = each
    if outcomes is not None:
        if spade:
            return [(a, b, c, code, taker, True) for code, taker in outcomes]
        return [(code, y, z, s, taker, broken) for code, taker in outcomes]
    follower = 1 - lead
    gone = removals(x, lead)[0]
    if spade:
        children = [(code, b, c, gone, lead, True) for code in removals(a, follower)]
        children += [(a, code, c, gone, lead, True) for code in removals(b, follower)]
        children += [(a, b, code, gone, lead, True) for code in removals(c, follower)]
        return children
    children = [(gone, y, z, code, follower, True) for code in removals(s, follower)]
    children += [(gone, code, z, s, lead, broken) for code in removals(y, follower)]
    children += [(gone, y, code, s, lead, broken) for code in removals(z, follower)]
    return children
