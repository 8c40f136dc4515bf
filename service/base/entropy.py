"""Where a decision gets what it cannot know: roots and salts from the operating system, cards derived from the root.

`Entropy` is a protocol so that a test can give the cards; nothing here draws cards itself (fairness.md, The shuffle).
"""

import secrets
from typing import Protocol

from events import shuffle
from events.cards import Card, Seat
from projections.table import Table


class Entropy(Protocol):
    """What `decide` asks for."""

    def root(self) -> str:
        """A fresh root, 64 hex digits."""

    def salt(self) -> str:
        """A fresh salt, 32 hex digits."""

    def stock(self, table: Table, hand: int) -> tuple[Card, ...]:
        """The 52 cards of `hand` in drawing order."""

    def exchange(self, table: Table, seat: Seat, count: int) -> tuple[Card, ...]:
        """The cards `seat` draws from the pile, in drawing order."""


class Csprng:
    """The only entropy of a running service."""

    def root(self) -> str:
        return secrets.token_hex(32)

    def salt(self) -> str:
        return secrets.token_hex(16)

    def stock(self, table: Table, hand: int) -> tuple[Card, ...]:
        return shuffle.stock(hand_key(table, hand))

    def exchange(self, table: Table, seat: Seat, count: int) -> tuple[Card, ...]:
        pile = table.house.pile
        assert pile is not None, "the service knows its own pile"
        return shuffle.exchange(hand_key(table, table.open.hand), seat, pile, count)


def hand_key(table: Table, hand: int) -> bytes:
    """The key of a hand at this table; the service knows the root."""
    root = table.house.root
    assert root is not None, "the service knows its own root"
    north, south = (bytes.fromhex(player.revealed or "") for player in (table.open.north, table.open.south))
    return shuffle.hand_key(bytes.fromhex(root), table.open.game, hand, north, south)
