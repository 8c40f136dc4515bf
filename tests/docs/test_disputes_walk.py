"""The walk through a dispute in docs/disputes.md: its games are put into a store, a service serves them, every command is run."""

import random
import re
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from events.cards import Seat
from events.receipts import Signer
from events.redis_store import RedisStore
from events.ruleset import with_options
from events.types import ClaimedScore, Line, data_of
from projections.legal import options
from projections.table import Table
from service.games import moves
from service.games.dispute_requests import NewDispute
from service.games.handler import MoveRequest, Games, NewGame, NewPlayer
from service.base.identity import Identity
from service.runtime.server_process import ServerProcess
from tests.kit.disputes import miscounting
from tests.docs.test_documents import ROOT, blocks, environment, fits
from tests.kit.entropy import Scripted
from tests.kit.logs import START
from tests.kit.servers import Servers

PAGE = (ROOT / "docs/disputes.md").read_text("utf-8")
SECRET, KEY = bytes(range(32)), bytes(range(1, 33))
RULES = {"target": 200, "failed_nil": "bags"}
BIDS: dict[Seat, int] = {"north": 4, "south": 5}
SEED = 32
"""A game in which the bags of a failed nil cost south 100 points two hands later."""


def _twice(line: Line) -> Line:
    """The fault of an older version: a bag penalty is taken twice."""
    return msgspec.structs.replace(line, penalty=2 * line.penalty, total=line.total - line.penalty)


T = TypeVar("T")


class Still:
    def now(self) -> int:
        return START


def play(store: RedisStore, name: str, signer: Signer, seed: int = SEED) -> tuple[str, str]:
    """A whole game; its id and south's token. South bids double nil in hand 2."""
    games = Games(store, Identity(SECRET, signer), Still(), Scripted(seed))
    key, dice = f"{name} of the walk through a dispute".encode(), random.Random(seed)
    made = games.create(MoveRequest(key, {}), lambda: NewGame("Ann", with_options(RULES), "north"))
    game = made.game
    token = games.join(game, MoveRequest(key, {}), lambda: NewPlayer("Bo", made.invite)).token
    number = 0
    while (table := games.live(game).table).open.turn is not None:
        seat, number = table.open.turn, number + 1
        move = chosen(table, seat, dice)
        games.move(game, seat, MoveRequest(f"move {number}".encode(), {}), partial(_same, move))
    return game, str(token)


def _same(wanted: T) -> T:
    return wanted


def chosen(table: Table, seat: Seat, dice: random.Random) -> moves.Move:
    """What a seat does: it keeps most cards, bids the same in every hand but one, and plays anything."""
    option = options(table.open, seat, table.own(seat))[0]
    match option.type:
        case "look":
            return moves.DoubleNil() if (table.open.hand, seat) == (2, "south") else moves.Look()
        case "keep":
            return moves.Keep() if dice.random() < 0.7 else moves.Pass()
        case "exchange":
            return moves.Exchange(())
        case "bid":
            return moves.Bid(BIDS[seat])
    return moves.Play(dice.choice(option.cards))


@pytest.fixture
def walk(servers: Servers, tmp_path: Path) -> Iterator[tuple[dict[str, str], str]]:
    """The environment of the page's commands, and the address of the service."""
    url = servers.start().url
    store, signer = RedisStore(url), Signer(KEY)
    first, token = play(store, "The first game", signer)
    with miscounting(_twice, "south", (3,)):
        second, _ = play(store, "The second game", signer)
    claim = data_of(ClaimedScore, {"hands": [{"hand": 3, "south": {"points": -47}}]})
    ask = NewDispute(claim, "3.s", "100 for 11 bags, but you take 200.")
    games = Games(store, Identity(SECRET, signer), Still(), Scripted(0))
    games.dispute(second, "south", MoveRequest(b"the dispute of the walk", {}), partial(_same, ask))
    store.close()
    assert {first, second} <= set(re.findall(r"\b[0-9a-z]{16}\b", PAGE)), (first, second)
    env = {
        **environment(tmp_path / "data"),
        "TRICKBOOK_REDIS_URL": url,
        "TRICKBOOK_SECRET": SECRET.hex(),
        "TRICKBOOK_SIGNING_KEY": KEY.hex(),
        "TRICKBOOK_TOKEN": token,
    }
    server = ServerProcess.start("service.runtime.web_process:create_from_environment", log=tmp_path / "log", env=env, workers=1)
    with server:
        yield env, server.url


def test_the_walk_from_the_players_message_to_the_settlement_is_what_happens(walk: tuple[dict[str, str], str]) -> None:
    env, url = walk
    assert len(blocks(ROOT / "docs/disputes.md", "console walk")) == 6
    for block in blocks(ROOT / "docs/disputes.md", "console walk"):
        for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, expected = piece.partition("\n")
            command = command.replace("http://127.0.0.1:8000", url)
            done = subprocess.run(command, shell=True, env=env, capture_output=True, text=True, check=False)
            told = done.stdout.strip("\n").split("\n")
            assert fits(expected.strip("\n").split("\n"), told), f"{command} printed:\n{done.stdout}\n{done.stderr}"
