"""A read model as one process holds it for answering: read again where it has changed since, thrown away without loss."""

import threading
from collections.abc import Callable, Mapping

from projections.across.ladder import Standing, counts, standings
from projections.across.models import GAMES, LADDER
from projections.across.row import GameRow, read
from service.readmodels.model_store import ReadModelStore


class Mirror:
    """Rows of all games and the standings of all players, as they serve now. Calls may raise `Unreachable`."""

    def __init__(self, books: ReadModelStore, frozen: Callable[[], frozenset[str]] = frozenset) -> None:
        """`frozen` are the games whose history was lost: they do not count on the ladder."""
        self._books = books
        self._frozen = frozen
        self._left_out: frozenset[str] = frozenset()
        self._lock = threading.Lock()
        self._generation = 0
        self._revisions: tuple[int, ...] = (0,) * len(GAMES.parts)
        self._parts: list[dict[str, GameRow]] = [{} for _ in GAMES.parts]
        self._rows: list[GameRow] = []
        self._ladder: tuple[int, int] = (0, 0)
        self._standings: dict[str, Standing] = {}

    def rows(self) -> list[GameRow]:
        """Every game, the one made last first."""
        with self._lock:
            now = self._books.serving(GAMES).now
            if now is None:
                return []
            revisions = self._books.revisions(GAMES, now.number)
            if (now.number, revisions) != (self._generation, self._revisions):
                fresh = now.number != self._generation
                for index, part in enumerate(GAMES.parts):
                    if fresh or revisions[index] != self._revisions[index]:
                        held = self._books.load(GAMES, now.number, part)
                        self._parts[index] = {game: read(raw) for game, raw in held.fields.items()}
                self._generation, self._revisions = now.number, revisions
                every = (row for rows in self._parts for row in rows.values())
                self._rows = sorted(every, key=place, reverse=True)
            return self._rows

    def standings(self) -> Mapping[str, Standing]:
        """Everybody's standing over rated games."""
        with self._lock:
            now = self._books.serving(LADDER).now
            if now is None:
                return {}
            (revision,) = self._books.revisions(LADDER, now.number)
            left_out = self._frozen()
            if (now.number, revision, left_out) != (*self._ladder, self._left_out):
                held = self._books.load(LADDER, now.number, LADDER.parts[0])
                rated = [row for row in LADDER.rows(held.fields) if counts(row)] if left_out else []
                if any(row.game in left_out for row in rated):
                    self._standings = standings(row for row in rated if row.game not in left_out)
                else:
                    self._standings = LADDER.standings(held.fields)
                self._ladder, self._left_out = (now.number, revision), left_out
            return self._standings


def place(row: GameRow) -> tuple[int, str]:
    """Where a game stands in a list: by when it was made, then by id; it never changes."""
    return row.created, row.game
