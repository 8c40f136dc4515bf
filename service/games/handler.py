"""The handler around the store: fold, decide, append where the decision was made, decide again on a conflict, answer.

It holds no state of a game but a cache, and never writes what was not decided on the log as it is.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import msgspec
import structlog

from events.canonical import encode
from events.cards import Seat
from events.log import BadEvent, Commit, NotCanonical, head_after, store
from events.ruleset import Ruleset
from events.store import BadEntry, Conflict, FrozenGame, GameStore, HistoryLost, LogHead
from events.types import REVIEW, Event, GameCreated, GameEnded, HandScored, Names, PlayerJoined
from projections.fold import Impossible
from projections.table import Open, Result, Table
from projections.view import timed
from service.base.clock import Clock
from service.base.entropy import Entropy
from service.base.identity import Identity, invite_hash, same, token_hash
from service.games import decider, dispute_decider, moves, results
from service.games.dispute_requests import NewDispute, Settlement
from service.games.loaded_game import Asker, Cache, LoadedGame, RequestHashes, extend, new, request_of, seat_moved_after
from service.games.redaction import HiddenNames
from service.games.refusals import Refused

AGAIN_MS: Final = 10 * 60 * 1000
"""How long the answer to a create or a join, which holds the token, is given again."""

_TRIES: Final = 50

_ANNOUNCED_SECONDS: Final = 20.0
"""An announcement this old may not be waited for any longer when its commit comes: it is made again (design §3)."""

_ACROSS: Final = (GameCreated, PlayerJoined, HandScored, GameEnded, *REVIEW)
"""Events that matter across games."""

log = structlog.get_logger("trickbook.games")


class Reply(msgspec.Struct, frozen=True):
    """What to answer, and whether it was answered before."""

    body: dict[str, Any]
    replayed: bool = False


class NewGame(msgspec.Struct, frozen=True):
    """What a create asks for. `listed`, `rated`, `names` and `after` are what other games and lists go by."""

    name: str
    rules: Ruleset
    first: Seat
    opponent: Literal["house"] | None = None
    contribution: str | None = None
    listed: bool = False
    rated: bool = False
    names: Names | None = None
    after: str | None = None


class NewPlayer(msgspec.Struct, frozen=True):
    """What a join asks for; `invite` is what the creator passed on, whole or its secret part alone."""

    name: str
    invite: str
    contribution: str | None = None


class MoveRequest(msgspec.Struct, frozen=True):
    """A request to write: its idempotency key, its parsed body to know it again by, and the head it may insist on.

    `expected` is called with the place the move would be made at and raises `Refused` where the mover knows another."""

    key: bytes
    body: Any
    expected: Callable[[LogHead], None] | None = None


class Committed(msgspec.Struct, frozen=True):
    """A commit in the log, the head before it and the table after it; `replayed` if it was there already."""

    commit: Commit
    head_before: bytes
    after: Table
    replayed: bool = False


class Games:
    """Every game of one store. All calls raise `Refused`, and `events.store.Unreachable` when the store does not answer.

    What is wanted comes as a function, called only once the key is known to be new: a repeated request gets its first
    answer whatever else could be said against it now (design §4).
    """

    def __init__(self, game_store: GameStore, identity: Identity, clock: Clock, entropy: Entropy) -> None:
        self.store = game_store
        self.identity = identity
        self._clock = clock
        self._entropy = entropy
        self._cache = Cache()
        self.hidden = HiddenNames(game_store)
        self.noticed: Callable[[LoadedGame], None] = _nobody
        """Called with every game that was looked at or moved in; it must return at once."""

    def live(self, game: str) -> LoadedGame:
        """The game as it is in the log now, as it is shown to people. Raises `Refused` (`no_such_game`, `history_lost`)."""
        return self.hidden.live(self.actual(game))

    def actual(self, game: str) -> LoadedGame:
        """The game as it is in the log now, with every name: to decide on, never to show. Raises `Refused` as `live` does."""
        held = self._cache.get(game)
        try:
            found = self.store.read(game, held.at if held else None)
            if isinstance(found, HistoryLost):
                raise self._lost(game, held, found)
            live = extend(held or new(game), found)
        except (BadEntry, BadEvent, NotCanonical, Impossible) as error:
            raise _damaged(game, error) from None
        if live.at.version == 0:
            raise Refused("no_such_game", f"there is no game {game} here")
        self._cache.put(game, live)
        self.noticed(live)
        return live

    def log(self, game: str) -> tuple[Commit, ...]:
        """All commits of a game. Raises `Refused` (`no_such_game`)."""
        found = self.store.read(game)
        if isinstance(found, HistoryLost) or not found:
            raise Refused("no_such_game", f"there is no game {game} here")
        return found

    def since(self, game: str, version: int) -> tuple[LogHead, tuple[Commit, ...]]:
        """The commits that hold the events after `version`, and the place before them. Raises `Refused` (`history_lost`)."""
        place = self.store.place(game, version)
        return place, self.after(game, place)

    def after(self, game: str, at: LogHead) -> tuple[Commit, ...]:
        """The commits after a place. Raises `Refused` (`history_lost`, `log_damaged`)."""
        try:
            found = self.store.read(game, at)
        except BadEntry as error:
            raise _damaged(game, error) from None
        if isinstance(found, HistoryLost):
            raise self._lost(game, None, found)
        return found

    def create(self, asked: MoveRequest, wanted: Callable[[], NewGame]) -> Reply:
        """A new game with its creator at north; the key decides its id."""
        game = self.identity.game(asked.key)
        token = self.identity.token("north", game, asked.key)
        invite = self.identity.invite(game)

        def choose(live: LoadedGame) -> tuple[Event, ...]:
            if live.at.version:
                raise Refused("key_reused", "this Idempotency-Key made a game with another request: use a fresh key")
            ask = wanted()
            kept_for = self.identity.house_invite(game) if ask.opponent == "house" else invite
            move = moves.Create(
                name=ask.name,
                rules=ask.rules,
                first=ask.first,
                server_key=self.identity.signer.key,
                invite_hash=invite_hash(kept_for),
                token_hash=token_hash(token),
                contribution=ask.contribution,
                listed=ask.listed,
                rated=ask.rated,
                names=ask.names,
                after=ask.after,
            )
            limited = ask.rules.turn_seconds is not None or ask.contribution is not None
            return decider.create(game, move, self._now(limited=limited), self._entropy)

        done = self._commit(self._cache.get(game) or new(game), "north", asked, choose)
        answer = self._seated(done, "north", token)
        server_key = done.after.open.server_key
        if server_key is not None and same(invite_hash(invite), done.after.house.invite_hash or ""):
            answer.body["invite"] = f"{invite}.{done.commit.head.hex()}.{server_key.id}"
        return answer

    def join(self, game: str, asked: MoveRequest, wanted: Callable[[], NewPlayer]) -> Reply:
        """The other seat of a game."""
        token = self.identity.token("south", game, asked.key)

        def choose(live: LoadedGame) -> tuple[Event, ...]:
            ask = wanted()
            _require_invite(live.table, ask.invite)
            move = moves.Join(name=ask.name, token_hash=token_hash(token), contribution=ask.contribution)
            limited = timed(live.table.open) or ask.contribution is not None
            return decider.join(live.table, move, self._now(limited=limited), self._entropy)

        return self._seated(self._commit(self.actual(game), "south", asked, choose), "south", token)

    def move(self, game: str, seat: Seat, asked: MoveRequest, wanted: Callable[[], moves.Move]) -> Reply:
        """A move of a seat."""

        def choose(live: LoadedGame) -> tuple[Event, ...]:
            move = wanted()
            if asked.expected is not None:
                asked.expected(live.at)
            return decider.decide(live.table, seat, move, self._now(limited=timed(live.table.open)), self._entropy)

        done = self._commit(self.actual(game), seat, asked, choose)
        return Reply(results.moved(self.hidden.table(done.after), done.head_before, done.commit, seat), done.replayed)

    def end(self, game: str, asked: MoveRequest, wanted: Callable[[Open, int], Result]) -> Committed:
        """Ends a game in the house's name. `wanted` says how, of the table and the store's time as they are when it is
        written, and raises `Refused` where it is not to be."""

        def choose(live: LoadedGame) -> tuple[Event, ...]:
            now = self._now(limited=True)
            return decider.end(live.table, wanted(live.table.open, now), now, self._entropy)

        return self._commit(self.actual(game), "house", asked, choose)

    def _now(self, *, limited: bool) -> int:
        """The store's time, one for all processes, where a limit runs; this process's elsewhere, without the round trip."""
        return self.store.now() if limited else self._clock.now()

    def dispute(self, game: str, seat: Seat, asked: MoveRequest, wanted: Callable[[], NewDispute]) -> Reply:
        """A dispute that a seat opens, while play goes on or after it."""

        def choose(live: LoadedGame) -> tuple[Event, ...]:
            ask = wanted()
            if asked.expected is not None:
                asked.expected(live.at)
            commits = self._upto(live)
            return dispute_decider.opened(
                live.table, seat, ask, commits, self._now(limited=timed(live.table.open)), self._entropy
            )

        done = self._commit(self.actual(game), seat, asked, choose)
        return Reply(results.disputed(self.hidden.table(done.after), done.head_before, done.commit, seat), done.replayed)

    def settle(self, game: str, n: int, asked: MoveRequest, wanted: Callable[[], Settlement]) -> Reply:
        """The operator's word on dispute `n`, with the corrections that follow from it."""

        def choose(live: LoadedGame) -> tuple[Event, ...]:
            ask = wanted()
            if asked.expected is not None:
                asked.expected(live.at)
            return dispute_decider.settled(live.table, n, ask, self._upto(live), self._now(limited=timed(live.table.open)))

        done = self._commit(self.actual(game), "house", asked, choose)
        return Reply(results.disputed(self.hidden.table(done.after), done.head_before, done.commit, "operator"), done.replayed)

    def _upto(self, live: LoadedGame) -> tuple[Commit, ...]:
        """The commits that `live` was folded from."""
        return tuple(commit for commit in self.log(live.table.open.game) if commit.seq <= live.at.version)

    def _commit(
        self, live: LoadedGame, seat: Asker, asked: MoveRequest, choose: Callable[[LoadedGame], tuple[Event, ...]]
    ) -> Committed:
        """Decides and appends until the decision was made on the log as it is, or the key is found in it."""
        game, request = live.table.open.game, request_of(seat, asked.key, encode(asked.body))
        announced: float | None = None
        for _ in range(_TRIES):
            before = self._done_before(live, request)
            if before is not None:
                return before
            events = choose(live)
            commit = self._signed(live, events, request)
            if any(isinstance(event.data, _ACROSS) for event in events) and _old(announced):
                announced = time.monotonic()
                self.store.announce(game, commit.seq)
            outcome = self.store.append(game, live.at, commit)
            match outcome:
                case Conflict(commits):
                    live = extend(live, commits)
                    self._cache.put(game, live)
                case HistoryLost():
                    raise self._lost(game, live, outcome)
                case _:
                    after = extend(live, [commit])
                    self._cache.put(game, after)
                    self.noticed(after)
                    return Committed(commit, live.at.head, after.table)
        raise Refused("busy", "others were faster again and again: repeat with the same key")

    def _signed(self, live: LoadedGame, events: Sequence[Event], request: RequestHashes) -> Commit:
        stored = tuple(store(event) for event in events)
        head = head_after(live.at.head, stored)
        last = events[-1]
        signer = self.identity.signer_of(live.table.open.server_key)
        if signer is None:
            raise Refused("key_missing", "the key this game was begun under is not here: its operator must put it back")
        receipt = signer.sign(last.at, live.table.open.game, head, last.seq)
        return Commit(last.seq, stored, head, receipt, request.stored())

    def _done_before(self, live: LoadedGame, request: RequestHashes) -> Committed | None:
        version = live.version_of(request)
        if version is None:
            return None
        if not live.same_request(request):
            raise Refused("key_reused", "this Idempotency-Key was used for another request: use a fresh key for each")
        game = live.table.open.game
        table, head, commit = results.replayed(game, self.log(game), version)
        return Committed(commit, head, table, replayed=True)

    def _seated(self, done: Committed, seat: Seat, token: str) -> Reply:
        """The answer to a create or a join: again only for ten minutes and while the seat has made no move."""
        if done.replayed:
            live = self.actual(done.after.open.game)
            late = self._now(limited=timed(done.after.open)) - done.after.open.at > AGAIN_MS
            if late or seat_moved_after(live, seat, done.commit.seq):
                raise Refused("already_joined", f"{seat} sits at this table already; its token is not given out again")
        return Reply(results.seated(self.hidden.table(done.after), done.commit, seat, token), done.replayed)

    def _lost(self, game: str, held: LoadedGame | None, found: HistoryLost) -> Refused:
        """A decision was made on a head that is gone: freezes the game, forgets it, and says so."""
        self._cache.drop(game)
        if held is not None and held.at.version:
            self.store.freeze(game, FrozenGame(held.at.version, held.at.head.hex(), held.receipt.decode()))
        proof = self.store.frozen(game)
        had = proof.version if proof else 0
        log.error("history_lost", game=game, had=had, has=found.version)
        return Refused(
            "history_lost",
            f"game {game} was at version {had} once; its log now ends at {found.version} or says something else: an older "
            "copy of the store was restored. Nothing more is written to this game",
            version=found.version,
        )


def _old(announced: float | None) -> bool:
    return announced is None or time.monotonic() - announced > _ANNOUNCED_SECONDS


def _damaged(game: str, error: Exception) -> Refused:
    log.error("log_damaged", game=game, reason=str(error))
    return Refused("log_damaged", f"the log of game {game} is damaged: its audit names the place")


def _nobody(live: LoadedGame) -> None:
    """Notices nothing."""


def _require_invite(table: Table, invite: str) -> None:
    if not same(invite_hash(invite.split(".")[0]), table.house.invite_hash or ""):
        raise Refused("not_allowed", "this invite is not one of this game")
