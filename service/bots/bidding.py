"""The bid: each possible one is tried on many guesses at the other hand, and the one best for the game is chosen."""

from typing import Final

from service.bots.guesses import guesses
from service.bots.imagined import Hand
from service.bots.kinds import View
from service.bots.playout import Wants, playout
from service.bots.seen import Bid, Seen, seen
from service.bots.stakes import Stakes
from service.bots.strength import strength

_GUESSES: Final = 40
_OFF: Final = ((-1, 0.4), (0, 0.45), (1, 0.15))
"""How far real play ends from a playout, which sees both hands: tricks and share of the cases (measured)."""
_SURE: Final = ((0, 1.0),)
_BOTH_WANT: Final[Wants] = tuple(tuple((True, True) for _ in range(14 - taken)) for taken in range(14))


def _ducking(mine: bool) -> Wants:
    """Nobody wants a trick while the nil stands, mine or the other's; when it has fallen both do."""
    return tuple(
        tuple((False, False) if (taken == 0 if mine else taken + left == 13) else (True, True) for left in range(14 - taken))
        for taken in range(14)
    )


_MY_NIL, _THEIR_NIL = _ducking(True), _ducking(False)


def bid(view: View) -> int:
    """The bid of the seat on turn, within what the view says is legal."""
    known, stakes = seen(view), Stakes(view)
    leading = view["first"] != known.seat
    [option] = view["you"]["legal"]
    bounds = option["tricks"]
    imagined = guesses(known, _GUESSES)
    usual = _THEIR_NIL if known.their_bid in (0, "double_nil") else _BOTH_WANT
    ducked = [playout(known.mine, guess, leading, False, 0, _MY_NIL) for guess in imagined]
    taken = [playout(known.mine, guess, leading, False, 0, usual) for guess in imagined]
    best, best_worth = 0, -1.0
    for tricks in range(bounds["max"], bounds["min"] - 1, -1):
        worth = 0.0
        for guess, got in zip(imagined, taken if tricks else ducked, strict=True):
            by_tricks = stakes.of(tricks, _their_bid(known, guess, None if tricks else got))
            worth += sum(share * by_tricks[min(13, max(0, got + by))] for by, share in (_OFF if tricks else _SURE))
        if worth > best_worth:
            best, best_worth = tricks, worth
    return best


def _their_bid(known: Seen, guess: Hand, ducked: int | None) -> Bid:
    """What the other has bid, or would on this hand; over a nil that takes `ducked` tricks it would count on the rest."""
    if known.their_bid is not None:
        return known.their_bid
    return max(1, int(strength(guess) - 0.5) if ducked is None else 12 - ducked)
