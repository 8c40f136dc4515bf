"""The one path of everything that is written: decide on the table at hand, append where the decision was made, answer.

It holds no state of a game but a cache, and never writes what was not decided on the log as it is.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from events.canonical import encode
from events.cards import Seat
from events.receipts import Signer
from events.store import Appended, Conflict, GameStore, HistoryLost
from events.types import REVIEW, GameCreated, GameEnded, HandScored, PlayerJoined
from projections.table import Open, Result
from service.base.clock import Clock
from service.base.entropy import Entropy
from service.base.identity import Identity
from service.games import results
from service.games.commands import Command, CreateGame, EndGame, JoinGame, MakeMove, OpenDispute, SettleDispute
from service.games.commits import Asker, Committed, RequestHashes, request_of, sealed
from service.games.dispute_requests import NewDispute, Settlement
from service.games.loaded_game import LoadedGame, extend, new
from service.games.moves import Move, NewGame, NewPlayer
from service.games.reading import GameReader, undamaged
from service.games.refusals import Refused
from service.games.requests import BodyReader, Means, MoveRequest
from service.games.result_types import Created, Disputed, Joined, Moved

_TRIES: Final = 50

_ACROSS: Final = (GameCreated, PlayerJoined, HandScored, GameEnded, *REVIEW)
"""Events that matter across games."""


class Games(GameReader):
    """Every game of one store. All calls raise `Refused`, and `events.store.Unreachable` when the store does not answer."""

    def __init__(self, game_store: GameStore, identity: Identity, clock: Clock, entropy: Entropy) -> None:
        super().__init__(game_store)
        self.identity = identity
        self.clock = clock
        self.entropy = entropy
        self.new_game_objection: Callable[[], str | None] = lambda: None

    def begin(self, request: MoveRequest) -> LoadedGame:
        """The game that a create makes, which its key names. Raises `Refused` where the request is malformed."""
        if request.malformed is not None:
            raise request.malformed
        game = self.identity.game(request.key)
        return self._cache.get(game) or new(game)

    def handle(self, loaded: LoadedGame, command: Command, request: MoveRequest) -> Committed:
        """The commit that `request` makes, or made when its key was first sent (design §4 has the order of the checks).

        `loaded` may be behind the log: what is refused on it is decided once more on the log as it is, and the append
        compares. Raises `Refused`.
        """
        reader = BodyReader(command.read, request.body)
        means = Means(self.store, self.identity, self.clock, self.entropy, self.commits_of, self.new_game_objection)
        if request.if_match is not None and request.if_match.version > loaded.at.version and not loaded.fresh:
            loaded = self._read_on(loaded)
        for _ in range(_TRIES):
            try:
                asker = command.authorise(loaded.table, request.credentials)
                request.require_form()
                by = request_of(asker, request.key, encode(command.remembered(loaded.table, request.body)))
                version = loaded.version_of(by)
                if version is None:
                    ask = reader.ask()
                    request.require_place(loaded.at)
                    if isinstance(command, MakeMove):
                        self._require_known(loaded, asker, request)
                    decision = command.decide(loaded, asker, ask, request.key, means)
                    done = sealed(loaded.game, loaded.at, decision, by, self._signer(loaded))
                elif loaded.fresh:
                    return self._repeated(loaded, command, by, version, means)
            except Refused:
                if loaded.fresh:
                    raise
                loaded = self._read_on(loaded)
                continue
            if version is not None:
                loaded = self._confirmed(loaded, by, version)
                continue
            match self._append(loaded, done, thaw=command.thaws):
                case Conflict(commits):
                    loaded = self._extended(msgspec.structs.replace(loaded, fresh=True), commits)
                case HistoryLost() as lost:
                    raise self._lost(loaded.game, loaded, lost)
                case _:
                    after = loaded.followed_by(done, by)
                    self._cache.put(loaded.game, after)
                    self.recorded(loaded.game, done.at, any(isinstance(event.data, GameEnded) for event in done.events))
                    self.noticed(after)
                    return done
        raise Refused("busy", "Too many concurrent writes to this game; retry with the same Idempotency-Key")

    def _append(self, loaded: LoadedGame, done: Committed, *, thaw: bool) -> Appended | Conflict | HistoryLost:
        """Appends what was decided on `loaded`, announced in the same round trip where it matters across games."""
        across = any(isinstance(event.data, _ACROSS) for event in done.events)
        with undamaged(loaded.game):
            if thaw:
                return self.store.append(loaded.game, done.before, done.commit, announce=across, thaw=True)
            return self.store.append(loaded.game, done.before, done.commit, announce=across)

    def _confirmed(self, loaded: LoadedGame, by: RequestHashes, version: int) -> LoadedGame:
        """The game, fresh, once the store has shown that the commit of a key found in the cache is in the log."""
        kept = loaded.last.get(by.seat)
        if kept is None or kept.commit.seq != version:
            return self._read_on(loaded)
        return self._read_again(loaded, kept)

    def _repeated(self, loaded: LoadedGame, command: Command, by: RequestHashes, version: int, means: Means) -> Committed:
        """The commit that this key made. Raises `Refused` where its answer is not given again."""
        kept = loaded.last.get(by.seat)
        if kept is None or kept.commit.seq != version:
            upto = [commit for commit in self.commits_of(loaded) if commit.seq <= version]
            kept = extend(new(loaded.game), upto).last[by.seat]
        command.repeat(loaded, kept, means)
        return msgspec.structs.replace(kept, replayed=True)

    def _require_known(self, loaded: LoadedGame, asker: Asker, request: MoveRequest) -> None:
        """After a restore a player's first move names the head it is made on, so that nobody goes on from a history they do
        not know. Raises `Refused` (`if_match_required`)."""
        version = self.restored.get(loaded.game)
        if version is None or asker == "house" or request.credentials.token is None:
            return
        if (request.if_match is None or request.if_match.head is None) and not loaded.moved_after(asker, version):
            raise Refused(
                "if_match_required",
                f"The store was restored from a backup, and the game is at version {loaded.at.version}. Compare it with "
                "your last receipt, then send your next move with If-Match: the whole ETag of the view",
                version=loaded.at.version,
            )

    def _signer(self, loaded: LoadedGame) -> Signer:
        """Who signs the game, to its last event. Raises `Refused` (`key_missing`)."""
        signer = self.identity.signer_of(loaded.table.open.server_key)
        if signer is None:
            raise Refused("key_missing", "the key this game was begun under is not here: its operator must put it back")
        return signer

    # What the process itself does (the house, the clock, the operator's commands), along the same path.

    def create(self, asked: MoveRequest, wanted: Callable[[], NewGame]) -> Created:
        """A new game with its creator at north; the key decides its id."""
        done = self.handle(self.begin(asked), CreateGame(lambda _: wanted()), asked)
        return results.created(self.identity, done, self.hidden.table(done.after), asked.key)

    def join(self, game: str, asked: MoveRequest, wanted: Callable[[], NewPlayer]) -> Joined:
        """The other seat of a game."""
        done = self.handle(self.load(game), JoinGame(lambda _: wanted()), asked)
        return results.joined(self.identity, done, self.hidden.table(done.after), asked.key)

    def move(self, game: str, seat: Seat, asked: MoveRequest, wanted: Callable[[], Move]) -> Moved:
        """A move of a seat."""
        done = self.handle(self.load(game), MakeMove(lambda _: wanted(), seat), asked)
        return results.moved(done, self.hidden.table(done.after), seat)

    def dispute(self, game: str, seat: Seat, asked: MoveRequest, wanted: Callable[[], NewDispute]) -> Disputed:
        """A dispute of a seat."""
        done = self.handle(self.load(game), OpenDispute(lambda _: wanted(), seat), asked)
        return results.disputed(done, self.hidden.table(done.after), seat)

    def settle(self, game: str, n: int, asked: MoveRequest, wanted: Callable[[], Settlement]) -> Disputed:
        """The operator's word on dispute `n`."""
        done = self.handle(self.load(game), SettleDispute(lambda _: wanted(), "house", dispute=str(n)), asked)
        return results.disputed(done, self.hidden.table(done.after), "operator")

    def end(self, game: str, asked: MoveRequest, wanted: Callable[[Open, int], Result]) -> Committed:
        """The end of a game in the house's name; `wanted` says how, as for `EndGame`."""
        return self.handle(self.load(game), EndGame(lambda _: wanted, "house"), asked)


__all__ = ["Games", "MoveRequest", "NewGame", "NewPlayer"]
