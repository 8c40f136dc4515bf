"""Makes finished games of this version, to be kept for ever: ``python -m tests.oldlogs.make VERSION [NAME...]``.

Each is really played: by the handler, the decider and the sweep of the service, with cards from the operating system. So a
second run makes other games; what is there already is never written again.
"""

import json
import random
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import msgspec

from events import record, shuffle
from events.cards import Seat, other
from events.log import load
from events.memory import MemoryStore
from events.receipts import Signer
from events.ruleset import with_options
from events.types import ClaimedResult, ClaimedScore, Names
from projections.audit.score_table import recount
from projections.view import deadline
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.bots import any_move, house_move
from service.games import moves
from service.games.dispute_requests import Correction, NewDispute, Settlement
from service.games.exporting import record_for
from service.games.handler import Games, MoveRequest, NewGame, NewPlayer
from service.games.overdue import sweep
from service.games.overdue_scan import ABANDONED_MS
from service.games.results import view_for
from service.http.schemas.bodies import move as move_of
from service.operations.operator_actions import end_game
from tests.kit.disputes import miscounting, more
from tests.oldlogs.figures import figures

HERE: Final = Path(__file__).parent
SIGNER: Final = Signer(bytes(range(1, 33)))
"""Nobody's key."""


class Clock:
    """A clock that goes on a little with every look. Milliseconds."""

    def __init__(self) -> None:
        self.time = 1_790_000_000_000

    def now(self) -> int:
        self.time += 700
        return self.time


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A game to be made. `bids` and `double_nils` are what a seat says in every hand, the rest is played at random, or by the
    house's bot where `bot`; after `most` moves it is ended by `end`. `more` are further fields of the create. `then` is
    called with what was played: for events that follow the end. With `fault` 100 points too many are recorded for south in
    hand 1."""

    why: str
    rules: Mapping[str, Any] = msgspec.field(default_factory=dict)
    more: Mapping[str, Any] = msgspec.field(default_factory=dict)
    first: Seat = "north"
    brought: Sequence[Seat] = ()
    revealed: bool = True
    joined: bool = True
    bids: Mapping[Seat, int] = msgspec.field(default_factory=dict)
    double_nils: Sequence[Seat] = ()
    bot: bool = False
    most: int | None = None
    fault: bool = False
    end: Callable[["Play"], object] | None = None
    then: Callable[["Play"], object] | None = None


class Play:
    """One game being made."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted, self.clock, self.dice = wanted, Clock(), random.SystemRandom()
        self.games = Games(MemoryStore(self.clock.now), Identity(secrets.token_bytes(32), SIGNER), self.clock, Csprng())
        self.own: dict[Seat, bytes] = {seat: secrets.token_bytes(32) for seat in wanted.brought}
        said = {seat: shuffle.contribution(own) for seat, own in self.own.items()}
        ask = NewGame(
            "Ann", with_options(dict(wanted.rules)), wanted.first, contribution=said.get("north"), **dict(wanted.more)
        )
        made = self.games.create(MoveRequest(secrets.token_bytes(16), {}), lambda: ask)
        self.game: str = made.game
        if wanted.joined:
            sit = NewPlayer("Bo", made.invite, said.get("south"))
            self.games.join(self.game, MoveRequest(secrets.token_bytes(16), {}), lambda: sit)

    def move(self, seat: Seat, move: moves.Move) -> None:
        self.games.move(self.game, seat, MoveRequest(secrets.token_bytes(16), {}), lambda: move)

    @property
    def turn(self) -> Seat | None:
        return self.games.live(self.game).table.open.turn

    def play(self) -> None:
        """The whole of it."""
        made = 0
        while (seat := self.turn) is not None and (self.wanted.most is None or made < self.wanted.most):
            if self.games.live(self.game).table.open.phase == "reveal":
                if not self.wanted.revealed:
                    break
                self.move(seat, moves.Reveal(self.own[seat].hex()))
                continue
            self.move(seat, self._choice(seat))
            made += 1
            if made == 20 and self.wanted.then is not None:
                dispute(self, "rejected")
        for act in (self.wanted.end, self.wanted.then):
            if act is not None:
                act(self)

    def _choice(self, seat: Seat) -> moves.Move:
        live = self.games.live(self.game)
        view = msgspec.json.decode(msgspec.json.encode(view_for(seat, live.table, live.at.head, live.receipt)))
        kinds = [option["type"] for option in view["you"]["legal"]]
        if "look" in kinds and not self.wanted.bot:
            return moves.DoubleNil() if seat in self.wanted.double_nils else moves.Look()
        if "bid" in kinds and seat in self.wanted.bids:
            return moves.Bid(self.wanted.bids[seat])
        if "exchange" in kinds:
            hand, most = view["you"]["legal"][0]["discard"]["of"], view["you"]["legal"][0]["discard"]["max"]
            return moves.Exchange(tuple(self.dice.sample(hand, most)))
        return move_of(house_move(view) if self.wanted.bot else any_move(view, random.Random(self.dice.random())))

    def later(self, ms: int) -> None:
        self.clock.time += ms

    def write(self, path: Path) -> None:
        found = record_for(self.game, self.games.log(self.game), "spectator", ended=True)
        path.write_bytes(record.write(found))


def resign(play: Play) -> None:
    """The seat that is not on turn."""
    play.move(other(play.turn or "south"), moves.Resign())


def claim(play: Play) -> None:
    """When the time is over, and a little later."""
    play.later((deadline(play.games.live(play.game).table.open) or 0) - play.clock.time + 1234)
    play.move(other(play.turn or "south"), moves.ClaimTimeout())


