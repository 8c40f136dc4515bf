"""Play continued in the mind: hands as bits, so that thousands of continuations fit into one move.

It has no rule of its own: its tables are the answers of ``projections.play``, asked once for every card.
"""

from collections.abc import Iterable
from typing import Final

from events.cards import DECK, ORDER, SUITS, Card
from projections.play import breaks, playable, winner
from projections.table import Trick

Hand = int
"""A set of cards: bit n is `DECK[n]`, so that inside a suit a higher bit is a higher card."""


def hand(some: Iterable[str]) -> Hand:
    """The cards as bits."""
    bits = 0
    for card in some:
        bits |= 1 << ORDER[Card(card)]
    return bits


def cards(bits: Hand) -> list[Card]:
    """The bits as cards, in suit and rank order."""
    return [card for index, card in enumerate(DECK) if bits >> index & 1]


def bits_of(held: Hand) -> list[int]:
    """The indexes of the cards held, lowest first."""
    found = []
    while held:
        low = held & -held
        found.append(low.bit_length() - 1)
        held ^= low
    return found


def _taken_by(led: Card) -> Hand:
    answers = [card for card in DECK if card != led]
    return hand([card for card in answers if winner(Trick(1, "north", (("north", led), ("south", card)))) == "south"])


ALL: Final = (1 << 52) - 1
SUIT: Final = tuple(hand([card for card in DECK if card[1] == suit]) for suit in SUITS)
SPADE: Final = SUIT[3]
SUIT_OF: Final = tuple(index // 13 for index in range(52))
BEATEN_BY: Final = tuple(_taken_by(card) for card in DECK)
"""By index of the card led: the cards that take the trick from it."""
FOLLOWING: Final = tuple(hand(playable(DECK, card, False)) for card in DECK)
"""By index of the card led: the cards a full hand may follow with; a hand without any of them may play all it has."""
LEADING: Final = (hand(playable(DECK, None, False)), hand(playable(DECK, None, True)))
"""By whether spades are broken: the cards a full hand may lead; a hand without any of them may lead all it has."""
BREAKING: Final = tuple(hand([card for card in DECK if breaks(led, card)]) for led in DECK)
"""By index of the card led: the cards that break spades when they follow it."""
