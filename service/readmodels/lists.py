"""The lists of one service: the mirror of its read models, and what the log must still be asked."""

from functools import partial

from events.redis_store import RedisStore
from projections.across.row import GameRow
from service.base.identity import Identity
from service.games.frozen import FrozenGames
from service.games.redaction import HiddenNames
from service.readmodels.listed import GamePage, ListedGame, PlayerPage, StandingView, listed_game, ranked, standing_view
from service.readmodels.mirror import Mirror
from service.readmodels.model_store import ReadModelStore
from service.readmodels.queries import GameQuery, page
from service.readmodels.stalled import stalled


class Lists:
    """What is asked about more than one game. Calls may raise `Unreachable`."""

    def __init__(self, store: RedisStore, books: ReadModelStore, identity: Identity) -> None:
        self._store = store
        self._identity = identity
        self._hidden = HiddenNames(store)
        self._frozen = FrozenGames(store)
        self.mirror = Mirror(books, self._frozen.ids)

    def games(self, wanted: GameQuery) -> GamePage:
        """A page of games; the open ones that are listed with their invite. Raises `BadCursor`."""
        hidden = self._hidden.names()
        frozen = self._frozen.ids()
        found = page(self.mirror.rows(), wanted, partial(stalled, self._store), frozen)
        return GamePage(games=tuple(self._shown(row, hidden, frozen) for row in found.rows), next=found.next)

    def _shown(self, row: GameRow, hidden: frozenset[str], frozen: frozenset[str]) -> ListedGame:
        """A row as it is shown; nobody sits down at a frozen game."""
        if row.game in frozen:
            return listed_game(row, None, hidden, frozen=True)
        return listed_game(row, self._invite(row), hidden)

    def _invite(self, row: GameRow) -> str | None:
        return self._identity.invite(row.game) if row.listed and row.status == "open" else None

    def player(self, name: str, *, everything: bool) -> PlayerPage | None:
        """What there is of a player, None for nobody: the standing over rated games, and games that may be listed."""
        standing = self.mirror.standings().get(name)
        games = self.games(GameQuery(player=name, everything=everything))
        if standing is None and not games.games:
            return None
        rated = None if standing is None else standing_view(standing, self._hidden.names())
        return PlayerPage(name=self._hidden.name(name), games=games.games, next=games.next, rated=rated)

    def ladder(self) -> list[StandingView]:
        """Everybody over rated games, the best first."""
        return ranked(self.mirror.standings(), self._hidden.names())
