"""The audit of the cards (fairness.md, The shuffle): commitments, reveals, root, decks and exchange draws."""

from collections.abc import Iterator

import msgspec

from events import shuffle
from events.cards import DECK, Card, Seat
from events.types import Exchanged, Stock
from projections.audit.codes import Code
from projections.audit.findings import Finding
from projections.table import Table


class Deal(msgspec.Struct, frozen=True):
    """Cards that were dealt by the service at one event: a whole deck, or an exchange out of a pile."""

    version: int
    position: str
    hand: int
    drawn: tuple[Card, ...]
    seat: Seat | None = None
    pile: tuple[Card, ...] = ()


def deck_problem(stock: tuple[Card, ...]) -> str | None:
    """Why these are not the 52 cards, or None."""
    if len(set(stock)) == len(DECK):
        return None
    twice = next(card for card in stock if stock.count(card) > 1)
    missing = next(card for card in DECK if card not in stock)
    return f"{twice} is in the stock {stock.count(twice)} times and {missing} is not"


def derived(table: Table, root: bytes, deals: list[Deal]) -> Iterator[Finding]:
    """Whether the root and the players' own bytes give every deck and every draw. `table` is the one at the end."""
    o = table.open
    north, south = (bytes.fromhex(player.revealed or "") for player in (o.north, o.south))
    for deal in deals:
        key = shuffle.hand_key(root, o.game, deal.hand, north, south)
        if deal.seat is None:
            right = shuffle.stock(key)
            if right != deal.drawn:
                index = next(i for i in range(52) if right[i] != deal.drawn[i])
                yield Finding(
                    Code.DECK_NOT_DERIVED, deal.position, deal.version,
                    f"the root does not give the stock of hand {deal.hand}: its card {index + 1} should be {right[index]}, "
                    f"not {deal.drawn[index]}",
                )  # fmt: skip
        else:
            drawn = shuffle.exchange(key, deal.seat, deal.pile, len(deal.drawn))
            if drawn != deal.drawn:
                yield Finding(
                    Code.EXCHANGE_NOT_DERIVED, deal.position, deal.version,
                    f"the root gives {deal.seat} {' '.join(drawn)} in the exchange, not {' '.join(deal.drawn)}",
                )  # fmt: skip


def stock_of(secret: object) -> tuple[Card, ...] | None:
    """The stock of a `hand_started`, where it may be seen."""
    return secret.stock if isinstance(secret, Stock) else None


def drawn_of(secret: object) -> tuple[Card, ...] | None:
    """The cards drawn in an exchange, where they may be seen."""
    return secret.drawn if isinstance(secret, Exchanged) else None
