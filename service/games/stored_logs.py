"""The logs that a store holds, as the audit gets them: the same source for command line, bulk run, job and HTTP.

A damage never raises here: the source ends before it, and the audit names it.
"""

import io

import msgspec

from events import record
from events.log import ends_play
from events.record import UnreadableRecord
from events.store import BadEntry, GameStore
from projections.audit import Source, from_commits, from_record
from projections.audit.codes import Code


class StoredLog(msgspec.Struct, frozen=True):
    """A log as far as it can be read, and whether the end of play is anywhere in it, also after a damage."""

    source: Source
    ended: bool


def own_log(store: GameStore, game: str) -> StoredLog | None:
    """The log of one of the service's own games, None where there is none. Raises `Unreachable`."""
    try:
        commits, broken = store.everything(game), None
    except BadEntry as error:
        commits, broken = error.read, error
    if not commits and broken is None:
        return None
    source = from_commits(game, commits, broken)
    left = () if broken is None else broken.left
    return StoredLog(source, any(map(ends_play, (*(event.public for event in source.events), *left))))


def imported_log(game: str, raw: bytes) -> Source:
    """The log of a record that was imported under this id; `raw` are the bytes that the store holds."""
    try:
        source = from_record(record.read(io.BytesIO(raw)))
    except UnreadableRecord as error:
        if error.read is None:
            return Source(game, (), {}, {}, 0, broken=str(error))
        source = from_record(error.read, error)
    if source.game != game:
        return Source(
            game, (), {}, {}, 0, broken=f"the store holds a record of game {source.game} here", broken_as=Code.NOT_AN_ENTRY
        )
    return source
