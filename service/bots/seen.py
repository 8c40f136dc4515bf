"""What a seat knows of the hand being played: its own cards, those that are gone, what the other can still hold.

Everything is read from the view; nothing is remembered between two moves.
"""

from typing import Final, Literal

import msgspec

from events.cards import ORDER, Card, Seat, other
from service.bots.imagined import ALL, BEATEN_BY, LEADING, SPADE, SUIT, SUIT_OF, Hand, hand
from service.bots.kinds import View

Bid = int | Literal["double_nil"]
_BY_CHANCE: Final = 0.1
"""Weight of a card thrown by this seat that the other may have drawn in its exchange, against 1 for a card never seen."""


class Seen(msgspec.Struct, frozen=True):
    """One seat's knowledge. `unseen` are the cards that may be in the other hand, `doubtful` those among them that this
    seat threw itself (they come back only by an exchange); `theirs_left` counts the other's cards; `led` is the index of
    the card to follow, or None on lead; `played` are the cards the other has played."""

    seat: Seat
    mine: Hand
    unseen: Hand
    doubtful: Hand
    theirs_left: int
    played: Hand
    led: int | None
    broken: bool
    my_bid: Bid | None
    their_bid: Bid | None
    my_tricks: int
    their_tricks: int

    def weight(self, card: int) -> float:
        """The weight, before any reasoning on what the other likes to keep, of `card` being in the other hand."""
        return _BY_CHANCE if self.doubtful >> card & 1 else 1.0


def seen(view: View) -> Seen:
    """What the seat that this view is for knows."""
    you = view["you"]
    seat: Seat = you["seat"]
    mine, theirs = view["seats"][seat], view["seats"][other(seat)]
    held = hand(you["hand"])
    drawn = hand([you["drawn"]]) if "drawn" in you else 0
    played = hand(mine.get("played", [])) | hand(theirs.get("played", []))
    thrown = hand(you["discarded"]) & ~held & ~played
    back = thrown if theirs.get("exchanged") else 0
    trick = view.get("trick", {}).get("cards", [])
    unseen = ALL & ~held & ~drawn & ~played & ~(thrown & ~back) & ~_impossible(view, seat)
    return Seen(
        seat, held, unseen, back & unseen, theirs["cards"], hand(theirs.get("played", [])),
        ORDER[Card(trick[0]["card"])] if trick else None, view["spades_broken"],
        mine.get("bid"), theirs.get("bid"), mine["tricks"], theirs["tricks"],
    )  # fmt: skip


def _impossible(view: View, seat: Seat) -> Hand:
    """Cards the other has shown not to hold: it did not follow a suit, or it led a spade before spades were broken."""
    mine, theirs = view["seats"][seat].get("played", []), view["seats"][other(seat)].get("played", [])
    leading = view["first"] != seat  # the second player leads first (rules.md §6.1)
    none, broken = 0, False
    for own, its in zip(mine, theirs, strict=False):
        card, answer = (ORDER[Card(c)] for c in ((own, its) if leading else (its, own)))
        if leading and SUIT_OF[answer] != SUIT_OF[card]:
            none |= SUIT[SUIT_OF[card]]
        if not leading and not LEADING[broken] >> card & 1:
            none |= LEADING[broken]
        broken = broken or bool((1 << card | 1 << answer) & SPADE)
        leading = leading != bool(BEATEN_BY[card] >> answer & 1)
    if len(theirs) > len(mine) and not LEADING[broken] >> ORDER[Card(theirs[-1])] & 1:
        none |= LEADING[broken]
    return none
