"""One imagined hand played out by rule of thumb, both hands open: quick, and good enough to average over many guesses."""

from typing import Final

from service.bots.imagined import BEATEN_BY, FOLLOWING, LEADING, SPADE, SUIT, Hand

Wants = tuple[tuple[tuple[bool, bool], ...], ...]
"""By my tricks and by tricks still to play: whether I, and whether the other, want more tricks."""
_SIDE_SUITS: Final = SUIT[:3]


def wants(stakes: tuple[float, ...]) -> Wants:
    """Who wants tricks when: a seat does while a number of tricks better for it is only to be reached by taking some."""
    table = []
    for taken in range(14):
        row = []
        for left in range(14 - taken):
            reach = stakes[taken : taken + left + 1]
            row.append((max(reach) > reach[0], min(reach) < reach[-1]))
        table.append(tuple(row))
    return tuple(table)


def playout(mine: Hand, theirs: Hand, leading: bool, broken: bool, tricks: int, want: Wants) -> int:
    """My tricks at the end, of which I have `tricks` now; `leading` is whether I lead to the next one."""
    left = mine.bit_count()
    while left:
        i_want, it_wants = want[tricks][left]
        if leading:
            card = lead(mine, theirs, broken, i_want)
            led = card.bit_length() - 1
            answer = follow(theirs, led, it_wants)
            mine ^= card
            theirs ^= answer
        else:
            card = lead(theirs, mine, broken, it_wants)
            led = card.bit_length() - 1
            answer = follow(mine, led, i_want)
            theirs ^= card
            mine ^= answer
        if answer & BEATEN_BY[led]:
            leading = not leading
        tricks += leading
        broken = broken or bool((card | answer) & SPADE)
        left -= 1
    return tricks


def follow(held: Hand, led: int, want: bool) -> Hand:
    """The one card to follow with: the cheapest that takes the trick, or the highest that does not."""
    choice = held & FOLLOWING[led] or held
    taking = choice & BEATEN_BY[led]
    if want:
        return taking & -taking if taking else _lowest(choice)
    losing = choice & ~taking
    return _highest(losing) if losing else 1 << (taking.bit_length() - 1)


def lead(held: Hand, against: Hand, broken: bool, want: bool) -> Hand:
    """The one card to lead: one that takes the trick, or one that the other must take; else the lowest."""
    choice = held & LEADING[broken] or held
    return _lead_to_take(choice, against) if want else _lead_to_lose(choice, against)


def _lead_to_take(choice: Hand, against: Hand) -> Hand:
    for suit in SUIT:
        mine, its = choice & suit, against & suit
        if mine > its and (its or not against & SPADE):
            return 1 << (mine.bit_length() - 1)
    return _lowest(choice)


def _lead_to_lose(choice: Hand, against: Hand) -> Hand:
    best, best_rank = 0, -1.0
    for start, suit in zip((0, 13, 26, 39), SUIT, strict=True):
        mine, its = choice & suit, against & suit
        if not mine:
            continue
        low = mine & -mine
        under = mine & ((its & -its) - 1) if its else 0
        if under:
            card, rank = 1 << (under.bit_length() - 1), 100.0 + under.bit_length() - 1 - start
        elif its:
            card, rank = low, 50.0 - 4 * (its & (low - 1)).bit_count() - (low.bit_length() - 1 - start) / 13
        elif suit != SPADE and against & SPADE == against:
            card, rank = 1 << (mine.bit_length() - 1), 200.0  # it must ruff
        else:
            card, rank = low, 0.0
        if rank > best_rank:
            best, best_rank = card, rank
    return best


def _lowest(choice: Hand) -> Hand:
    """The card of the lowest rank, a spade only where there is nothing else."""
    best, best_rank = 0, 13
    for start, suit in zip((0, 13, 26), _SIDE_SUITS, strict=True):
        some = choice & suit
        if some:
            low = some & -some
            rank = low.bit_length() - 1 - start
            if rank < best_rank:
                best, best_rank = low, rank
    return best or choice & -choice


def _highest(choice: Hand) -> Hand:
    """The card of the highest rank of the side suits; a spade where there is nothing else."""
    best, best_rank = 0, -1
    for start, suit in zip((0, 13, 26), _SIDE_SUITS, strict=True):
        length = (choice & suit).bit_length()
        if length and length - 1 - start > best_rank:
            best, best_rank = 1 << (length - 1), length - 1 - start
    return best or 1 << (choice.bit_length() - 1)
