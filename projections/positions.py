"""Positions: how people name a moment of a game (design §5), the same in the command line, the API and the page.

``v57`` is a version, ``3`` a hand, ``3.5`` a trick, ``3.5.2`` a card, ``3.d7`` a draft turn, ``3.x1`` an exchange, ``3.b2``
a bid, ``3.s`` the score: each the moment just after it.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from events.types import BidPlaced, CardDiscarded, CardKept, CardPlayed, CardsExchanged, Event, HandScored, HandStarted
from projections.table import Open

PATTERN: Final = r"^(v[1-9][0-9]{0,5}|[1-9][0-9]{0,2}(\.(s|[dxb][1-9][0-9]?|[1-9][0-9]?(\.[12])?))?)\Z"
Position = Annotated[str, Meta(pattern=PATTERN, examples=["3.5.2"])]


class BadPosition(ValueError):
    """A text that is no position, or one this game does not have; the message says what there is."""


class Span(msgspec.Struct, frozen=True):
    """The versions a position covers: its first event and its last."""

    first: int
    last: int


def of(before: Open, event: Event) -> str:
    """The position of an event that follows this state; ``vN`` where it has no name of its own."""
    data = event.data
    if not before.hand:
        return f"v{event.seq}"
    match data:
        case CardKept() | CardDiscarded():
            return f"{before.hand}.d{before.turns + 1}"
        case CardsExchanged():
            done = sum(player.exchanged is not None for player in (before.north, before.south))
            return f"{before.hand}.x{done + 1}"
        case BidPlaced():
            done = sum(player.bid is not None and player.bid != "double_nil" for player in (before.north, before.south))
            return f"{before.hand}.b{done + 1}"
        case CardPlayed() if before.trick is not None:
            return f"{before.hand}.{before.trick.number}.{len(before.trick.cards) + 1}"
        case HandScored():
            return f"{before.hand}.s"
    return f"v{event.seq}"


class Index:
    """The positions of one game and the versions they cover."""

    def __init__(self, places: Iterable[tuple[str, Event]]) -> None:
        """`places` are the events in order, each with its position."""
        self._spans: dict[str, Span] = {}
        self.last = 0
        hand = 0
        for position, event in places:
            self.last = event.seq
            if isinstance(event.data, HandStarted):
                hand = event.data.hand
            names = [f"v{event.seq}", str(hand)] if hand else [f"v{event.seq}"]
            if position.count(".") == 2:
                names.append(position.rsplit(".", 1)[0])
            for name in dict.fromkeys([*names, position]):
                first = self._spans[name].first if name in self._spans else event.seq
                self._spans[name] = Span(first, event.seq)

    def span(self, position: str) -> Span:
        """The versions of a position. Raises `BadPosition`."""
        if not re.match(PATTERN, position):
            raise BadPosition(
                f"{position[:20]!r} is no position: give a version (v57), a hand (3), a trick (3.5), a card (3.5.2), "
                "a draft turn (3.d7), an exchange (3.x1), a bid (3.b2) or a score (3.s)"
            )
        if position not in self._spans:
            raise BadPosition(f"this game has no {position}: {self._there_is(position)}")
        return self._spans[position]

    def _there_is(self, position: str) -> str:
        hand = position.split(".")[0]
        if position.startswith("v"):
            return f"its last version is v{self.last}"
        if hand not in self._spans:
            hands = [name for name in self._spans if name.isdigit()]
            return f"its last hand is {hands[-1]}" if hands else "no hand has begun"
        inside = [name for name in self._spans if name.startswith(hand + ".")]
        return f"hand {hand} goes to {inside[-1]}" if inside else f"hand {hand} has only begun"
