"""A game as a record for one reader (record.md §1): the public log, and the sealed parts this reader may have."""

from collections.abc import Sequence

from events.log import Commit, Stored, load
from events.record import Header, Record
from events.types import GameCreated
from projections.audience import Viewer, may_open


def record_for(game: str, commits: Sequence[Commit], viewer: Viewer, *, ended: bool) -> Record:
    """The record of a log that was read whole. Raises `BadEvent` or `NotCanonical` for a log nobody can read."""
    stored = [event for commit in commits for event in commit.events]
    loaded = [load(event) for event in stored]
    created = loaded[0].data
    assert isinstance(created, GameCreated)
    shown = tuple(
        event if may_open(known, viewer, ended=ended) else Stored(event.public)
        for event, known in zip(stored, loaded, strict=True)
    )
    head = commits[-1].head.hex()
    header = Header(len(shown), "trickbook-record", game, head, created.server_key, 1)
    return Record(header, shown, commits[-1].receipt)
