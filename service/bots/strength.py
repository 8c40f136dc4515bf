"""What cards are worth before any is played: tricks to expect of a card, and how it endangers a nil.

The tricks are rounded from a linear fit to 15,000 hands drafted for high cards and played out by rule of thumb.
"""

from typing import Final

from service.bots.imagined import SPADE, SUIT, Hand, bits_of

_SIDE: Final = (-0.13, -0.12, -0.10, -0.08, -0.08, -0.07, -0.06, -0.04, -0.03, 0.02, 0.18, 0.53, 0.75)
_SPADES: Final = (0.68, 0.68, 0.69, 0.69, 0.70, 0.71, 0.74, 0.83, 1.09, 1.37, 1.55, 1.61, 1.65)
_VOID: Final = 0.8
_GOOD_FROM: Final = 0.15

TRICKS: Final = _SIDE * 3 + _SPADES
"""By index of the card: the tricks it adds to a hand of thirteen."""
GOOD: Final = sum(1 << card for card in range(52) if TRICKS[card] >= _GOOD_FROM)
"""The cards a player who wants tricks keeps."""
DANGER: Final = tuple(max(0, rank - 1) / 11 for rank in range(13)) * 3 + tuple(0.5 + 0.15 * rank for rank in range(13))
"""By index of the card: how much it endangers a nil; the scale is only good for comparing."""


def strength(held: Hand) -> float:
    """Tricks to expect of a whole hand against another that is drafted as well."""
    total = sum(TRICKS[card] for card in bits_of(held))
    return total + sum(_VOID for suit in SUIT if suit != SPADE and not held & suit)
