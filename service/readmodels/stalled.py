"""Which running games nobody moves in any more: moves are not announced, so the log itself is asked, by its own clock."""

from collections.abc import Sequence
from typing import Final

from events.log import Stored, load
from events.redis_store import RedisStore
from events.store import BadEntry, HistoryLost
from projections.across.row import GameRow

STALLED_MS: Final = 24 * 60 * 60 * 1000
"""A running game without a limit on a turn is stalled when nobody has touched it for a day."""


def stalled(store: RedisStore, rows: Sequence[GameRow]) -> set[str]:
    """Which of these running games have stood still for longer than they allow. Raises `Unreachable`."""
    now = store.now()
    old = [row for row in rows if now - row.at > _patience(row)]
    return {row.game for row in old if now - _last(store, row) > _patience(row)}


def _patience(row: GameRow) -> int:
    """How long nobody may move before a running game counts as stalled, in ms."""
    seconds = row.rules.get("turn_seconds")
    return seconds * 1000 if isinstance(seconds, int) and seconds else STALLED_MS


def _last(store: RedisStore, row: GameRow) -> int:
    try:
        place = store.place(row.game, 2**53)
        if place.version == row.version:
            return row.at
        found = store.read(row.game, store.place(row.game, place.version - 1))
        return row.at if isinstance(found, HistoryLost) or not found else load(Stored(found[-1].events[-1].public)).at
    except (BadEntry, ValueError):
        return row.at
