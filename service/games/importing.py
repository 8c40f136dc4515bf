"""Records from elsewhere (record.md §1): kept apart from our own games, read-only, never signed, listed or counted."""

import io
from typing import Literal

import msgspec

from events import record
from events.keys import is_game_id
from events.log import Commit
from events.record import Record
from events.store import GameStore

Outcome = Literal[
    "imported", "there_already", "differs", "replaced", "ours_the_same", "ours_longer", "ours_shorter", "ours_differs"
]

GOOD: frozenset[Outcome] = frozenset({"imported", "there_already", "replaced", "ours_the_same", "ours_longer"})
"""Outcomes in which nothing contradicts anything."""


class Imported(msgspec.Struct, frozen=True):
    """What became of one record, and the event from which it differs from ours, where it does."""

    game: str
    outcome: Outcome
    message: str
    version: int | None = None


def import_record(store: GameStore, read: Record, *, replace: bool, dry_run: bool) -> Imported:
    """Keeps a record, or compares it with our own game of that id; a dry run only says what would be done."""
    game, raw = read.header.game, record.write(read)
    own = store.everything(game)
    if own:
        return _compare(game, own, read)
    there = store.imported(game)
    if there == raw:
        return Imported(game, "there_already", "this very record was imported before")
    if there is not None and not replace:
        return Imported(game, "differs", "another record of this game was imported before: --replace takes this one instead")
    if not dry_run:
        store.keep_import(game, raw, replace=replace)
    if there is not None:
        return Imported(game, "replaced", "it takes the place of the record imported before")
    return Imported(game, "imported", f"{len(read.events)} events, kept apart from our own games")


def _compare(game: str, own: tuple[Commit, ...], read: Record) -> Imported:
    ours = [event.public for commit in own for event in commit.events]
    theirs = [event.public for event in read.events]
    for version, (mine, other) in enumerate(zip(ours, theirs, strict=False), 1):
        if mine != other:
            text = f"one of our own games; the record contradicts it from event {version} on: ours stays as it is"
            return Imported(game, "ours_differs", text, version)
    if len(theirs) == len(ours):
        return Imported(game, "ours_the_same", "one of our own games; the record says the same")
    if len(theirs) < len(ours):
        return Imported(game, "ours_longer", f"one of our own games; the record is its first {len(theirs)} events")
    text = f"one of our own games, but the record goes on after event {len(ours)}: was an older copy of the store restored?"
    return Imported(game, "ours_shorter", text, len(ours) + 1)


def imported_record(store: GameStore, game: str) -> Record | None:
    """The record of a game from elsewhere, if one was imported."""
    raw = store.imported(game) if is_game_id(game) else None
    return None if raw is None else record.read(io.BytesIO(raw))
