"""Finding a place among the steps of a game by its position; it makes no step and no position."""

from collections.abc import Sequence

from projections.positions import Index
from projections.replay.walk import Step, index


def step_at(found: Sequence[Step], position: str) -> Step:
    """The step of a position, the last one of a range. Raises `BadPosition`."""
    return _from(found, last_version(index(found), position))


def opening(found: Sequence[Step], position: str) -> Step:
    """Where a walk opens that is to show a position. Raises `BadPosition`."""
    return _from(found, opening_version(index(found), position))


def last_version(places: Index, position: str) -> int:
    """The version of the last event of a position. Raises `BadPosition`."""
    return places.span(position).last


def opening_version(places: Index, position: str) -> int:
    """The version at which a position is shown: a hand at its beginning, a trick as it is taken, else the one moment.

    Raises `BadPosition`.
    """
    span = places.span(position)
    return span.first if position.isdigit() else span.last


def _from(found: Sequence[Step], version: int) -> Step:
    return next(step for step in found if step.version >= version)
