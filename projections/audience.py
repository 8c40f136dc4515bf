"""Who may have a sealed part (fairness.md, Public and sealed): a function that gives, so that nothing has to be taken away."""

from typing import Literal

import msgspec

from events.cards import Seat
from events.types import Event

Viewer = Seat | Literal["spectator"]


def may_open(event: Event, viewer: Viewer, *, ended: bool) -> bool:
    """Whether `viewer` may have the event's sealed part: its owner at once, everybody once play has ended."""
    if event.secret is None:
        return False
    return event.owner == viewer or (ended and event.type.opened)


def seen_by(event: Event, viewer: Viewer, *, ended: bool) -> Event:
    """The event as `viewer` may see it."""
    if event.secret is None or may_open(event, viewer, ended=ended):
        return event
    return msgspec.structs.replace(event, secret=None, owner=None, salt=None)
