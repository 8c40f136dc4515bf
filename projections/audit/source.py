"""A log as the audit gets it: raw bytes, and what somebody claims about them, from a store or from a record."""

from collections.abc import Mapping, Sequence

import msgspec

from events.log import Commit, Stored
from events.record import Record, UnreadableRecord
from events.store import BadEntry, EntriesDeleted
from events.types import ServerKey
from projections.audit.codes import Code


class Source(msgspec.Struct, frozen=True):
    """`heads` and `receipts` are the claims, by version; `commits` the versions at which a commit ends, None where that is
    not written down; `length` the number of events claimed; `broken` the reason why reading stopped early, which is a
    finding of the code `broken_as`; `unrequested` the first events of entries that do not say whose request they were;
    `requested` the id of the game that was requested, None where nobody named one."""

    game: str
    events: tuple[Stored, ...]
    heads: Mapping[int, bytes]
    receipts: Mapping[int, bytes]
    length: int
    commits: frozenset[int] | None = None
    server_key: ServerKey | None = None
    broken: str | None = None
    broken_as: Code = Code.NOT_CANONICAL
    unrequested: tuple[int, ...] = ()
    requested: str | None = None


def from_commits(game: str, commits: Sequence[Commit], broken: BadEntry | None = None) -> Source:
    """The log of a store; `broken` is the entry that ended the reading, where it was not the end."""
    return Source(
        game,
        tuple(event for commit in commits for event in commit.events),
        {commit.seq: commit.head for commit in commits},
        {commit.seq: commit.receipt for commit in commits},
        commits[-1].seq if commits else 0,
        frozenset(commit.seq for commit in commits),
        None,
        None if broken is None else str(broken),
        Code.EVENTS_CUT if isinstance(broken, EntriesDeleted) else Code.NOT_AN_ENTRY,
        tuple(commit.first for commit in commits if not commit.is_requested),
    )


def from_record(record: Record, broken: UnreadableRecord | None = None, *, requested: str | None = None) -> Source:
    """The log of a record; `broken` is what ended the reading, where it was not the end, `requested` a game's id."""
    header = record.header
    receipts = {} if record.receipt is None else {len(record.events): record.receipt}
    return Source(
        header.game,
        record.events,
        {header.events: bytes.fromhex(header.head)},
        receipts,
        header.events,
        None,
        header.server_key,
        None if broken is None else str(broken),
        requested=requested,
    )
