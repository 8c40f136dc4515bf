"""The lists of one service: the mirror of its read models, and what the log must still be asked."""

from collections.abc import Sequence
from typing import Any

from events.feed import Feed
from events.log import Stored, load
from events.redis_store import RedisStore
from events.store import Lost
from projections.across.row import Row
from service.following.books import Books
from service.identity import Identity
from service.lists.mirror import Mirror
from service.lists.query import Wanted, game_data, page, patience, ranked, standing_data


class Lists:
    """What is asked about more than one game. Calls may raise `Unreachable`."""

    def __init__(self, store: RedisStore, books: Books, identity: Identity) -> None:
        self._store = store
        self._identity = identity
        self.mirror = Mirror(books)

    def games(self, wanted: Wanted) -> dict[str, Any]:
        """A page of games; the open ones that are listed with their invite. Raises `BadCursor`."""
        found = page(self.mirror.rows(), wanted, self.stalled)
        shown: dict[str, Any] = {"games": [game_data(row, self._invite(row)) for row in found.rows]}
        return shown if found.next is None else {**shown, "next": found.next}

    def _invite(self, row: Row) -> str | None:
        return self._identity.invite(row.game) if row.listed and row.status == "open" else None

    def player(self, name: str, *, everything: bool) -> dict[str, Any] | None:
        """What there is of a player, None for nobody: the standing over rated games, and games that may be listed."""
        standing = self.mirror.standings().get(name)
        games = self.games(Wanted(player=name, everything=everything))
        if standing is None and not games["games"]:
            return None
        return {"name": name, **games, **({"rated": standing_data(standing)} if standing else {})}

    def ladder(self) -> list[dict[str, Any]]:
        """Everybody over rated games, the best first."""
        return ranked(self.mirror.standings())

    def stalled(self, rows: Sequence[Row]) -> set[str]:
        """Which of these running games nobody has moved in for longer than they allow; the log is asked, by its own clock."""
        now = Feed(self._store, "").now()
        old = [row for row in rows if now - row.at > patience(row)]  # moves are not announced: it may have gone on since
        return {row.game for row in old if now - self._last(row) > patience(row)}

    def _last(self, row: Row) -> int:
        place = self._store.place(row.game, 2**53)
        if place.version == row.version:
            return row.at
        found = self._store.read(row.game, self._store.place(row.game, place.version - 1))
        return row.at if isinstance(found, Lost) or not found else load(Stored(found[-1].events[-1].public)).at
