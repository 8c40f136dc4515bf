"""Judges the plays of a hand whose cards are not all known: what a later card, or one hand alone, proves against them."""

from collections.abc import Iterator

import msgspec

from events.cards import SEATS, SPADES, Card, Seat, other, suit, suit_name
from projections.audit.codes import Code
from projections.play import breaks
from projections.textrecord.cards import as_written
from projections.textrecord.game import TextHand
from projections.textrecord.hand_facts import taker_of


class Fault(msgspec.Struct, frozen=True):
    """A play that the cards on record rule out: its code, the position, a sentence."""

    code: Code
    position: str
    message: str


def faults(hand: TextHand, second: Seat) -> Iterator[Fault]:
    """Every play that is proved illegal (rules.md §6); `second` is the second player, who leads first.

    A seat's cards are those of its `held` line, else the cards it plays later. Where the wrong seat leads, the rest cannot
    be followed and the judgement ends.
    """
    plays = list(as_written(hand))
    later: dict[Seat, list[Card]] = {seat: [play.card for play in plays if play.seat == seat] for seat in SEATS}
    held: dict[Seat, list[Card]] = {seat: list(hand.held[seat]) for seat in SEATS if seat in hand.held}
    played: dict[Card, str] = {}
    broken, leader = False, second
    for number, trick in enumerate(hand.plays, 1):
        if trick.leader != leader:
            why = "is the second player" if number == 1 else f"took trick {number - 1}"
            text = f"{trick.leader} leads trick {number}, but {leader} {why} (rules §6.1)"
            yield Fault(Code.NOT_THEIR_TURN, f"{hand.number}.{number}.1", text)
            return
        cards: list[tuple[Seat, Card, Card | None]] = [(trick.leader, trick.led, None)]
        if trick.follow is not None:
            cards.append((other(trick.leader), trick.follow, trick.led))
        for at, (seat, card, led) in enumerate(cards, 1):
            position = f"{hand.number}.{number}.{at}"
            if card in played:
                yield Fault(Code.CARD_TWICE, position, f"{seat} plays {card}, which was played at {played[card]}")
            elif card in held.get(other(seat), ()):
                yield Fault(Code.CARD_NOT_HELD, position, f"{seat} plays {card}, which {other(seat)} held")
            elif seat in held and card not in held[seat]:
                yield Fault(Code.CARD_NOT_HELD, position, f"{seat} plays {card}, which is not among the 13 cards held")
            else:
                known = held.get(seat, later[seat])
                yield from _illegal(hand, seat, card, led, known, position, broken=broken, is_held=seat in held)
            played.setdefault(card, position)
            for cards_left in (later[seat], held.get(seat, [])):
                if card in cards_left:
                    cards_left.remove(card)
            broken = broken or breaks(led, card)
        leader = taker_of(trick) or leader


def _illegal(
    hand: TextHand, seat: Seat, card: Card, led: Card | None, known: list[Card], position: str, *, broken: bool, is_held: bool
) -> Iterator[Fault]:
    """A revoke, or a spade led too early (rules.md §6.2, §6.4)."""
    if led is not None and suit(card) != suit(led):
        followed = next((each for each in known if suit(each) == suit(led)), None)
        if followed is not None:
            shown = f"held {followed}" if is_held else f"plays {followed} later, at {_place(hand, followed)}"
            yield Fault(Code.REVOKE, position, f"{seat} plays {card} on {suit_name(led)}, but {shown} (rules §6.2)")
    if led is None and suit(card) == SPADES and not broken:
        better = next((each for each in known if suit(each) != SPADES), None)
        if better is not None:
            shown = f"held {better}" if is_held else f"plays {better} later, at {_place(hand, better)}"
            text = f"{seat} leads {card} before spades are broken, but {shown} (rules §6.4)"
            yield Fault(Code.SPADES_NOT_BROKEN, position, text)


def _place(hand: TextHand, card: Card) -> str:
    for number, trick in enumerate(hand.plays, 1):
        if card in (trick.led, trick.follow):
            return f"{hand.number}.{number}.{1 if card == trick.led else 2}"
    return f"{hand.number}"
