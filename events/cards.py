"""Cards and seats as they stand in events: ``QS`` is the queen of spades, ``north`` sits across from ``south``.

Nothing here knows what a card is worth in play, only its name and its place in the deck (fairness.md, The shuffle, 6).
"""

from typing import Final, Literal, NewType, get_args

Card = NewType("Card", str)
Seat = Literal["north", "south"]
Owner = Literal["north", "south", "house"]

SEATS: Final[tuple[Seat, ...]] = get_args(Seat)
RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"
SPADES: Final = "S"
SUIT_NAMES: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}

DECK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""The 52 cards in the order the shuffle starts from: clubs 2 to ace, diamonds, hearts, spades."""

ORDER: Final[dict[Card, int]] = {card: index for index, card in enumerate(DECK)}
"""A card's index in `DECK`; inside one suit a higher card has the higher index (rules.md §1.1)."""

HAND_TRICKS: Final = 13
"""Tricks of a hand, and cards of a seat when they begin."""

CARD_PATTERN: Final = rf"^[{RANKS}][{SUITS}]\Z"


def suit(card: Card) -> str:
    """The suit's letter: one of ``C D H S``."""
    return card[1]


def suit_name(card: Card) -> str:
    """The suit's English name, plural: ``hearts``."""
    return SUIT_NAMES[card[1]]


def in_order(cards: tuple[Card, ...] | list[Card]) -> tuple[Card, ...]:
    """The same cards in suit and rank order."""
    return tuple(sorted(cards, key=ORDER.__getitem__))


def other(seat: Seat) -> Seat:
    """The seat across the table."""
    return "south" if seat == "north" else "north"
