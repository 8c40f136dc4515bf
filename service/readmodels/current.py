"""Every game as a row, up to the end of its log: what the read model holds, and the rest read from the logs themselves.

For commands, which must tell the truth also where nobody follows.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from events.redis_store import RedisStore
from events.store import BadEntry, HistoryLost, start
from projections.across.models import GAMES
from projections.across.row import GameRow, advance, read
from service.readmodels.follower import last_ids
from service.readmodels.model_store import ReadModelStore

_BATCH: Final = 500


def current(store: RedisStore, books: ReadModelStore) -> Iterator[GameRow]:
    """A row for every game of the store, in no order. Raises `Unreachable`."""
    held = _held(books)
    games = store.games()
    while some := list(islice(games, _BATCH)):
        last = last_ids(store, some)
        for game in some:
            row = held.get(game) or GameRow(game=game)
            yield row if row.version == last[game] else _read(store, row)


def _held(books: ReadModelStore) -> dict[str, GameRow]:
    now = books.serving(GAMES).now
    if now is None or now.version != GAMES.version:
        return {}
    parts = (books.load(GAMES, now.number, part).fields for part in GAMES.parts)
    return {game: read(raw) for fields in parts for game, raw in fields.items()}


def _read(store: RedisStore, row: GameRow) -> GameRow:
    place = GAMES.place({row.game: row.data()}, row.game) or start(row.game)
    try:
        found = store.read(row.game, place)
        if isinstance(found, HistoryLost):
            row, found = GameRow(game=row.game), store.read(row.game)
        return row if isinstance(found, HistoryLost) else advance(row, found)
    except BadEntry:
        return msgspec.structs.replace(row, status="damaged")
