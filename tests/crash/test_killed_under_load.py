"""Everything is killed at random moments while people play: every acknowledged move is there, every game goes on.

`TRICKBOOK_CRASH_ROUNDS=50` makes as many rounds as one likes; CI makes a few.
"""

import os
import random
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from service.bots import random_move
from service.client.http import Client, ClientError
from tests.crash.service import Service
from tests.kit.waiting import eventually

ROUNDS = int(os.environ.get("TRICKBOOK_CRASH_ROUNDS", "4"))
GAMES = 4
DOWN = ("unreachable", "store_unreachable", "unreadable", "busy")


class Load:
    """Games played by threads, each remembering what was acknowledged to it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.acknowledged: dict[str, list[dict[str, Any]]] = {}
        self.stopping = threading.Event()
        self.faults: list[str] = []
        self._threads = [threading.Thread(target=self._play, args=(seed,), daemon=True) for seed in range(GAMES)]
        for thread in self._threads:
            thread.start()

    def moves(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    def end(self) -> None:
        self.stopping.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()

    def _play(self, seed: int) -> None:
        chance = random.Random(seed)
        while not self.stopping.is_set():
            seats = {"north": Client(self.url), "south": Client(self.url)}
            made = self._insist(lambda seats=seats: seats["north"].create("Ann", {"max_hands": 2}))
            if made is None:
                return
            game = made["game"]
            receipts = self.acknowledged.setdefault(game, [made["receipt"]])
            joined = self._insist(partial(seats["south"].join, game, "Bo", made["invite"]))
            if joined is None:
                continue
            receipts.append(joined["receipt"])
            self._moves(game, seats, receipts, chance)

    def _moves(self, game: str, seats: dict[str, Client], receipts: list[dict[str, Any]], chance: random.Random) -> None:
        """Plays a game; after an answer that was lost it looks again, as a person would who comes back."""
        turn = "north"
        while not self.stopping.is_set():
            view = self._insist(lambda turn=turn: seats[turn].view(game))
            if view is None or view["phase"] == "ended":
                return
            if view["turn"] != turn:
                turn = view["turn"]
                continue
            try:
                answer = seats[turn].move(game, random_move(view, chance))
            except ClientError as error:
                if error.code not in DOWN:
                    self.faults.append(f"{error.code}: {error}")
                    return
                continue
            receipts.append(answer["receipt"])
            turn = answer["view"].get("turn", turn)

    def _insist(self, call: Any) -> Any:
        """Repeats until there is an answer; None when the test is over, or when the seat was taken by a lost answer."""
        while not self.stopping.is_set():
            try:
                return call()
            except ClientError as error:
                if error.code == "seat_taken":
                    return None
                if error.code not in DOWN:
                    self.faults.append(f"{error.code}: {error}")
                    return None
                self.stopping.wait(0.02)
        return None


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path / "data")
    running.start()
    yield running
    running.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="finds the processes of a directory in /proc")
def test_after_everything_is_killed_every_acknowledged_move_is_there_and_every_game_goes_on(service: Service) -> None:
    chance = random.Random(2)
    load = Load(service.url)
    restarts = []
    for _ in range(ROUNDS):
        before = load.moves()
        eventually(lambda before=before: load.moves() > before + 20 + chance.randrange(40), 60)
        service.kill(chance)
        restarts.append(service.start())
    before = load.moves()
    eventually(lambda: load.moves() > before + 40, 60)
    load.end()
    assert not load.faults
    spectator = Client(service.url)
    for game, receipts in load.acknowledged.items():
        heads: dict[int, str] = {}
        after = 0
        while piece := spectator.get(f"/v1/games/{game}/events?after={after}")["events"]:
            heads |= {event["public"]["seq"]: event["head"] for event in piece}
            after = piece[-1]["public"]["seq"]
        for receipt in receipts:
            assert heads.get(receipt["seq"]) == receipt["head"], f"an acknowledged move of {game} is gone"
    print(f"{load.moves()} moves, restarts in {', '.join(f'{seconds:.2f}' for seconds in restarts)} s")
