"""Entropy that repeats: cards that are given instead of shuffled."""

import random
from collections.abc import Iterable, Mapping, Sequence

from events.cards import Card, Seat
from projections.table import Table
from service.base.entropy import Csprng


def cards(text: str) -> tuple[Card, ...]:
    """The cards of a text such as ``"QS TD 2C"``."""
    return tuple(Card(card) for card in text.split())


class Scripted(Csprng):
    """Entropy that repeats: root and salts from a seed, stocks and exchange draws as given, derived where none is given."""

    def __init__(
        self, seed: int = 0, stocks: Mapping[int, Sequence[Card]] | None = None, draws: Iterable[Sequence[Card]] = ()
    ) -> None:
        self._dice = random.Random(seed)
        self.stocks = dict(stocks or {})
        self.draws = [tuple(drawn) for drawn in draws]

    def root(self) -> str:
        return self._dice.randbytes(32).hex()

    def salt(self) -> str:
        return self._dice.randbytes(16).hex()

    def stock(self, table: Table, hand: int) -> tuple[Card, ...]:
        return tuple(self.stocks[hand]) if hand in self.stocks else super().stock(table, hand)

    def exchange(self, table: Table, seat: Seat, count: int) -> tuple[Card, ...]:
        return self.draws.pop(0) if self.draws else super().exchange(table, seat, count)
