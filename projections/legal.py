"""What a seat may do now: the one generator that the API, the bots, the page, the decider and the audit all ask.

`options` lists it, `objection` says why one act is not among it, in a sentence that gives away nothing about the other hand.
"""

from typing import Final

import msgspec

from events.cards import HAND_TRICKS, SPADES, SUIT_NAMES, Card, Owner, Seat, suit, suit_name
from events.ruleset import Ruleset
from events.shuffle import contribution
from projections.play import playable
from projections.table import Open, Own
from projections.view_types import Bounds, DiscardBounds, LegalType, LegalView

MOST_TRICKS: Final = HAND_TRICKS
"""The highest bid (rules.md §5.2)."""


class LegalMove(msgspec.Struct, frozen=True):
    """One kind of move and its bounds: `cards` to play or to discard from, `most` cards to discard, or tricks to bid."""

    type: LegalType
    cards: tuple[Card, ...] = ()
    most: int = 0

    def view(self) -> LegalView:
        """As it is shown in a view's ``legal`` (design §4)."""
        match self.type:
            case "exchange":
                return LegalView(type=self.type, discard=DiscardBounds(self.cards, self.most))
            case "bid":
                return LegalView(type=self.type, tricks=Bounds(0, self.most))
            case "play":
                return LegalView(type=self.type, card=self.cards)
        return LegalView(type=self.type)


class Objection(msgspec.Struct, frozen=True):
    """Why an act is not legal: a stable code and a sentence."""

    code: str
    message: str


def options(o: Open, seat: Seat, own: Own) -> tuple[LegalMove, ...]:
    """Everything `seat` may do now, empty when it is not its turn; resigning and claiming a time-out are not listed."""
    if o.turn != seat or o.due is not None:
        return ()
    match o.phase:
        case "reveal":
            return (LegalMove("reveal"),)
        case "draft":
            kinds: tuple[LegalType, ...] = ("keep", "pass") if o.player(seat).looked else ("look", "double_nil")
            return tuple(LegalMove(kind) for kind in kinds)
        case "exchange":
            return (LegalMove("exchange", own.hand, min(o.rules.exchange_max, o.pile_size)),)
        case "bidding":
            return (LegalMove("bid", most=MOST_TRICKS),)
        case "play" if o.trick is not None:
            return (LegalMove("play", playable(own.hand, o.trick.led, o.broken)),)
    return ()


def reveal_objection(o: Open, seat: Seat, own_bytes: str) -> Objection | None:
    """Why these bytes (hex) are not the ones `seat` committed to, or None if they are (fairness.md, The shuffle, 2)."""
    if contribution(bytes.fromhex(own_bytes)) == o.player(seat).contribution:
        return None
    return Objection("contribution_mismatch", "these are not the bytes whose contribution you gave when you sat down")


def play_objection(o: Open, own: Own, card: Card) -> Objection | None:
    """Why `card` may not be played by the seat on turn, whose part `own` is, or None if it may (rules.md §6)."""
    assert o.trick is not None
    led = o.trick.led
    if card in playable(own.hand, led, o.broken):
        return None
    if card not in own.hand:
        return Objection("card_not_held", f"{card} is not in your hand")
    if led is not None:
        held = ", ".join(c for c in own.hand if suit(c) == suit(led))
        name = suit_name(led)
        return Objection("must_follow_suit", f"{name} were led and you hold {name}: play one of {held} (rules §6.2)")
    others = ", ".join(c for c in own.hand if suit(c) != SPADES)
    spades = SUIT_NAMES[SPADES]
    return Objection("spades_not_broken", f"{spades} are not broken yet: lead one of {others} (rules §6.4)")


def unplayable(o: Open, seat: Seat, own: Own) -> tuple[tuple[Card, Objection], ...]:
    """The cards `seat` holds and may not play now, each with the reason; empty when it is not to play (rules.md §6)."""
    if o.turn != seat or o.phase != "play" or o.trick is None:
        return ()
    judged = ((card, play_objection(o, own, card)) for card in own.hand)
    return tuple((card, objection) for card, objection in judged if objection is not None)


def bid_objection(tricks: int) -> Objection | None:
    """Why so many tricks may not be bid, or None if they may (rules.md §5.2)."""
    if 0 <= tricks <= MOST_TRICKS:
        return None
    return Objection("invalid", f"a bid is a number of tricks from 0 to {MOST_TRICKS} (rules §5.2)")


def exchange_objection(o: Open, own: Own, discard: tuple[Card, ...], whose: str = "your") -> Objection | None:
    """Why these cards may not be thrown in the exchange, or None if they may (rules.md §4.2). `whose` hand it is, in words."""
    most = min(o.rules.exchange_max, o.pile_size)
    if len(discard) > most:
        return Objection("too_many_cards", f"at most {most} cards may be exchanged (rules §4.2)")
    if len(set(discard)) != len(discard):
        return Objection("card_twice", "a card is named twice")
    missing = [card for card in discard if card not in own.hand]
    if missing:
        return Objection("card_not_held", f"{missing[0]} is not in {whose} hand")
    return None


def discard_owner(rules: Ruleset, seat: Seat, choice: str) -> Owner:
    """The owner of the card that `seat` throws away in a draft turn: nobody sees the second card where the rules hide it.

    `choice` is the card kept, ``first`` or ``second`` (rules.md §2.2).
    """
    return "house" if choice == "first" and rules.second_card == "hidden" else seat
