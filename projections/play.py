"""Tricks (rules.md §6): which cards may be played, who takes a trick, when spades are broken. The one copy of these rules."""

from events.cards import ORDER, SPADES, Card, Seat, suit
from projections.table import Trick


def playable(hand: tuple[Card, ...], led: Card | None, broken: bool) -> tuple[Card, ...]:
    """The cards of `hand` that may be played, in the hand's order: to a trick in which `led` was led, or as a lead."""
    if led is None:
        if broken:
            return hand
        return tuple(card for card in hand if suit(card) != SPADES) or hand
    return tuple(card for card in hand if suit(card) == suit(led)) or hand


def winner(trick: Trick) -> Seat:
    """Who takes a trick of two cards: the highest spade, else the highest card of the suit led (rules.md §6.3)."""
    (leader, led), (follower, card) = trick.cards
    if suit(card) == suit(led):
        return follower if ORDER[card] > ORDER[led] else leader
    return follower if suit(card) == SPADES else leader


def breaks(led: Card | None, card: Card) -> bool:
    """Whether this card breaks spades: a spade where another suit was led, or a spade lead (rules.md §6.5)."""
    return suit(card) == SPADES and (led is None or suit(led) != SPADES)
