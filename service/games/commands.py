"""What can be done to a game, one class each: who may, what its key is remembered with, and the decision.

The handler takes every one of them along the same path (docs/architecture.md, The way of a move).
"""

from collections.abc import Callable
from typing import Any

import msgspec

from events.cards import Seat
from events.types import LossAccepted
from projections.table import Open, Result, Table
from projections.view import timed
from service.base.identity import invite_hash, same, token_hash
from service.games import access, decider, dispute_decider, moves
from service.games.access import Credentials
from service.games.commits import Asker, Committed
from service.games.consequences import CommitDraft, Decision
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused
from service.games.requests import Means

AGAIN_MS = 10 * 60 * 1000
"""How long the answer to a create or a join, which holds the token, is given again."""

Read = Callable[[Any], Any]
"""Makes what is asked for of a parsed body. Raises `Refused` for one of another form."""


class Command(msgspec.Struct, frozen=True):
    """`read` is the reader of the body; `seat` is who asks where the process itself does, and there are no credentials."""

    read: Read
    seat: Asker | None = None
    thaws: bool = False
    """Whether a frozen game takes it."""

    def authorise(self, table: Table, credentials: Credentials) -> Asker:
        """Who asks. Raises `Refused` (`unauthorized`, `not_allowed`)."""
        return self.seat or access.seat(table, credentials)

    def remembered(self, table: Table, body: Any) -> Any:
        """What the key is remembered with. Raises `Refused` where the address names nothing at this table."""
        return body

    def decide(self, loaded: LoadedGame, asker: Asker, ask: Any, key: bytes, means: Means) -> Decision:
        """The events and the table after them. Raises `Refused`."""
        raise NotImplementedError

    def repeat(self, loaded: LoadedGame, done: Committed, means: Means) -> None:
        """Raises `Refused` where the first answer is not given again."""


class CreateGame(Command, frozen=True):
    """A new game with its creator at north."""

    def authorise(self, table: Table, credentials: Credentials) -> Asker:
        return "north"

    def decide(self, loaded: LoadedGame, asker: Asker, ask: Any, key: bytes, means: Means) -> Decision:
        if loaded.at.version:
            raise Refused("key_reused", "this Idempotency-Key made a game with another request: use a fresh key")
        if (objection := means.new_game_objection()) is not None:
            raise Refused("no_new_games", objection)
        identity, game = means.identity, loaded.game
        kept_for = identity.house_invite(game) if ask.opponent == "house" else identity.invite(game)
        move = moves.Create(
            name=ask.name,
            rules=ask.rules,
            first=ask.first,
            server_key=identity.signer.key,
            invite_hash=invite_hash(kept_for),
            token_hash=token_hash(identity.token("north", game, key)),
            contribution=ask.contribution,
            listed=ask.listed,
            rated=ask.rated,
            names=ask.names,
            after=ask.after,
        )
        limited = ask.rules.turn_seconds is not None or ask.contribution is not None
        return decider.create(game, move, means.now(limited=limited), means.entropy)

    def repeat(self, loaded: LoadedGame, done: Committed, means: Means) -> None:
        _require_unmoved(loaded, "north", done, means)


class JoinGame(Command, frozen=True):
    """The other seat of a game."""

    def authorise(self, table: Table, credentials: Credentials) -> Asker:
        return "south"

    def decide(self, loaded: LoadedGame, asker: Asker, ask: Any, key: bytes, means: Means) -> Decision:
        if not same(invite_hash(ask.invite.split(".")[0]), loaded.table.house.invite_hash or ""):
            raise Refused("not_allowed", "this invite is not one of this game")
        hashed = token_hash(means.identity.token("south", loaded.game, key))
        move = moves.Join(name=ask.name, token_hash=hashed, contribution=ask.contribution)
        limited = timed(loaded.table.open) or ask.contribution is not None
        return decider.join(loaded.table, move, means.now(limited=limited), means.entropy)

    def repeat(self, loaded: LoadedGame, done: Committed, means: Means) -> None:
        _require_unmoved(loaded, "south", done, means)


def _require_unmoved(loaded: LoadedGame, seat: Seat, done: Committed, means: Means) -> None:
    """The token is given again for ten minutes and while its seat has made no move. Raises `Refused` (`already_joined`)."""
    late = means.now(limited=timed(done.after.open)) - done.after.open.at > AGAIN_MS
    if late or loaded.moved_after(seat, done.commit.seq):
        raise Refused("already_joined", f"{seat} sits at this table already; its token is not given out again")


class MakeMove(Command, frozen=True):
    """A move of a seat."""

    def decide(self, loaded: LoadedGame, asker: Asker, ask: Any, key: bytes, means: Means) -> Decision:
        now = means.now(limited=timed(loaded.table.open))
        return decider.decide(loaded.table, _seat(asker), ask, now, means.entropy)


class OpenDispute(Command, frozen=True):
    """A dispute that a seat opens, while play goes on or after it."""

    def remembered(self, table: Table, body: Any) -> Any:
        return {"dispute": body}

    def decide(self, loaded: LoadedGame, asker: Asker, ask: Any, key: bytes, means: Means) -> Decision:
        commits, now = means.commits(loaded), means.now(limited=timed(loaded.table.open))
        return dispute_decider.opened(loaded.table, _seat(asker), ask, commits, now, means.entropy)


class SettleDispute(Command, frozen=True):
    """The operator's word on a dispute, with the corrections that follow from it; `dispute` is its number as it was sent."""

    dispute: str = ""

    def authorise(self, table: Table, credentials: Credentials) -> Asker:
        if self.seat is None and access.party(table, credentials) != "operator":
            raise Refused("not_allowed", "disputes are settled by the operator")
        return "house"

    def remembered(self, table: Table, body: Any) -> Any:
        return {"dispute": dispute_decider.number(table.open, self.dispute), "settlement": body}

    def decide(self, loaded: LoadedGame, asker: Asker, ask: Any, key: bytes, means: Means) -> Decision:
        n, commits = int(self.dispute), means.commits(loaded)
        return dispute_decider.settled(loaded.table, n, ask, commits, means.now(limited=timed(loaded.table.open)))


class AcceptLoss(Command, frozen=True):
    """The operator's note that history was lost, written to a frozen game. What `read` returns are the version and the head
    that were lost, and why no copy is left."""

    def authorise(self, table: Table, credentials: Credentials) -> Asker:
        return "house"

    def decide(self, loaded: LoadedGame, asker: Asker, ask: LossAccepted, key: bytes, means: Means) -> Decision:
        if not loaded.at.version:
            raise Refused("no_such_game", f"the log of game {loaded.game} is gone: there is nothing to write the note to")
        commit = CommitDraft(loaded.table, means.now(limited=True), means.entropy)
        commit.add(ask)
        return Decision(tuple(commit.events), commit.table)


class EndGame(Command, frozen=True):
    """The end of a game in the house's name. What `read` returns says how the game ends, of the table and the store's time as
    they are when it is written; it raises `Refused` where the game is not to end."""

    def authorise(self, table: Table, credentials: Credentials) -> Asker:
        return "house"

    def decide(
        self, loaded: LoadedGame, asker: Asker, ask: Callable[[Open, int], Result], key: bytes, means: Means
    ) -> Decision:
        now = means.now(limited=True)
        return decider.end(loaded.table, ask(loaded.table.open, now), now, means.entropy)


def _seat(asker: Asker) -> Seat:
    assert asker != "house", "the house holds no seat of its own name"
    return asker
