"""Answers as pure functions of the log: a commit, the table after it and who asks give the same bytes for ever (design §3)."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from events.cards import Seat
from events.log import Commit, genesis, load, next_head
from events.types import DisputeNote, DisputeOpened, DisputeSettled, Event
from projections.audience import Viewer, may_open
from projections.fold import apply
from projections.table import Dispute, Table, empty
from projections.view import view

Reader = Viewer | Literal["operator"]


def viewer_of(reader: Reader) -> Viewer:
    """Whose eyes a reader sees a game with: the operator sees a running game as a spectator does."""
    return "spectator" if reader == "operator" else reader


def view_for(reader: Reader, table: Table, head: bytes, receipt: bytes) -> dict[str, Any]:
    """The view of a reader."""
    seat = viewer_of(reader)
    if seat == "spectator":
        return view(table.open, head.hex(), receipt)
    return view(table.open, head.hex(), receipt, seat, table.own(seat))


def event_lines(commits: Sequence[Commit], head: bytes, reader: Reader, *, ended: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every event of commits that follow `head` as the reader may have it (design §4), beside its seq."""
    yield from _lines(commits, head, viewer_of(reader), ended=ended)


def _lines(commits: Sequence[Commit], head: bytes, viewer: Viewer, *, ended: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    for commit in commits:
        for seq, stored in enumerate(commit.events, commit.first):
            head = next_head(head, stored.public)
            line: dict[str, Any] = {"public": msgspec.Raw(stored.public)}
            if stored.sealed is not None and may_open(load(stored), viewer, ended=ended):
                line["sealed"] = msgspec.Raw(stored.sealed)
            line["head"] = head.hex()
            if seq == commit.seq:
                line["receipt"] = msgspec.Raw(commit.receipt)
            yield seq, line


def moved(after: Table, before_head: bytes, commit: Commit, seat: Reader) -> dict[str, Any]:
    """The answer to a move: `after` is the table after its commit."""
    lines = _lines([commit], before_head, viewer_of(seat), ended=after.open.phase == "ended")
    return {
        "version": commit.seq,
        "events": [line for _, line in lines],
        "view": view_for(seat, after, commit.head, commit.receipt),
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


def disputed(after: Table, before_head: bytes, commit: Commit, reader: Reader) -> dict[str, Any]:
    """The answer to who opens a dispute or settles it; the note stands in the answer to who wrote it."""
    events = [load(stored) for stored in commit.events]
    data = events[0].data
    assert isinstance(data, DisputeOpened | DisputeSettled)
    shown = dispute(after.open.disputes[data.n - 1], note_of(events, data.n))
    if isinstance(data, DisputeSettled):
        del shown["note"]
    return moved(after, before_head, commit, reader) | {"dispute": shown}


def seated(after: Table, commit: Commit, seat: Seat, token: str) -> dict[str, Any]:
    """The answer to a create or a join."""
    return {
        "game": after.open.game,
        "seat": seat,
        "token": token,
        "server_key": msgspec.to_builtins(after.open.server_key),
        "version": commit.seq,
        "view": view_for(seat, after, commit.head, commit.receipt),
        "receipt": msgspec.Raw(commit.receipt),
    }


def replayed(game: str, commits: Sequence[Commit], version: int) -> tuple[Table, bytes, Commit]:
    """The table after the commit that ends at `version`, the head before it, and that commit."""
    table, head = empty(game), genesis(game)
    for commit in commits:
        for stored in commit.events:
            table = apply(table, load(stored))
        if commit.seq == version:
            return table, head, commit
        head = commit.head
    raise LookupError(f"no commit of game {game} ends at version {version}")
