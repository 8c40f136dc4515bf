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
    game, place = lost.game, lost.place
    try:
        there = store.read(game)
        loaded = extend(new(game), () if isinstance(there, HistoryLost) else there)
    except DAMAGE as error:
        log.error("log_damaged", game=game, reason=str(error))  # noqa: TRY400 - the sentence says it all
        return False
    if any(place.version <= loss.version or (at is not None and at <= loss.at) for loss in loaded.table.open.losses):
        return False
    store.freeze(game, FrozenGame(place.version, place.head.hex(), receipt))
    log.error("history_lost", game=game, had=place.version, has=lost.left)
    return True


def is_accepted(store: GameStore, lost: LostHead) -> bool:
    """Whether the log has a note of the operator that accepts the loss; a damaged log has none that can be read."""
    try:
        there = store.read(lost.game)
        loaded = extend(new(lost.game), () if isinstance(there, HistoryLost) else there)
    except DAMAGE:
        return False
    return any(lost.place.version <= loss.version for loss in loaded.table.open.losses)
