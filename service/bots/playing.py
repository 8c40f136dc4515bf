"""The play of a card: every card worth telling apart is tried on many guesses at the other hand, and the stakes decide.

That is the whole of ducking a nil, covering a bid, setting the other and avoiding bags: none of them has code of its own.
"""

from typing import Final

from events.cards import DECK, Card
from service.bots.endplay import Endplay, choices
from service.bots.guesses import guesses
from service.bots.imagined import BEATEN_BY, SPADE, Hand, hand
from service.bots.kinds import View
from service.bots.playout import Wants, follow, playout, wants
from service.bots.seen import Seen, seen
from service.bots.stakes import Stakes

_EXACT: Final = 7
"""Cards in hand from which on a guess is played out exactly."""
_EXACT_GUESSES: Final = 24
_WORK: Final = 6000
"""Positions to look into, after which no further guess is tried: a bound on the time that gives the same move everywhere."""
_GUESSES: Final = 600
"""Guesses times cards in hand: a playout takes the longer the more cards there are."""


def card(view: View) -> Card:
    """The card to play, one of those the view says are legal; of equally good ones the lowest."""
    known = seen(view)
    [option] = view["you"]["legal"]
    legal = hand(option["card"])
    tried = choices(legal, known.unseen | (0 if known.led is None else 1 << known.led))
    if len(tried) == 1:
        return DECK[tried[0]]
    assert known.my_bid is not None
    assert known.their_bid is not None
    stakes = Stakes(view).of(known.my_bid, known.their_bid)
    left = known.mine.bit_count()
    worth = _exactly(known, tried, stakes) if left <= _EXACT else _by_playouts(known, tried, stakes, left)
    return DECK[max(tried, key=lambda each: (round(worth[each], 9), -each % 13, -each))]


def _exactly(known: Seen, tried: list[int], stakes: tuple[float, ...]) -> dict[int, float]:
    worth = dict.fromkeys(tried, 0.0)
    endplay = Endplay(stakes)
    for guess in guesses(known, _EXACT_GUESSES):
        if endplay.work > _WORK:
            break
        for each in tried:
            if known.led is None:
                worth[each] += endplay.follow(known.mine, guess, True, known.broken, known.my_tricks, each, -1e9, 1e9)
                continue
            takes = bool(BEATEN_BY[known.led] >> each & 1)
            broken = known.broken or bool((1 << each | 1 << known.led) & SPADE)
            worth[each] += endplay.lead(known.mine ^ 1 << each, guess, takes, broken, known.my_tricks + takes, -1e9, 1e9)
    return worth


def _by_playouts(known: Seen, tried: list[int], stakes: tuple[float, ...], left: int) -> dict[int, float]:
    want = wants(stakes)
    worth = dict.fromkeys(tried, 0.0)
    for guess in guesses(known, _GUESSES // left):
        for each in tried:
            worth[each] += stakes[_tricks(known, guess, each, want)]
    return worth


def _tricks(known: Seen, guess: Hand, each: int, want: Wants) -> int:
    """My tricks at the end if I play `each` now and the other holds `guess`."""
    if known.led is None:
        answer = follow(guess, each, want[known.my_tricks][known.mine.bit_count()][1])
        takes, theirs = not answer & BEATEN_BY[each], guess ^ answer
        table = answer | 1 << each
    else:
        takes, theirs = bool(BEATEN_BY[known.led] >> each & 1), guess
        table = 1 << known.led | 1 << each
    broken = known.broken or bool(table & SPADE)
    return playout(known.mine ^ 1 << each, theirs, takes, broken, known.my_tricks + takes, want)
