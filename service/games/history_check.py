"""Compares the log of each game with how far it had come: what is gone is proof that an older copy of the store was put back.

A log that is damaged is no older copy, and freezes nothing.
"""

import msgspec
import structlog

from events.store import FrozenGame, GameStore, HistoryLost, LostHead
from service.base.high_water import Contents
from service.games.loaded_game import extend, new
from service.games.reading import DAMAGE

log = structlog.get_logger("trickbook.history")


class Comparison(msgspec.Struct, frozen=True):
    """How many games were compared, and those whose log lacks a place it had: they are frozen. `unreadable` is the number of
    lines of the file that could not be read."""

    games: int
    lost: tuple[LostHead, ...] = ()
    unreadable: int = 0


def compare(store: GameStore, file: Contents) -> Comparison:
    """Freezes each game whose log lacks its place in the file. Raises `events.store.Unreachable`."""
    lost = tuple(found for found in store.lost(file.places.items()) if freeze(store, found, ""))
    return Comparison(len(file.places), lost, file.unreadable)


def freeze(store: GameStore, lost: LostHead, receipt: str, at: int | None = None) -> bool:
    """Freezes a game whose log lacks a place, unless the operator has accepted that loss; whether it is frozen now.

    `receipt` is the one that proves the place, if any, and `at` its time: all that was signed before the note is accepted.
    """
    try:
        if _accepted(store, lost, at):
            return False
    except DAMAGE as error:
        log.error("log_damaged", game=lost.game, reason=str(error))  # noqa: TRY400 - the sentence says it all
        return False
    store.freeze(lost.game, FrozenGame(lost.place.version, lost.place.head.hex(), receipt))
    log.error("history_lost", game=lost.game, had=lost.place.version, has=lost.left)
    return True


def is_accepted(store: GameStore, lost: LostHead) -> bool:
    """Whether the operator has accepted the loss; a damaged log has no note that can be read."""
    try:
        return _accepted(store, lost, None)
    except DAMAGE:
        return False


def _accepted(store: GameStore, lost: LostHead, at: int | None) -> bool:
    """Whether a note accepts the loss: in the log, and in the operator's journal where there is no log. Raises `DAMAGE`."""
    there = store.read(lost.game)
    if isinstance(there, HistoryLost) or not there:
        return any(note.kind == "accept_loss" and note.game == lost.game for note in store.notes())
    losses = extend(new(lost.game), there).table.open.losses
    return any(lost.place.version <= loss.version or (at is not None and at <= loss.at) for loss in losses)
