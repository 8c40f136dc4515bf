"""The read models: for each game how far it has been read, and what its news change. Pure; the fields are saved elsewhere.

A model is a set of hashes, one a part. Whatever a commit changes in it goes into one write, together with how far the
game was read, so that no crash can part the two.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import msgspec

from events import keys
from events.log import Commit
from events.store import LogHead
from projections.across.ladder import Standing, counts, order, standings
from projections.across.row import GameRow, advance, read

Fields = Mapping[str, bytes]
News = Mapping[str, tuple[LogHead, Sequence[Commit] | None]]
"""For each game the place that was read from, and the commits after it; None where they cannot be read."""


class Model(Protocol):
    """A read model. When its version changes it is built anew."""

    @property
    def name(self) -> str:
        """What it is called in keys, groups and commands."""

    @property
    def version(self) -> int:
        """The version of what it keeps."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts it is kept in."""

    @property
    def whole(self) -> bool:
        """Whether `absorb` needs all fields of the part, or those of the games alone."""

    def part(self, game: str) -> str:
        """Which hash a game is in."""

    def field(self, game: str) -> str:
        """The field that holds a game."""

    def place(self, held: Fields, game: str) -> LogHead | None:
        """How far a game has been read, None for not at all."""

    def follows(self, held: Fields, game: str) -> bool:
        """Whether anything of this game can still matter."""

    def absorb(self, held: Fields, news: News) -> dict[str, bytes]:
        """The fields that change, for news of games of one part."""


def _place(row: GameRow | None) -> LogHead | None:
    return LogHead(row.version, bytes.fromhex(row.head)) if row is not None and row.version else None


class GamesModel:
    """Every game as a row, under its id."""

    name: Final = "games"
    version: Final = 1
    parts: Final = keys.PARTS
    whole: Final = False

    def part(self, game: str) -> str:
        return keys.partition(game)

    def field(self, game: str) -> str:
        return game

    def row(self, held: Fields, game: str) -> GameRow | None:
        """The row of a game, None where there is none."""
        return read(held[game]) if game in held else None

    def place(self, held: Fields, game: str) -> LogHead | None:
        return _place(self.row(held, game))

    def follows(self, held: Fields, game: str) -> bool:
        return True

    def absorb(self, held: Fields, news: News) -> dict[str, bytes]:
        changed = {}
        for game, (place, commits) in news.items():
            row = (self.row(held, game) if place.version else None) or GameRow(game=game)
            row = msgspec.structs.replace(row, status="damaged") if commits is None else advance(row, commits)
            changed[game] = row.data()
        return {game: raw for game, raw in changed.items() if held.get(game) != raw}


_UNRATED: Final = b"{}"


class LadderModel:
    """Each rated game as a row, every other as seen, and each player's standing: fields ``game:<id>`` and ``player:<name>``."""

    name: Final = "ladder"
    version: Final = 1
    parts: Final = (keys.PARTS[0],)
    whole: Final = True

    def part(self, game: str) -> str:
        return self.parts[0]

    def field(self, game: str) -> str:
        return f"game:{game}"

    def row(self, held: Fields, game: str) -> GameRow | None:
        """The row of a rated game, None for others."""
        raw = held.get(self.field(game))
        return None if raw is None or raw == _UNRATED else read(raw)

    def place(self, held: Fields, game: str) -> LogHead | None:
        return _place(self.row(held, game))

    def follows(self, held: Fields, game: str) -> bool:
        return held.get(self.field(game)) != _UNRATED

    def absorb(self, held: Fields, news: News) -> dict[str, bytes]:
        changed: dict[str, bytes] = {}
        fresh: list[GameRow] = []
        again = False
        for game, (place, commits) in news.items():
            if commits is None:
                continue  # what was read before stands
            old = self.row(held, game) if place.version else None
            row = advance(old or GameRow(game=game), commits)
            changed[self.field(game)] = row.data() if row.rated else _UNRATED
            if old is not None and counts(old):
                again = again or (old.outcome, old.ended, old.figures) != (row.outcome, row.ended, row.figures)
            elif counts(row):
                fresh.append(row)
        if fresh or again:
            changed |= self._rated({**held, **changed}, fresh, again=again)
        return changed

    def _rated(self, held: Fields, fresh: Sequence[GameRow], *, again: bool) -> dict[str, bytes]:
        """The standings that change; only what comes after everything that was rated can be added to what is there."""
        before = self.standings(held)
        names = {row.game for row in fresh}
        known = [row for row in self.rows(held) if counts(row) and row.game not in names]
        last = max(map(order, known), default=(0, ""))
        late = again or any(order(row) < last for row in fresh)
        after = standings([*known, *fresh]) if late else standings(fresh, before)
        found = {name: msgspec.json.encode(one, order="sorted") for name, one in after.items()}
        return {f"player:{name}": raw for name, raw in found.items() if held.get(f"player:{name}") != raw}

    def rows(self, held: Fields) -> list[GameRow]:
        """Every rated game."""
        return [read(raw) for field, raw in held.items() if field.startswith("game:") and raw != _UNRATED]

    def standings(self, held: Fields) -> dict[str, Standing]:
        """Everybody's standing, by name."""
        found = (msgspec.json.decode(raw, type=Standing) for field, raw in held.items() if field.startswith("player:"))
        return {one.name: one for one in found}


GAMES: Final = GamesModel()
LADDER: Final = LadderModel()
MODELS: Final[tuple[Model, ...]] = (GAMES, LADDER)