def swept(play: Play) -> None:
    """By the sweep, after a month."""
    play.later(ABANDONED_MS)
    sweep(play.games, [play.game])


def ended(play: Play) -> None:
    """By the operator."""
    end_game(play.games, play.game, "a fixture")


def dispute(play: Play, verdict: Any = "upheld") -> None:
    """South's word about a moment that is over, the operator's answer, and every correction that is due."""
    table = play.games.live(play.game).table
    n, events = len(table.open.disputes) + 1, [load(stored) for commit in play.games.log(play.game) for stored in commit.events]
    asked = NewDispute(ClaimedScore((), ClaimedResult(1, -2, "none")), f"v{table.open.version - 3}", "a fixture")
    play.games.dispute(play.game, "south", MoveRequest(secrets.token_bytes(16), {}), lambda: asked)
    due = [
        Correction(scored.hand, seat, line.points - line.penalty)
        for seat, lines in recount(events).lines.items()
        for scored, line in zip(table.open.scores, lines, strict=True)
        if scored.line(seat) != line
    ][:1]
    settlement = Settlement(verdict, "a fixture", tuple(due))
    play.games.settle(play.game, n, MoveRequest(secrets.token_bytes(16), {}), lambda: settlement)


WANTED: Final[Mapping[str, Wanted]] = {
    "standard": Wanted(
        why="the standard ruleset, both bring bytes, a whole game of two bots", brought=("north", "south"), bot=True
    ),
    "bags": Wanted(
        why="bag penalties, what is left over stays; target or hand limit",
        rules={"target": 90, "bag_limit": 3, "bag_penalty": 50, "max_hands": 3},
        brought=("south",),
        bids={"north": 2, "south": 3},
    ),
    "bags-zero": Wanted(
        why="bags restart at zero after a penalty, the second card is seen, south first, no bytes",
        rules={"bag_limit": 2, "bag_penalty": 30, "bag_carry": "zero", "second_card": "seen", "max_hands": 2},
        first="south",
        bids={"north": 1, "south": 2},
    ),
    "double-nil": Wanted(
        why="both bid double nil and exchange three cards, failed ones count bags",
        rules={"double_nil_value": 150, "failed_nil": "bags", "bag_limit": 5, "max_hands": 1},
        brought=("north",),
        double_nils=("north", "south"),
    ),
    "nil": Wanted(
        why="two nils, tricks of a failed one are bags and points",
        rules={"nil_value": 50, "failed_nil": "bags_and_points", "max_hands": 1},
        bids={"north": 0, "south": 0},
    ),
    "one-exchanged": Wanted(
        why="a double nil with an exchange of one card at most, bytes of both",
        rules={"exchange_max": 1, "max_hands": 1},
        brought=("north", "south"),
        double_nils=("south",),
        bids={"north": 7},
    ),
    "none-exchanged": Wanted(
        why="a double nil without an exchange, no penalty for bags",
        rules={"exchange_max": 0, "bag_limit": 0, "max_hands": 1},
        double_nils=("north",),
        bids={"south": 4},
    ),
    "floor": Wanted(why="both under the floor, the higher wins", rules={"floor": -100}, bids={"north": 13, "south": 12}),
    "draw": Wanted(why="equal scores in the last hand", rules={"max_hands": 1}, bids={"north": 13, "south": 13}),
    "rated": Wanted(
        why="version 2 of event 1: listed, rated, names fixed, a rematch",
        more={"listed": True, "rated": True, "names": Names("Ann", "Bo"), "after": "0k7f3x9q2m5v8w1c"},
        most=10,
        end=resign,
    ),
    "resigned": Wanted(why="resigned inside a trick", most=65, end=resign),
    "timed-out": Wanted(why="a claim in the draft", rules={"turn_seconds": 60}, most=15, end=claim),
    "not-revealed": Wanted(
        why="a reveal that was owed for a day, ended by the sweep", brought=("north", "south"), revealed=False, end=swept
    ),
    "left-alone": Wanted(why="given up before anybody came", joined=False, end=lambda play: play.move("north", moves.Resign())),
    "nobody-came": Wanted(why="abandoned before anybody came, by the sweep", joined=False, end=swept),
    "abandoned": Wanted(why="left for a month, ended by the sweep", most=40, end=swept),
    "ended": Wanted(why="ended by the operator", most=58, end=ended),
    "disputed": Wanted(
        why="a dispute while play goes on and one after the end",
        rules={"max_hands": 1},
        brought=("north", "south"),
        then=dispute,
    ),
    "corrected": Wanted(
        why="a score recorded wrongly, put right after the end",
        rules={"max_hands": 2, "bag_limit": 4},
        fault=True,
        then=dispute,
    ),
}


def make(name: str, into: Path) -> None:
    """Makes one game and notes its figures. Raises `SystemExit` where it is there already."""
    path, expected = into / f"{name}.ndjson", into / "expected.json"
    if path.exists():
        raise SystemExit(f"{path} is there already, and is never made again")
    play = Play(WANTED[name])
    with miscounting(more(100)) if WANTED[name].fault else nullcontext():
        play.play()
    play.write(path)
    known = json.loads(expected.read_text("utf-8")) if expected.exists() else {"server_key": SIGNER.key.id, "games": {}}
    known["games"][name] = {"why": WANTED[name].why, **figures(path, SIGNER.key.id)}
    expected.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main(version: str, *names: str) -> None:
    into = HERE / version
    into.mkdir(exist_ok=True)
    for name in names or tuple(WANTED):
        make(name, into)


if __name__ == "__main__":
    main(*sys.argv[1:])
