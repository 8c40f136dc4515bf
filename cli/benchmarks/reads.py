"""The benchmark of reading beside moving: how long moves take while loops ask for replays, explanations and audits of many
games, beside the same number of loops that ask for ``/healthz``.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cli.benchmarks.http import Game
from cli.benchmarks.measuring import Waits, waits
from service.base.settings import CREATE_LIMIT, DATA, REDIS_URL
from service.runtime.server_process import ServerProcess

LOOPS: Final = 24
_GAMES: Final = 24
_HANDS: Final = 2
_SECONDS: Final = 4.0
_ROOT: Final = Path(__file__).parents[2]


def reads(store_url: str, directory: Path, runs: int) -> Iterator[Waits]:
    """How long moves take beside `LOOPS` loops of each kind. Raises `service.runtime.server.CannotServe`, and
    `AssertionError` where a loop is answered anything but 200."""
    environment = {**os.environ, REDIS_URL: store_url, CREATE_LIMIT: "0", DATA: str(directory)}
    factory = "service.runtime.web_process:create_from_environment"
    with ServerProcess.start(factory, log=directory / "bench.log", env=environment, workers=2) as server:
        paths = [path for _ in range(_GAMES) for path in _paths(_ended(server.url))]
        mover = Game(server.url)
        took: list[float] = []
        floor: list[float] = []
        for _ in range(runs):
            for kind, times in ((["/healthz"], floor), (paths, took)):
                with _loops(server.url, kind):
                    times += _moves(mover)
        yield waits(f"a move beside {LOOPS} loops of replays", took, floor)


def _ended(url: str) -> str:
    """The id of a game that has ended."""
    game = Game(url, {"max_hands": _HANDS})
    while not game.ended:
        game.step()
    found: str = game.id
    return found


def _paths(game: str) -> list[str]:
    """Addresses of a game that are answered from a fold of it."""
    found = ["/replay", "/scoresheet", "/audit"]
    for hand in range(1, _HANDS + 1):
        found += [f"/replay?hand={hand}", f"/replay?at={hand}.7", f"/explain/{hand}.s"]
        found += [f"/explain/{hand}.{trick}.{card}" for trick in range(1, 14) for card in (1, 2)]
        found += [f"/explain/{hand}.d{turn}" for turn in range(1, 27)]
    return [f"/v1/games/{game}{path}" for path in found]


@contextmanager
def _loops(url: str, paths: list[str]) -> Iterator[None]:
    command = [sys.executable, "-m", "cli.benchmarks.loops", url]
    with subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps([LOOPS, paths]) + "\n")
            process.stdin.flush()
            time.sleep(_WARMING_SECONDS)
            yield
            printed, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    counts = json.loads(printed)
    if set(counts) != {"200"}:
        raise AssertionError(f"the loops were answered {counts}")


_WARMING_SECONDS: Final = 1.0


def _moves(mover: Game) -> list[float]:
    """How long each move took, in ms."""
    found = []
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        begun = time.perf_counter()
        mover.step()
        found.append((time.perf_counter() - begun) * 1000)
    return found
