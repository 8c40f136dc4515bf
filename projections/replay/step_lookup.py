"""Finding a place among the steps of a game by its position; it makes no step and no position."""

from collections.abc import Sequence

from events.types import Event
from projections.replay.walk import Step, index


def events_of(found: Sequence[Step]) -> list[Event]:
    """The events of the steps, in order."""
    return [event for step in found for event in (step.event, step.discarded) if event is not None]


def step_at(found: Sequence[Step], position: str) -> Step:
    """The step of a position, the last one of a range. Raises `BadPosition`."""
    last = index(found).span(position).last
    return next(step for step in found if step.version >= last)


def opening(found: Sequence[Step], position: str) -> Step:
    """Where a walk opens that is to show a position: a hand at its beginning, a trick as it is taken, else the one moment.

    Raises `BadPosition`.
    """
    span = index(found).span(position)
    wanted = span.first if position.isdigit() else span.last
    return next(step for step in found if step.version >= wanted)
