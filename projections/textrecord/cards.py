"""The cards of a hand of a text record: those written, and those that follow from what is written."""

from collections.abc import Iterable, Sequence

from events.cards import DECK, SEATS, Card, Seat, other
from events.types import CardPlayed
from projections.textrecord.game import TextHand


def as_written(hand: TextHand) -> Iterable[CardPlayed]:
    """The plays of a hand in order, a half trick included."""
    for number, trick in enumerate(hand.plays, 1):
        yield CardPlayed(hand.number, trick.leader, number, trick.led)
        if trick.follow is not None:
            yield CardPlayed(hand.number, other(trick.leader), number, trick.follow)


def held_of(hand: TextHand) -> dict[Seat, tuple[Card, ...]]:
    """The hands at the first lead: as written, or, where every trick is, the cards each seat played."""
    held = dict(hand.held)
    plays = list(as_written(hand))
    if len(plays) == 26:
        for seat in SEATS:
            held.setdefault(seat, tuple(play.card for play in plays if play.seat == seat))
    return held


def stock_of(hand: TextHand, first: Seat) -> tuple[Card, ...]:
    """The stock as written; of hands that are only held, one that would have given them."""
    if hand.stock:
        return hand.stock
    held: dict[Seat, Sequence[Card]] = dict(held_of(hand))
    pile = [card for card in DECK if card not in held["north"] and card not in held["south"]]
    stock: list[Card] = []
    for turn in range(26):
        seat = first if turn % 2 == 0 else other(first)
        stock += [held[seat][turn // 2], pile[turn]]
    return tuple(stock)
