"""A text record as it stands on paper: what was written, with the number of each line, and nothing that follows from it."""

from typing import Literal

import msgspec

from events.cards import Card, Seat
from events.ruleset import STANDARD, Ruleset
from events.types import Bid, EarlyEnd

Depth = Literal["whole", "play", "score", "nothing"]


class WrittenTrick(msgspec.Struct, frozen=True):
    """A trick as written; `follow` is None where the hand stopped inside it."""

    leader: Seat
    led: Card
    follow: Card | None = None


class WrittenExchange(msgspec.Struct, frozen=True):
    """An exchange: what was thrown, what was drawn."""

    seat: Seat
    thrown: tuple[Card, ...]
    drawn: tuple[Card, ...]


class Claimed(msgspec.Struct, frozen=True):
    """The figures of a ``score`` line for a seat: the hand's net change, the total, the bags; None where not given."""

    change: int
    total: int
    bags: int


class WrittenResult(msgspec.Struct, frozen=True):
    """A ``result`` line; `winner` is a seat, ``draw``, or None where it is not given."""

    north: int
    south: int
    winner: str | None
    line: int


class End(msgspec.Struct, frozen=True):
    """An ``end`` line: why play stopped inside a hand, and by whom."""

    reason: EarlyEnd
    by: Seat | None
    line: int


class TextHand(msgspec.Struct, frozen=True):
    """A hand as written. What is empty or None was not given; `lines` are the line numbers by first word."""

    number: int
    lines: dict[str, int]
    stock: tuple[Card, ...] = ()
    held: dict[Seat, tuple[Card, ...]] = {}
    double_nils: tuple[Seat, ...] = ()
    draft: str = ""
    exchanges: tuple[WrittenExchange, ...] = ()
    bids: dict[Seat, Bid] = {}
    plays: tuple[WrittenTrick, ...] = ()
    tricks: dict[Seat, int] | None = None
    score: dict[Seat, Claimed] = {}

    @property
    def depth(self) -> Depth:
        """How much of it is given (record.md §2)."""
        if self.stock:
            return "whole"
        if self.plays or self.held:
            return "play"
        return "score" if self.tricks is not None or self.bids else "nothing"

    def bid(self, seat: Seat) -> Bid | None:
        """A seat's bid, from either line that tells it."""
        return "double_nil" if seat in self.double_nils else self.bids.get(seat)


class TextGame(msgspec.Struct, frozen=True):
    """A whole text record. `rules_at` says where its rules stand, `notes` what was guessed or dropped in reading it."""

    names: dict[Seat, str]
    rules: Ruleset = STANDARD
    rules_at: str = "the standard ruleset"
    first: Seat = "north"
    hands: tuple[TextHand, ...] = ()
    result: WrittenResult | None = None
    end: End | None = None
    notes: tuple[str, ...] = ()
