"""One game at its table, moved by the decider alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from events import shuffle
from events.cards import Card, Seat
from events.log import Commit, load
from events.receipts import Signer
from events.record import Record
from events.ruleset import with_options
from events.types import ContributionRevealed, Event
from projections.audience import Viewer, seen_by
from projections.fold import fold
from projections.legal import LegalMove, options
from projections.table import empty
from service.games import decider, moves
from service.games.consequences import CommitDraft, Decision
from service.games.exporting import record_for
from service.games.refusals import Refused
from tests.kit.entropy import Scripted
from tests.kit.logs import GAME, SIGNER, START, chained

BYTES: dict[Seat, bytes] = {"north": b"\x01" * 32, "south": b"\x02" * 32}
SIMPLE: dict[str, type[Any]] = {
    "look": moves.Look,
    "double_nil": moves.DoubleNil,
    "keep": moves.Keep,
    "pass": moves.Pass,
}


class Game:
    """One game at its table: `commits` are the events of each accepted move, `tables` the tables after each of them."""

    def __init__(
        self,
        rules: Mapping[str, Any] | None = None,
        *,
        first: Seat = "north",
        entropy: Scripted | None = None,
        contributions: Sequence[Seat] = (),
        signer: Signer = SIGNER,
        now: int = START,
    ) -> None:
        self.entropy = entropy or Scripted()
        self.signer = signer
        self.now = now
        self.contributions = tuple(contributions)
        self.commits: list[tuple[Event, ...]] = []
        self.table = empty(GAME)
        created = moves.Create(
            name="Ann",
            rules=with_options(rules or {}),
            first=first,
            server_key=signer.key,
            invite_hash="a" * 64,
            token_hash="b" * 64,
            contribution=self._contribution("north"),
        )
        self._accept(decider.create(GAME, created, self.now, self.entropy))

    def _contribution(self, seat: Seat) -> str | None:
        return shuffle.contribution(BYTES[seat]) if seat in self.contributions else None

    def _accept(self, decision: Decision) -> None:
        self.commits.append(decision.events)
        self.table = fold(self.table, decision.events)
        assert self.table == decision.table, "the table of a decision is the fold of its events"
        assert self.table.open.due is None, "an accepted move leaves nothing due"

    def sit_down(self) -> "Game":
        """South sits down."""
        join = moves.Join(name="Bo", token_hash="c" * 64, contribution=self._contribution("south"))
        self._accept(decider.join(self.table, join, self.now, self.entropy))
        return self

    def join(self) -> "Game":
        """South sits down, and whoever brought bytes reveals them."""
        self.sit_down()
        while self.table.open.phase == "reveal":
            seat = self.table.open.turn
            assert seat is not None
            self.reveal(seat, BYTES[seat])
        return self

    def reveal(self, seat: Seat, own: bytes) -> None:
        """The commit of a reveal, with the first hand if it is the last one."""
        commit = CommitDraft(self.table, self.now, self.entropy)
        commit.add(ContributionRevealed(seat, own.hex()))
        self._accept(commit.done())

    def play(self, seat: Seat, *made: moves.Move) -> tuple[Event, ...]:
        """Moves of one seat, each accepted; the events of the last one."""
        for move in made:
            self._accept(decider.decide(self.table, seat, move, self.now, self.entropy))
        return self.commits[-1]

    def card(self, *texts: str) -> None:
        """Cards played by whoever is on turn, one after the other."""
        for text in texts:
            self.play(self.turn, moves.Play(Card(text)))

    def trick(self, *texts: str) -> Seat:
        """Cards played by whoever is on turn; who took the last trick."""
        self.card(*texts)
        last = self.table.open.last_trick
        assert last is not None
        assert last.winner is not None
        return last.winner

    def refused(self, seat: Seat, move: moves.Move, code: str) -> Refused:
        """The refusal of a move; it must have this code and leave the table as it was."""
        before = self.table
        with pytest.raises(Refused) as caught:
            decider.decide(self.table, seat, move, self.now, self.entropy)
        assert caught.value.code == code, caught.value.message
        assert self.table == before
        return caught.value

    @property
    def turn(self) -> Seat:
        """The seat on turn."""
        seat = self.table.open.turn
        assert seat is not None, f"nobody is on turn in phase {self.table.open.phase}"
        return seat

    @property
    def legal(self) -> tuple[LegalMove, ...]:
        """What the seat on turn may do."""
        return options(self.table.open, self.turn, self.table.own(self.turn))

    @property
    def playable(self) -> tuple[Card, ...]:
        """The cards the seat on turn may play."""
        (option,) = self.legal
        assert option.type == "play"
        return option.cards

    @property
    def events(self) -> list[Event]:
        """All events so far, as they are loaded from the bytes stored."""
        return [load(event) for commit in self.log() for event in commit.events]

    def log(self) -> list[Commit]:
        """The game as commits in a store."""
        return chained(self.commits, self.signer)

    def record(self, viewer: Viewer = "spectator") -> Record:
        """The game as a record for a viewer."""
        return record_for(GAME, self.log(), viewer, ended=self.table.open.phase == "ended")

    def seen(self, viewer: Viewer, *, ended: bool = False) -> list[Event]:
        """The events as a viewer sees them."""
        return [seen_by(event, viewer, ended=ended) for event in self.events]

    def with_score(self, north: int = 0, south: int = 0, north_bags: int = 0, south_bags: int = 0) -> "Game":
        """The same table with other totals and bags: a game long under way, of which no log is asked."""
        o = self.table.open.with_player("north", total=north, bags=north_bags)
        self.table = self.table.but(open=o.with_player("south", total=south, bags=south_bags))
        return self
