"""What a sheet gives of one hand's bids and tricks, proved by its plays or only claimed; judged, never scored."""

import msgspec

from events.cards import HAND_TRICKS, SEATS, Card, Seat, other
from events.types import Bid
from projections.play import breaks, playable, winner
from projections.table import Trick
from projections.textrecord.game import TextHand, WrittenTrick

_FEW_TRICKS = 5
"""So many tricks are played out in every legal way; of more only bounds are known."""


class HandFacts(msgspec.Struct, frozen=True):
    """The facts of a hand as far as its lines give them.

    `tricks` are the counts north can have taken. `proved` is the number of complete tricks on record, `claimed` whether the
    count rests on a `tricks` line alone; `stopped` says that play ended inside the hand, `last` that no hand follows.
    """

    number: int
    bids: dict[Seat, Bid]
    tricks: frozenset[int]
    proved: int
    claimed: bool
    line: int
    states_figures: bool
    last: bool = False
    stopped: bool = False
    contradicted: bool = False

    def taken(self, seat: Seat) -> frozenset[int]:
        """The counts of tricks a seat can have taken."""
        return self.tricks if seat == "north" else frozenset(HAND_TRICKS - tricks for tricks in self.tricks)

    @property
    def scored(self) -> bool:
        """Whether bids and tricks of both seats are known, so that the hand has one score."""
        return len(self.bids) == len(SEATS) and len(self.tricks) == 1

    @property
    def open(self) -> bool:
        """Whether the hand is still being played: the last one, without a score and without a stated figure."""
        return self.last and not self.scored and not self.states_figures

    @property
    def lacking(self) -> str:
        """What its score lacks, in a clause that follows its name: ``it has no bids``."""
        lacks, name = self.lacks(), f"hand {self.number} "
        return f"it {lacks.removeprefix(name)}" if lacks.startswith(name) else lacks

    def lacks(self, seat: Seat | None = None) -> str:
        """What the score of a seat lacks, or of both, ``hand 2 has no bids``; empty where nothing is lacking."""
        missing = [each for each in SEATS if each not in self.bids]
        if len(missing) == len(SEATS):
            return f"hand {self.number} has no bids"
        if missing and seat in (None, missing[0]):
            return f"hand {self.number} has no bid of {missing[0]}"
        if len(self.tricks) == 1:
            return ""
        if self.contradicted:
            return f"the count of tricks in hand {self.number} is contradicted"
        if self.stopped:
            return f"hand {self.number} was not played to its end"
        if self.proved:
            return f"hand {self.number} has {self.proved} of 13 tricks and no count of tricks"
        return f"hand {self.number} has no count of tricks"


def counted(hand: TextHand) -> tuple[int, int]:
    """North's tricks and all complete tricks among the plays of a hand (rules.md §6.3)."""
    takers = [taker for trick in hand.plays if (taker := taker_of(trick)) is not None]
    return takers.count("north"), len(takers)


def taker_of(trick: WrittenTrick) -> Seat | None:
    """The seat that takes a written trick, None where its second card is not on record."""
    if trick.follow is None:
        return None
    return winner(Trick(1, trick.leader, ((trick.leader, trick.led), (other(trick.leader), trick.follow))))


def possible(hand: TextHand, held: dict[Seat, tuple[Card, ...]] | None) -> frozenset[int]:
    """The counts of tricks north can end with after the plays on record.

    `held` are the cards both seats still hold, None where they are not known. Few remaining tricks are played out in every
    legal way; of more only the bounds count.
    """
    north, full = counted(hand)
    left = HAND_TRICKS - full
    if held is None or left > _FEW_TRICKS or len(held["north"]) + len(held["south"]) != 2 * left - (len(hand.plays) > full):
        return frozenset(range(north, north + left + 1))
    if not left:
        return frozenset((north,))
    last = hand.plays[-1] if hand.plays else None
    if last is None:
        return frozenset(range(north, north + left + 1))
    led = None if last.follow is not None else last.led
    leader = taker_of(last) or last.leader
    broken = _broken(hand)
    return frozenset(north + more for more in _ways(held["north"], held["south"], leader, led, broken=broken))


def _broken(hand: TextHand) -> bool:
    return any(
        breaks(None, trick.led) or (trick.follow is not None and breaks(trick.led, trick.follow)) for trick in hand.plays
    )


def _ways(north: tuple[Card, ...], south: tuple[Card, ...], leader: Seat, led: Card | None, *, broken: bool) -> set[int]:
    """How many of the remaining tricks north can take, over every legal play."""
    hands: dict[Seat, tuple[Card, ...]] = {"north": north, "south": south}
    if led is None:
        if not hands[leader]:
            return {0}
        found: set[int] = set()
        for card in playable(hands[leader], None, broken):
            rest = {**hands, leader: _without(hands[leader], card)}
            found |= _ways(rest["north"], rest["south"], leader, card, broken=broken or breaks(None, card))
        return found
    found = set()
    follower = other(leader)
    for card in playable(hands[follower], led, broken):
        taker = winner(Trick(1, leader, ((leader, led), (follower, card))))
        rest = {**hands, follower: _without(hands[follower], card)}
        more = _ways(rest["north"], rest["south"], taker, None, broken=broken or breaks(led, card))
        found |= {(taker == "north") + each for each in more}
    return found


def _without(hand: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    return tuple(each for each in hand if each != card)
