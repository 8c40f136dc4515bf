"""Games without the names of their players: a walk is made with seats in it, and names are put in where it is shown.

So a walk that is kept outlives a name that the operator hides, and serves everybody who may see the same.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from events.cards import SEATS, Seat
from events.printable import printable
from events.types import Event
from projections.hiding import renamed

PLACEHOLDERS: Final[Mapping[Seat, str]] = {seat: f"⟦{seat}⟧" for seat in SEATS}
"""What stands for the name of a seat: no name that can be entered (design §4) has these brackets."""


def unnamed(events: Sequence[Event]) -> tuple[Event, ...]:
    """The events with a placeholder for each name."""
    return renamed(events, lambda seat, _: PLACEHOLDERS[seat])


def named(raw: bytes, names: Mapping[Seat, str]) -> bytes:
    """JSON that was made of unnamed events, with the names in it."""
    for seat, name in names.items():
        raw = raw.replace(PLACEHOLDERS[seat].encode(), msgspec.json.encode(printable(name))[1:-1])
    return raw
