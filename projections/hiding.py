"""Names that the operator has hidden: the one place that says what is shown in their stead. The bytes of a log stay."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from events.cards import SEATS
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
    return tuple(_event(event, hidden) for event in events)


def _event(event: Event, hidden: Collection[str]) -> Event:
    data = event.data
    if isinstance(data, PlayerJoined) and data.name in hidden:
        return msgspec.structs.replace(event, data=msgspec.structs.replace(data, name=HIDDEN))
    if isinstance(data, GameCreated) and data.names is not None:
        return msgspec.structs.replace(event, data=msgspec.structs.replace(data, names=_names(data.names, hidden)))
    return event


def _names(names: Names, hidden: Collection[str]) -> Names:
    return Names(shown(names.north, hidden), shown(names.south, hidden))


def shown_table(o: Open, hidden: Collection[str]) -> Open:
    """The open part of a table as views are made of it."""
    if o.names is not None and {o.names.north, o.names.south} & set(hidden):
        o = o.but(names=_names(o.names, hidden))
    for seat in SEATS:
        if o.player(seat).name in hidden:
            o = o.with_player(seat, name=HIDDEN)
    return o
