"""Games as they are in the log: from the cache where nothing is vouched for, from the store where something is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec
import structlog

from events.log import BadEvent, Commit, NotCanonical
from events.store import BadEntry, FrozenGame, GameStore, HistoryLost, LogHead
from projections.fold import Impossible
from service.games.commits import Committed
from service.games.frozen import FrozenGames
from service.games.loaded_game import Cache, LoadedGame, extend, new, require_chain
from service.games.redaction import HiddenNames
from service.games.refusals import Refused

DAMAGE: Final = (BadEntry, BadEvent, NotCanonical, Impossible)
"""What reading or folding a log raises where no Trickbook wrote it so."""

log = structlog.get_logger("trickbook.games")


class GameReader:
    """Every game of one store, to read. All calls may raise `events.store.Unreachable` when the store does not answer."""

    def __init__(self, game_store: GameStore) -> None:
        self.store = game_store
        self._cache = Cache()
        self.hidden = HiddenNames(game_store)
        self.frozen = FrozenGames(game_store, wakes=True)
        self.restored: Mapping[str, int] = {}
        """The games that were not over when the store was restored from a backup, with the version they had then."""
        self.recorded: Callable[[str, LogHead, bool], None] = _nowhere
        """Called with each place that the log has reached, and whether play ended there: then before anybody is shown it."""
        self.noticed: Callable[[LoadedGame], None] = _nobody
        """Called with every game that was looked at or moved in; it must return at once."""

    def load(self, game: str) -> LoadedGame:
        """The game to decide on, which may be behind the log; the store is read only where the cache has none.

        Raises `Refused` (`no_such_game`, `log_damaged`).
        """
        return self._cache.get(game) or self.actual(game)

    def live(self, game: str) -> LoadedGame:
        """The game as it is in the log now, as it is shown to people: of a game whose history was lost what is left.

        Raises `Refused` (`no_such_game`, `history_lost` where nothing is left).
        """
        try:
            found = self.actual(game)
        except Refused as refusal:
            if refusal.code != "history_lost":
                raise
            found = self.actual(game)  # it is frozen and forgotten now
        return self.hidden.live(found)

    def actual(self, game: str) -> LoadedGame:
        """The game as it is in the log now, with every name: to decide on, never to show. Raises `Refused` as `live` does."""
        live = self._read_on(self._cache.get(game) or new(game))
        if live.at.version == 0:
            if (proof := self.frozen.proof(game)) is not None:
                raise Refused("history_lost", f"The log of game {game} was lost: it was at version {proof.version} once")
            raise Refused("no_such_game", f"there is no game {game} here")
        return live

    def log(self, game: str) -> tuple[Commit, ...]:
        """All commits of a game. Raises `Refused` (`no_such_game`, `log_damaged`)."""
        with undamaged(game):
            found = self.store.read(game)
        if isinstance(found, HistoryLost) or not found:
            raise Refused("no_such_game", f"there is no game {game} here")
        return found

    def since(self, game: str, version: int) -> tuple[LogHead, tuple[Commit, ...]]:
        """The commits that hold the events after `version`, and the place before them.

        Raises `Refused` (`history_lost`, `log_damaged`).
        """
        with undamaged(game):
            place = self.store.place(game, version)
        return place, self.after(game, place)

    def after(self, game: str, at: LogHead) -> tuple[Commit, ...]:
        """The commits after a place. Raises `Refused` (`history_lost`, `log_damaged`)."""
        with undamaged(game):
            found = self.store.read(game, at)
            if not isinstance(found, HistoryLost):
                require_chain(game, at.head, found)
                return found
        raise self._lost(game, None, found)

    def forget(self, game: str) -> None:
        """Drops what is cached of a game that was frozen."""
        self._cache.drop(game)
        self.frozen.forget()

    def learn(self, game: str, at: LogHead, commits: Sequence[Commit]) -> None:
        """Extends the cached game with commits that were read for another purpose, where it ends at `at`."""
        held = self._cache.get(game)
        if held is None or held.at != at:
            return
        try:
            after = extend(held, commits)
            self._record_end(held, after)
            self._cache.put(game, after)
        except DAMAGE as error:
            log.warning("not_learned", game=game, reason=str(error))  # whoever reads it next is answered with the reason

    def _read_on(self, loaded: LoadedGame) -> LoadedGame:
        """The game with what the store has after it, fresh. Raises `Refused` (`history_lost`, `log_damaged`)."""
        at = loaded.at if loaded.at.version else None
        fresh = self._extended(msgspec.structs.replace(loaded, fresh=True), self._read(loaded, at))
        if fresh.at.version:
            self.noticed(fresh)
        return fresh

    def _read_again(self, loaded: LoadedGame, kept: Committed) -> LoadedGame:
        """The game, fresh, read from a commit in it that must still be there. Raises `Refused` as `_read_on` does."""
        found = self._read(loaded, kept.before)
        upto = [commit for commit in found if commit.seq <= loaded.at.version]
        if not upto or upto[0].head != kept.commit.head or _end(upto) != loaded.at:
            raise self._lost(loaded.game, loaded, HistoryLost(found[-1].seq if found else kept.before.version))
        with undamaged(loaded.game):
            if upto[0] != kept.commit:
                raise BadEntry(f"the entry of event {kept.commit.seq} of game {loaded.game} is not the one that was written")
        return self._extended(msgspec.structs.replace(loaded, fresh=True), found[len(upto) :])

    def commits_of(self, loaded: LoadedGame) -> tuple[Commit, ...]:
        """The commits that `loaded` was folded from, read from the store. Raises `Refused` (`history_lost`, `log_damaged`)."""
        upto = self.upto(loaded)
        with undamaged(loaded.game):
            extend(new(loaded.game), upto)  # the part that the cache holds may have been damaged since
        return upto

    def upto(self, loaded: LoadedGame) -> tuple[Commit, ...]:
        """The commits to the version of `loaded`, read from the store and not folded. Raises `Refused` as `commits_of` does."""
        found = self._read(loaded, None)
        upto = tuple(commit for commit in found if commit.seq <= loaded.at.version)
        if not upto or _end(upto) != loaded.at:
            raise self._lost(loaded.game, loaded, HistoryLost(found[-1].seq if found else 0))
        return upto

    def _read(self, loaded: LoadedGame, after: LogHead | None) -> tuple[Commit, ...]:
        """The commits in the store after a place of `loaded`."""
        with undamaged(loaded.game):
            found = self.store.read(loaded.game, after)
        if isinstance(found, HistoryLost):
            raise self._lost(loaded.game, loaded, found)
        return found

    def _extended(self, loaded: LoadedGame, commits: Sequence[Commit]) -> LoadedGame:
        """The game after commits that the store gave, also in the cache. Raises `Refused` (`log_damaged`)."""
        with undamaged(loaded.game):
            after = extend(loaded, commits)
        self._record_end(loaded, after)
        if after.at.version:
            self._cache.put(loaded.game, after)
        return after

    def _record_end(self, before: LoadedGame, after: LoadedGame) -> None:
        """Records an end that another process made, where it is news: the game was being played as far as it was cached."""
        if before.at.version and before.table.open.phase != "ended" and after.table.open.phase == "ended":
            self.recorded(after.game, after.at, True)

    def _lost(self, game: str, held: LoadedGame | None, found: HistoryLost) -> Refused:
        """The refusal where a head that was vouched for is gone (`history_lost`): freezes the game and forgets it.

        Raises `Refused` (`log_damaged`) where the log is damaged and so no older copy. Then nothing is frozen, and the cached
        head is kept: if an older copy is restored in place of the damaged log, it is compared with that head.
        """
        with undamaged(game):
            there = self.store.read(game)
            extend(new(game), () if isinstance(there, HistoryLost) else there)
            if held is not None and held.at.version:
                self.store.freeze(game, FrozenGame(held.at.version, held.at.head.hex(), held.receipt.decode()))
            proof = self.store.frozen(game)
        self.forget(game)
        had = proof.version if proof else 0
        log.error("history_lost", game=game, had=had, has=found.version)
        return Refused(
            "history_lost",
            f"game {game} was at version {had} once; its log now ends at {found.version} or says something else: an older "
            "copy of the store was restored. Nothing more is written to this game",
            version=found.version,
        )


@contextmanager
def undamaged(game: str) -> Iterator[None]:
    """Raises `Refused` (`log_damaged`) where the log that is read inside is none that Trickbook wrote."""
    try:
        yield
    except DAMAGE as error:
        log.error("log_damaged", game=game, reason=str(error))  # noqa: TRY400 - the sentence says it all
        raise Refused("log_damaged", f"The log of game {game} is damaged. GET /v1/games/{game}/audit names the place") from None


def _end(commits: Sequence[Commit]) -> LogHead:
    return LogHead(commits[-1].seq, commits[-1].head)


def _nowhere(game: str, place: LogHead, ended: bool) -> None:
    """Records nothing."""


def _nobody(live: LoadedGame) -> None:
    """Notices nothing."""
