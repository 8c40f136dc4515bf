"""One step of a replay: a moment that has a position, as one viewer may see it, and how it is told."""

import msgspec

from events.cards import Card, Seat
from events.types import Event
from projections.table import Table, Trick


class Step(msgspec.Struct, frozen=True):
    """One moment, just after its event: `text` is what happened, `why` the reasons; `hands` and `legal` are what the viewer
    may know of the seats and of what the seat on turn may do; `trick` is a trick that is complete with this step."""

    position: str
    version: int
    hand: int
    at: int
    event: Event
    text: str
    why: tuple[str, ...]
    hands: dict[Seat, tuple[Card, ...]]
    legal: tuple[Seat, tuple[Card, ...]] | None
    before: Table
    after: Table
    trick: Trick | None = None
    trick_why: str | None = None
    discarded: Event | None = None


def holds_all(table: Table, seat: Seat) -> bool:
    """Whether the seat holds cards, and those known are all of them."""
    return 0 < len(table.own(seat).hand) == table.open.player(seat).cards
