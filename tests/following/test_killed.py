"""Followers and the store killed and stopped at random moments while games go on: nothing is lost and nothing doubled.

`TRICKBOOK_CRASH_ROUNDS=50` makes as many rounds as one likes; CI makes a few.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from events.log import Commit
from events.redis_store import RedisStore
from events.store import LogHead, start
from projections.across.ladder import standings
from projections.across.models import LADDER, MODELS, Model
from service.readmodels.model_store import ReadModelStore
from service.readmodels.rebuild import rebuild
from tests.following.many import logs
from tests.kit.servers import Server, Servers
from tests.kit.waiting import eventually

ROUNDS = int(os.environ.get("TRICKBOOK_CRASH_ROUNDS", "4"))
_ACROSS = (b'"type":"game_created"', b'"type":"player_joined"', b'"type":"game_ended"')


class Keeper:
    """A follower process that is killed, stopped and started again."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen([sys.executable, "-m", "tests.following.keeper", self._url], stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        """Kills it, and starts another."""
        self.process.kill()
        self.process.wait()
        self.process = self._start()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class Player(threading.Thread):
    """Plays games commit by commit, announcing as the handler does, on a store that comes and goes."""

    def __init__(self, url: str, games: dict[str, list[Commit]], seed: int) -> None:
        super().__init__()
        self._store = RedisStore(url)
        self._games = games
        self._chance = random.Random(seed)
        self.failures: list[Exception] = []
        self.played = 0

    def run(self) -> None:
        try:
            left = {game: (start(game), list(commits)) for game, commits in self._games.items()}
            while left:
                game = self._chance.choice(sorted(left))
                place, commits = left.pop(game)
                commit = commits.pop(0)
                if any(word in event.public for word in _ACROSS for event in commit.events):
                    self._store.announce(game, commit.seq)
                self._store.append(game, place, commit)
                self.played += 1
                if commits:
                    left[game] = LogHead(commit.seq, commit.head), commits
        except Exception as error:
            self.failures.append(error)
        finally:
            self._store.close()


@pytest.fixture
def server(servers: Servers) -> Server:
    return servers.start()


@pytest.fixture
def keepers(server: Server) -> Iterator[list[Keeper]]:
    made = [Keeper(server.url) for _ in range(2)]
    yield made
    for keeper in made:
        keeper.end()


def _fields(books: ReadModelStore, model: Model) -> dict[str, bytes]:
    now = books.serving(model).now
    assert now is not None
    return {name: raw for part in model.parts for name, raw in books.load(model, now.number, part).fields.items()}


def test_whoever_is_killed_or_stopped_the_models_are_as_if_nobody_had_been(server: Server, keepers: list[Keeper]) -> None:
    chance = random.Random(ROUNDS)
    store = RedisStore(server.url)
    books = ReadModelStore(store)
    eventually(lambda: all(books.serving(model).now for model in MODELS), 30)
    games: dict[str, list[Commit]] = {}
    for number in range(ROUNDS):
        more = logs(40, 100 + number)
        games |= more
        player = Player(server.url, more, number)
        player.start()
        while player.is_alive():
            before = player.played
            match chance.choice(("kill", "stop", "store", "pause")):
                case "kill":
                    chance.choice(keepers).kill()
                case "stop":
                    slept = chance.choice(keepers)
                    slept.stop()
                    eventually(lambda before=before, player=player: player.played > before + 20 or not player.is_alive(), 30)
                    slept.go_on()
                case "store":
                    server.kill()
                    server.start()
                case "pause":  # longer than a follower's patience
                    server.pause()
                    with contextlib.suppress(AssertionError):
                        eventually(lambda player=player: not player.is_alive(), 0.4)
                    server.resume()
            eventually(lambda before=before, player=player: player.played > before + 5 or not player.is_alive(), 30)
        assert player.failures == []
    for model in MODELS:
        eventually(lambda model=model: {model.field(game) for game in games} <= set(_fields(books, model)), 30)

    def settled() -> bool:
        held = _fields(books, LADDER)
        rows = {row.game: row.version for row in LADDER.rows(held)}
        return rows == {game: commits[-1].seq for game, commits in games.items()}

    eventually(settled, 30)
    held = _fields(books, LADDER)
    right = standings(LADDER.rows(held))
    assert LADDER.standings(held) == right
    assert sum(one.games for one in right.values()) == 2 * len(games)
    for keeper in keepers:
        keeper.end()
    for model in MODELS:
        found = rebuild(store, books, model)
        assert (found.games, found.different) == (len(games), ())
    store.close()
