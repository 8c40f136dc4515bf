"""Names that the operator has hidden: the one place that says what is shown in their stead. The bytes of a log stay."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

import msgspec

from events.cards import SEATS, Seat
from events.journal import Note
from events.types import Event, GameCreated, Names, PlayerJoined
from projections.table import Open

HIDDEN: Final = "(hidden)"
"""No name that can be entered: those have no parentheses (design §4)."""


def hidden_by(notes: Iterable[Note], before: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names hidden by the operator's journal; with `before`, by what was hidden and further notes."""
    names = set(before)
    for note in notes:
        if note.kind == "hide" and note.name:  # an empty seat has no name
            names.add(note.name)
        elif note.kind == "unhide" and note.name:
            names.discard(note.name)
    return frozenset(names)


def shown(name: str, hidden: Collection[str]) -> str:
    """The name as it is shown to people."""
    return HIDDEN if name in hidden else name


def shown_events(events: Sequence[Event], hidden: Collection[str]) -> tuple[Event, ...]:
    """Events as they are told to people: replays, score sheets and explanations are made of these."""
    return renamed(events, lambda _, name: shown(name, hidden))


def renamed(events: Sequence[Event], name_of: Callable[[Seat, str], str]) -> tuple[Event, ...]:
    """The events with other names; `name_of` gives the one for a seat and the name it has."""
    return tuple(_event(event, name_of) for event in events)


def _event(event: Event, name_of: Callable[[Seat, str], str]) -> Event:
    data = event.data
    if isinstance(data, PlayerJoined):
        return msgspec.structs.replace(event, data=msgspec.structs.replace(data, name=name_of(data.seat, data.name)))
    if isinstance(data, GameCreated) and data.names is not None:
        names = Names(name_of("north", data.names.north), name_of("south", data.names.south))
        return msgspec.structs.replace(event, data=msgspec.structs.replace(data, names=names))
    return event


def shown_table(o: Open, hidden: Collection[str]) -> Open:
    """The open part of a table as views are made of it."""
    if o.names is not None and {o.names.north, o.names.south} & set(hidden):
        o = o.but(names=Names(shown(o.names.north, hidden), shown(o.names.south, hidden)))
    for seat in SEATS:
        if o.player(seat).name in hidden:
            o = o.with_player(seat, name=HIDDEN)
    return o
