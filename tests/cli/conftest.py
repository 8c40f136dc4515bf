"""Commands run in the test's process, on games of the tests' store."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from cli.main import run
from events import record
from events.receipts import Signer
from events.redis_store import RedisStore
from events.ruleset import with_options
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.bots import any_move
from service.games import moves
from service.games.exporting import record_for
from service.games.handler import Games, MoveRequest, NewGame, NewPlayer
from service.games.results import view_for
from service.http.schemas.bodies import move as move_of
from tests.cli.serving import Service


class Clock:
    def now(self) -> int:
        return 1_790_000_000_000


class Result(msgspec.Struct):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def trickbook(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, redis_url: str) -> Callable[..., Result]:
    """Runs a command and gives what it printed."""
    monkeypatch.setenv("TRICKBOOK_REDIS_URL", redis_url)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str) -> Result:
        code = run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return call


@pytest.fixture(scope="session")
def games(redis_url: str) -> Iterator[Games]:
    store = RedisStore(redis_url)
    yield Games(store, Identity(bytes(32), Signer(bytes(range(32)))), Clock(), Csprng())
    store.close()


def play_game(games: Games, *, until: str = "ended", seed: int = 1, **rules: object) -> str:
    """A game of random legal moves, up to a phase."""
    chance = random.Random(seed)

    def key() -> bytes:
        return chance.randbytes(16) + f"{seed} {until} {rules} {id(games)}".encode()

    fresh = random.SystemRandom().randbytes(16)
    made = games.create(MoveRequest(fresh, {}), lambda: NewGame("Ann", with_options(rules), "north"))
    game = made.game
    games.join(game, MoveRequest(fresh, {}), lambda: NewPlayer("Bo", made.invite))
    while (live := games.live(game)).table.open.phase != until:
        seat = live.table.open.turn
        assert seat is not None
        view = msgspec.json.decode(msgspec.json.encode(view_for(seat, live.table, live.at.head, live.receipt)))
        move: moves.Move = move_of(any_move(view, chance))
        games.move(game, seat, MoveRequest(key(), {}), lambda move=move: move)
    return game


@pytest.fixture(scope="session")
def ended(games: Games) -> str:
    """A finished game of a few hands."""
    return play_game(games, max_hands=3)


@pytest.fixture(scope="session")
def running(games: Games) -> str:
    """A game in which cards are being played."""
    return play_game(games, until="play")


@pytest.fixture
def record_file(games: Games, ended: str, tmp_path: Path) -> Path:
    """The record of the finished game."""
    path = tmp_path / "game.trickbook.ndjson"
    path.write_bytes(record.write(record_for(ended, games.log(ended), "spectator", ended=True)))
    return path


@pytest.fixture(scope="module")
def service(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service on the tests' store, the same for a module."""
    started = Service(redis_url, tmp_path_factory.mktemp("service"))
    yield started
    started.process.stop()
