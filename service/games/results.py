"""Answers as pure functions of the log: a commit, the table after it and who asks give the same bytes for ever (design §3)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from events.cards import Seat
from events.log import Commit, heads_after, load
from events.types import DisputeNote, DisputeOpened, DisputeSettled, Event
from projections.audience import Viewer, may_open
from projections.table import Dispute, Table
from projections.view import view
from projections.view_types import View
from service.base.identity import Identity, invite_hash, same
from service.games.commits import Committed
from service.games.result_types import Created, Disputed, DisputeView, EventLine, Joined, Moved

Reader = Viewer | Literal["operator"]


def viewer_of(reader: Reader) -> Viewer:
    """Whose eyes a reader sees a game with: the operator sees a running game as a spectator does."""
    return "spectator" if reader == "operator" else reader


def asker(done: Committed) -> Reader:
    """Whose request made the commit: a seat, or the operator where it was made in the house's name."""
    return "operator" if done.asker == "house" else done.asker


def view_for(reader: Reader, table: Table, head: bytes, receipt: bytes) -> View:
    """The view of a reader."""
    seat = viewer_of(reader)
    if seat == "spectator":
        return view(table.open, head.hex(), receipt)
    return view(table.open, head.hex(), receipt, seat, table.own(seat))


def event_lines(commits: Sequence[Commit], head: bytes, reader: Reader, *, ended: bool) -> Iterator[tuple[int, EventLine]]:
    """Every event of commits that follow `head` as the reader may have it (design §4), beside its seq."""
    for commit in commits:
        heads = heads_after(head, commit.events)
        yield from _lines(commit, map(load, commit.events), heads, viewer_of(reader), ended=ended)
        head = commit.head


def _lines(
    commit: Commit, events: Iterable[Event], heads: Sequence[bytes], viewer: Viewer, *, ended: bool
) -> Iterator[tuple[int, EventLine]]:
    """`events` and `heads` are those of the commit; an event without a sealed part need not be known."""
    for seq, (stored, event, head) in enumerate(zip(commit.events, events, heads, strict=True), commit.first):
        sealed = stored.sealed if stored.sealed is not None and may_open(event, viewer, ended=ended) else None
        line = EventLine(
            public=msgspec.Raw(stored.public),
            sealed=None if sealed is None else msgspec.Raw(sealed),
            head=head.hex(),
            receipt=msgspec.Raw(commit.receipt) if seq == commit.seq else None,
        )
        yield seq, line


def moved(done: Committed, after: Table, reader: Reader) -> Moved:
    """The answer to a move: `after` is the table after its commit, as it is shown to people."""
    commit = done.commit
    lines = _lines(commit, done.events, done.heads, viewer_of(reader), ended=after.open.ended)
    return Moved(
        version=commit.seq,
        events=tuple(line for _, line in lines),
        view=view_for(reader, after, commit.head, commit.receipt),
        receipt=msgspec.Raw(commit.receipt),
    )


def dispute(found: Dispute, note: str | None) -> DisputeView:
    """A dispute as the two players and the operator may read it: what is public of it, and the note."""
    status: Literal["open", "settled"] = "open" if found.settled is None else "settled"
    return DisputeView(**msgspec.structs.asdict(found), status=status, note=note)


def note_of(events: Sequence[Event], n: int) -> str:
    """What was written to the operator with dispute `n`; the events are those of the service itself."""
    notes = (e.secret.note for e in events if isinstance(e.secret, DisputeNote) and getattr(e.data, "n", 0) == n)
    return next(notes, "")


def disputed(done: Committed, after: Table, reader: Reader) -> Disputed:
    """The answer to a dispute opened or settled; the note is in the answer to whoever wrote it."""
    data = done.events[0].data
    assert isinstance(data, DisputeOpened | DisputeSettled)
    note = None if isinstance(data, DisputeSettled) else note_of(done.events, data.n)
    shown = dispute(after.open.disputes[data.n - 1], note)
    return Disputed(**msgspec.structs.asdict(moved(done, after, reader)), dispute=shown)


def created(identity: Identity, done: Committed, after: Table, key: bytes) -> Created:
    """The answer to a create."""
    game = after.open.game
    answer = Created(**msgspec.structs.asdict(seated(done, after, "north", identity.token("north", game, key))))
    invite = identity.invite(game)
    if not same(invite_hash(invite), after.house.invite_hash or ""):
        return answer
    return msgspec.structs.replace(answer, invite=f"{invite}.{done.commit.head.hex()}.{answer.server_key.id}")


def joined(identity: Identity, done: Committed, after: Table, key: bytes) -> Joined:
    """The answer to a join."""
    return seated(done, after, "south", identity.token("south", after.open.game, key))


def seated(done: Committed, after: Table, seat: Seat, token: str) -> Joined:
    """The answer to whoever has taken a seat."""
    commit, server_key = done.commit, after.open.server_key
    assert server_key is not None  # event 1 names it
    return Joined(
        game=after.open.game,
        seat=seat,
        token=token,
        server_key=server_key,
        version=commit.seq,
        view=view_for(seat, after, commit.head, commit.receipt),
        receipt=msgspec.Raw(commit.receipt),
    )
