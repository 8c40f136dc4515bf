"""The last tricks of an imagined hand, both hands open, played out exactly: the best that either side can reach."""

from service.bots.imagined import BEATEN_BY, FOLLOWING, LEADING, SPADE, SUIT_OF, Hand, bits_of

_Known = dict[tuple[Hand, Hand, bool, bool, int], float]


def choices(choice: Hand, against: Hand) -> list[int]:
    """The cards worth telling apart, lowest first: of cards with none of `against` between them only the lowest."""
    kept: list[int] = []
    last = -1
    for card in bits_of(choice):
        between = (1 << card) - (2 << last) if last >= 0 else 0
        if last < 0 or SUIT_OF[card] != SUIT_OF[last] or against & between:
            kept.append(card)
        last = card
    return kept


class Endplay:
    """Open-handed play for one table of stakes, by my tricks at the end; it remembers the positions it has met, and
    `work` counts those it had to look into."""

    def __init__(self, stakes: tuple[float, ...]) -> None:
        self.work = 0
        self._stakes = stakes
        self._known: _Known = {}

    def lead(self, mine: Hand, theirs: Hand, leading: bool, broken: bool, tricks: int, low: float, high: float) -> float:
        """The value with the lead at me (`leading`) or the other; exact between `low` and `high`, else a bound."""
        left = mine.bit_count()
        reach = self._stakes[tricks : tricks + left + 1]
        worst, best = min(reach), max(reach)
        if worst >= high or worst == best:
            return worst
        if best <= low:
            return best
        key = (mine, theirs, leading, broken, tricks)
        known = self._known.get(key)
        if known is not None:
            return known
        self.work += 1
        held, against = (mine, theirs) if leading else (theirs, mine)
        value, floor, ceiling = (-1e9 if leading else 1e9), low, high
        for card in choices(held & LEADING[broken] or held, against):
            found = self.follow(mine, theirs, leading, broken, tricks, card, floor, ceiling)
            if leading:
                value = max(value, found)
                floor = max(floor, value)
            else:
                value = min(value, found)
                ceiling = min(ceiling, value)
            if floor >= ceiling:
                break
        if low < value < high:
            self._known[key] = value
        return value

    def follow(
        self, mine: Hand, theirs: Hand, leading: bool, broken: bool, tricks: int, led: int, low: float, high: float
    ) -> float:
        """The same with the card `led` on the table, still counted in its leader's hand."""
        held, against = (theirs, mine) if leading else (mine, theirs)
        bit = 1 << led
        value = 1e9 if leading else -1e9
        for card in choices(held & FOLLOWING[led] or held, against):
            answer = 1 << card
            next_lead = leading != bool(answer & BEATEN_BY[led])
            rest = (mine ^ bit, theirs ^ answer) if leading else (mine ^ answer, theirs ^ bit)
            after = broken or bool((bit | answer) & SPADE)
            found = self.lead(*rest, next_lead, after, tricks + next_lead, low, high)
            if leading:
                value = min(value, found)
                high = min(high, value)
            else:
                value = max(value, found)
                low = max(low, value)
            if low >= high:
                break
        return value
