"""A crowd of connections beside a game with five seconds a turn: no move is lost or late, and the service answers.

By hand: `TRICKBOOK_CROWD=full TRICKBOOK_CROWD_SECONDS=60 pytest tests/crash/test_crowd.py -s` has 2,000 slow bodies, 10,000
idle connections that come back, 400 streams and 500 waits, and prints how long moves took without and with them.
"""

import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from service.bots import random_move
from service.client.http import Client, ClientError
from service.runtime.server_process import ServerProcess
from tests.crash.test_killed_under_load import Service
from tests.embedded.processes import ROOT
from tests.kit.waiting import eventually

FULL = os.environ.get("TRICKBOOK_CROWD") == "full"
SECONDS = float(os.environ.get("TRICKBOOK_CROWD_SECONDS", "4"))
SIZES = (
    {"slow": 2000, "idle": 10_000, "stream": 400, "wait": 500} if FULL else {"slow": 700, "idle": 600, "stream": 60, "wait": 60}
)
TURN_SECONDS = 5

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="connections are bounded for each address on Linux only")


class Player:
    """Both seats of games with a short turn, one after the other, from one thread."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.took: list[float] = []
        self.receipts: dict[str, list[dict[str, Any]]] = {}
        self.refused: list[str] = []
        self._chance = random.Random(7)
        self._begin()

    def _begin(self) -> None:
        self.seats = {"north": Client(self.url), "south": Client(self.url)}
        made = self.seats["north"].create("Ann", {"turn_seconds": TURN_SECONDS})
        self.game = made["game"]
        joined = self.seats["south"].join(self.game, "Bo", made["invite"])
        self.receipts[self.game] = [made["receipt"], joined["receipt"]]

    def move(self) -> None:
        """One move of whoever is on turn."""
        turn = "north"
        try:
            view = self.seats[turn].view(self.game)
            if view["phase"] == "ended":
                assert view["result"]["reason"] != "timeout", f"{self.game} was lost on time"
                self._begin()
                return
            if view["turn"] != turn:
                turn = view["turn"]
                view = self.seats[turn].view(self.game)
            began = time.monotonic()
            answer = self.seats[turn].move(self.game, random_move(view, self._chance))
            self.took.append(time.monotonic() - began)
            self.receipts[self.game].append(answer["receipt"])
        except ClientError as error:
            self.refused.append(f"{error.code}: {error}")

    def play(self, seconds: float) -> list[float]:
        """How long each move took, for so many seconds."""
        self.took = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.move()
        return self.took


@contextmanager
def crowd(port: int, game: str, sizes: dict[str, int]) -> Iterator[dict[str, int]]:
    """The crowd around a block; the mapping has its counts up to the last second."""
    counts: dict[str, int] = {}
    command = [sys.executable, "-m", "tests.crash.crowd", str(port), game, json.dumps(sizes)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None

    def read(lines: Any) -> None:
        for line in lines:
            counts.update(json.loads(line))

    reader = threading.Thread(target=read, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        yield counts
    finally:
        process.stdin.close()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)
        reader.join(20)
        process.stdout.close()


def withstands(url: str, port: int, sizes: dict[str, int], seconds: float) -> None:
    """Plays without and with the crowd. Raises `AssertionError` where it takes a move or the service from anybody."""
    player, watched = Player(url), Player(url)
    alone = player.play(seconds)
    with crowd(port, watched.game, sizes) as counts:
        patience = 120 if FULL else 12
        eventually(lambda: counts.get("slow_408", 0) + counts.get("slow_closed", 0) >= sizes["slow"], patience)
        eventually(lambda: counts.get("idle_connected", 0) >= sizes["idle"], patience)
        eventually(lambda: counts.get("wait_again", 0) >= sizes.get("wait", 0), patience)
        eventually(lambda: counts.get("stream_held", 0) >= sizes.get("stream", 0), patience)
        beside = player.play(seconds)
        assert all(answers(f"{url}{path}") for path in ("/healthz", "/readyz")), "the service does not answer within a turn"
        reached = dict(counts)
    print(f"\nload {os.getloadavg()[0]:.1f}; {reached}")
    print(f"alone  {figures(alone)}\nbeside {figures(beside)}")
    assert not player.refused
    assert len(beside) > seconds  # with five seconds a turn
    for game, receipts in player.receipts.items():
        heads = heads_of(Client(url), game)
        assert all(heads.get(receipt["seq"]) == receipt["head"] for receipt in receipts), f"a move of {game} is gone"
    assert reached.get("stream_held", 0) >= sizes.get("stream", 0), "a stream was not held"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path / "data")
    running.start()
    yield running
    running.stop()


def test_a_crowd_takes_no_game_from_anybody(service: Service) -> None:
    withstands(service.url, service.port, SIZES, SECONDS)


@pytest.mark.skipif(not FULL, reason="by hand: it needs all of a machine")
def test_a_crowd_that_comes_through_a_proxy_takes_no_game_from_anybody(tmp_path: Path) -> None:
    """All streams and waits have an address of their own, and no connection a bound but the total."""
    environment = {
        "TRICKBOOK_DATA": str(tmp_path / "data"),
        "TRICKBOOK_TRUSTED_PROXIES": "127.0.0.8/29 127.0.0.16/29",
        "TRICKBOOK_THREADS": "1200",
    }
    factory = "service.runtime.web_process:create_from_environment"
    with ServerProcess.start(factory, log=tmp_path / "log", workers=2, threads=1200, env=environment) as server:
        withstands(server.url, server.port, {**SIZES, "proxied": 1}, SECONDS)


@pytest.mark.parametrize(
    ("fault", "sizes"),
    [
        ("without_deadline", {"slow": 100, "idle": 1}),
        ("without_bounds", {"slow": 1, "idle": 400}),
        ("without_lanes", {"slow": 1, "idle": 1, "wait": 60}),
    ],
)
def test_a_planted_fault_is_caught(fault: str, sizes: dict[str, int], tmp_path: Path) -> None:
    with (
        ServerProcess.start(
            f"tests.crash.faulty_app:{fault}",
            log=tmp_path / "log",
            workers=1,
            connections=256,
            env={"TRICKBOOK_DATA": str(tmp_path / "data"), "TRICKBOOK_CREATE_LIMIT": "0", "PYTHONPATH": str(ROOT)},
        ) as server,
        pytest.raises((AssertionError, ClientError)),
    ):
        withstands(server.url, server.port, sizes, 2.0)


def answers(url: str) -> bool:
    """Whether a new connection is answered before a turn is over."""
    try:
        with urllib.request.urlopen(url, timeout=TURN_SECONDS) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def heads_of(client: Client, game: str) -> dict[int, str]:
    """The head at each seq of a game."""
    heads: dict[int, str] = {}
    while piece := client.get(f"/v1/games/{game}/events?after={max(heads, default=0)}")["events"]:
        heads |= {event["public"]["seq"]: event["head"] for event in piece}
    return heads


def figures(took: list[float]) -> str:
    """Median, p99 and longest, in ms."""
    ordered = sorted(took)
    picked = (ordered[len(ordered) // 2], ordered[min(len(ordered) * 99 // 100, len(ordered) - 1)], ordered[-1])
    return f"{len(took)} moves: " + ", ".join(
        f"{name} {seconds * 1000:.0f} ms" for name, seconds in zip(("p50", "p99", "max"), picked, strict=True)
    )
