"""Answers as pure functions of the log: a commit, the table after it and who asks give the same bytes for ever (design §3)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from events.cards import Seat
from events.log import Commit, heads_after, load
from events.types import DisputeNote, DisputeOpened, DisputeSettled, Event
from projections.audience import Viewer, may_open
from projections.table import Dispute, Table
from projections.view import view
from service.base.identity import Identity, invite_hash, same
from service.games.commits import Committed

Reader = Viewer | Literal["operator"]


def viewer_of(reader: Reader) -> Viewer:
    """Whose eyes a reader sees a game with: the operator sees a running game as a spectator does."""
    return "spectator" if reader == "operator" else reader


def asker(done: Committed) -> Reader:
    """Whose request made the commit: a seat, or the operator where it was made in the house's name."""
    return "operator" if done.asker == "house" else done.asker


def view_for(reader: Reader, table: Table, head: bytes, receipt: bytes) -> dict[str, Any]:
    """The view of a reader."""
    seat = viewer_of(reader)
    if seat == "spectator":
        return view(table.open, head.hex(), receipt)
    return view(table.open, head.hex(), receipt, seat, table.own(seat))


def event_lines(commits: Sequence[Commit], head: bytes, reader: Reader, *, ended: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every event of commits that follow `head` as the reader may have it (design §4), beside its seq."""
    for commit in commits:
        heads = heads_after(head, commit.events)
        yield from _lines(commit, map(load, commit.events), heads, viewer_of(reader), ended=ended)
        head = commit.head


def _lines(
    commit: Commit, events: Iterable[Event], heads: Sequence[bytes], viewer: Viewer, *, ended: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    """`events` and `heads` are those of the commit; an event without a sealed part need not be known."""
    for seq, (stored, event, head) in enumerate(zip(commit.events, events, heads, strict=True), commit.first):
        line: dict[str, Any] = {"public": msgspec.Raw(stored.public)}
        if stored.sealed is not None and may_open(event, viewer, ended=ended):
            line["sealed"] = msgspec.Raw(stored.sealed)
        line["head"] = head.hex()
        if seq == commit.seq:
            line["receipt"] = msgspec.Raw(commit.receipt)
        yield seq, line


def moved(done: Committed, after: Table, reader: Reader) -> dict[str, Any]:
    """The answer to a move: `after` is the table after its commit, as it is shown to people."""
    commit = done.commit
    lines = _lines(commit, done.events, done.heads, viewer_of(reader), ended=after.open.ended)
    return {
        "version": commit.seq,
        "events": [line for _, line in lines],
        "view": view_for(reader, after, commit.head, commit.receipt),
        "receipt": msgspec.Raw(commit.receipt),
    }


def dispute(found: Dispute, note: str) -> dict[str, Any]:
    """A dispute as the two players and the operator may read it: what is public of it, and the note."""
    told: dict[str, Any] = msgspec.to_builtins(found)
    shown = {key: value for key, value in told.items() if value is not None}
    return shown | {"status": "open" if found.settled is None else "settled", "note": note}


def note_of(events: Sequence[Event], n: int) -> str:
    """What was written to the operator with dispute `n`; the events are those of the service itself."""
    notes = (e.secret.note for e in events if isinstance(e.secret, DisputeNote) and getattr(e.data, "n", 0) == n)
    return next(notes, "")


def disputed(done: Committed, after: Table, reader: Reader) -> dict[str, Any]:
    """The answer to a dispute opened or settled; the note is in the answer to whoever wrote it."""
    data = done.events[0].data
    assert isinstance(data, DisputeOpened | DisputeSettled)
    shown = dispute(after.open.disputes[data.n - 1], note_of(done.events, data.n))
    if isinstance(data, DisputeSettled):
        del shown["note"]
    return moved(done, after, reader) | {"dispute": shown}


def created(identity: Identity, done: Committed, after: Table, key: bytes) -> dict[str, Any]:
    """The answer to a create; there is an invite only where the other seat is nobody's yet."""
    game = after.open.game
    answer = seated(done, after, "north", identity.token("north", game, key))
    invite, server_key = identity.invite(game), after.open.server_key
    if server_key is not None and same(invite_hash(invite), after.house.invite_hash or ""):
        answer["invite"] = f"{invite}.{done.commit.head.hex()}.{server_key.id}"
    return answer


def joined(identity: Identity, done: Committed, after: Table, key: bytes) -> dict[str, Any]:
    """The answer to a join."""
    return seated(done, after, "south", identity.token("south", after.open.game, key))


def seated(done: Committed, after: Table, seat: Seat, token: str) -> dict[str, Any]:
    """The answer to whoever has taken a seat."""
    commit = done.commit
    return {
        "game": after.open.game,
        "seat": seat,
        "token": token,
        "server_key": msgspec.to_builtins(after.open.server_key),
        "version": commit.seq,
        "view": view_for(seat, after, commit.head, commit.receipt),
        "receipt": msgspec.Raw(commit.receipt),
    }
