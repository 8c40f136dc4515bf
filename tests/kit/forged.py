"""A service that lies: events of a game that are changed before they are chained again."""

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from events import record
from events.log import heads
from events.types import Data, Event
from tests.kit.games import Game

Groups = list[list[Event]]


def groups_of(game: Game) -> Groups:
    """The game's commits as lists that may be changed."""
    return [list(commit) for commit in game.commits]


def place_of(groups: Groups, wanted: Callable[[Event], bool], nth: int = 0) -> tuple[int, int]:
    """Which commit and which event of it: the `nth` event that is wanted."""
    found = [(c, e) for c, group in enumerate(groups) for e, event in enumerate(group) if wanted(event)]
    assert found, "the game has no such event"
    return found[nth]


def seq_at(groups: Groups, place: tuple[int, int]) -> int:
    """The number an event in this place gets."""
    return sum(len(group) for group in groups[: place[0]]) + place[1] + 1


def edited(groups: Groups, place: tuple[int, int], **changes: Any) -> Groups:
    """The same with one event changed: `data`, `secret`, `owner`, `at`, …; a mapping changes fields of data or secret."""
    event = groups[place[0]][place[1]]
    for name in ("data", "secret"):
        if isinstance(changes.get(name), Mapping):
            changes[name] = msgspec.structs.replace(getattr(event, name), **changes[name])
    copy = [list(group) for group in groups]
    copy[place[0]][place[1]] = msgspec.structs.replace(event, **changes)
    return copy


def is_a(kind: type[Data], **wanted: Any) -> Callable[[Event], bool]:
    """A test for events of this kind whose data has these values."""

    def right(event: Event) -> bool:
        return isinstance(event.data, kind) and all(getattr(event.data, name) == value for name, value in wanted.items())

    return right


def renamed(raw: bytes, game: str, names: Sequence[str]) -> bytes:
    """A record as another game's, with these names in place of the players', chained again; nobody has signed it."""
    found = record.read(io.BytesIO(raw))
    given = iter(names)
    publics = [re.sub(rb'"name":"[^"]*"', lambda _: f'"name":"{next(given)}"'.encode(), one.public) for one in found.events]
    events = tuple(msgspec.structs.replace(stored, public=public) for stored, public in zip(found.events, publics, strict=True))
    header = msgspec.structs.replace(found.header, game=game, head=heads(game, publics)[-1].hex())
    return record.write(msgspec.structs.replace(found, header=header, events=events, receipt=None))
