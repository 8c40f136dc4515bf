"""The ladder: ratings and figures of players over rated games, in the order in which play ended (openskill's Plackett-Luce).

A game that arrives late has its place by its end, so that everything after it is rated again.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from events.cards import SEATS
from projections.across.row import GameRow, RowFigures


class Standing(msgspec.Struct, frozen=True):
    """A player over rated games. `rating` is what the ladder is ordered by, mu - 3 sigma; `at` is when the last game
    ended, ms since 1970."""

    name: str
    games: int
    wins: int
    draws: int
    mu: float
    sigma: float
    figures: RowFigures
    at: int

    @property
    def rating(self) -> float:
        return self.mu - 3 * self.sigma


def counts(row: GameRow) -> bool:
    """Whether a game counts for the ladder: rated, played to an end that has a result."""
    return row.rated and row.status == "finished" and row.outcome is not None and row.outcome.reason != "abandoned"


def order(row: GameRow) -> tuple[int, str]:
    """Where a game stands: by the end of play, then its id."""
    return row.ended, row.game


def standings(rows: Iterable[GameRow], before: Mapping[str, Standing] | None = None) -> dict[str, Standing]:
    """Everybody's standing after the games that count, in their order; `before` is how things stood before the first."""
    from openskill.models import PlackettLuce  # it takes a tenth of a second

    model = PlackettLuce()
    found = dict(before or {})
    for row in sorted(filter(counts, rows), key=order):
        _rate(model, found, row)
    return found


def _rate(model: Any, found: dict[str, Standing], row: GameRow) -> None:
    assert row.outcome is not None
    winner = row.outcome.winner
    names = [row.north, row.south]
    if names[0] == names[1]:
        return  # the same name at both seats is nobody's game
    start = model.rating()
    old = [found.get(name) or Standing(name, 0, 0, 0, start.mu, start.sigma, RowFigures(), 0) for name in names]
    teams = [[model.create_rating([one.mu, one.sigma])] for one in old]
    ranks = [1, 1] if winner is None else [1 if seat == winner else 2 for seat in SEATS]
    for seat, one, (rated,) in zip(SEATS, old, model.rate(teams, ranks=ranks), strict=True):
        found[one.name] = Standing(
            one.name,
            one.games + 1,
            one.wins + (seat == winner),
            one.draws + (winner is None),
            rated.mu,
            rated.sigma,
            one.figures.plus(row.figures.get(seat, RowFigures())),
            row.ended,
        )


def ladder(standing: Iterable[Standing]) -> list[Standing]:
    """The order of the ladder: the highest rating first, then who has played more, then the name."""
    return sorted(standing, key=lambda one: (-one.rating, -one.games, one.name))
