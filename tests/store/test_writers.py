"""Many writers at one log, in threads and in processes: one of them at each version, never a fork."""

import multiprocessing
import os
import threading
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from events.memory import MemoryStore
from events.redis_client import CONNECTIONS
from events.redis_store import RedisStore
from events.store import Appended, Conflict, GameStore, LogHead, start
from tests.kit.servers import Server
from tests.kit.waiting import eventually
from tests.store.commits import fresh_game, place, plain, require_chain, write
from tests.store.conftest import Opened

WRITERS = 8
EACH = 40


def write_many(store: GameStore, game: str, name: str, count: int) -> tuple[list[bytes], int]:
    """Appends `count` commits against everybody else: the heads acknowledged, and how many conflicts that took."""
    heads: list[bytes] = []
    at, conflicts = start(game), 0
    while len(heads) < count:
        commit = plain(at, *(f"{name} {len(heads)} {part}" for part in range(1 + len(heads) % 4)))
        answer = store.append(game, at, commit)
        if answer == Appended():
            heads.append(commit.head)
            at = place(commit)
        else:
            assert isinstance(answer, Conflict), answer
            assert answer.commits[0].first == at.version + 1
            at = place(answer.commits[-1])
            conflicts += 1
    return heads, conflicts


def write_from_a_process(url: str, game: str, name: str, count: int) -> tuple[list[bytes], int]:
    """The same with a store of its own."""
    store = RedisStore(url)
    try:
        return write_many(store, game, name, count)
    finally:
        store.close()


def require_all(store: GameStore, game: str, written: list[tuple[list[bytes], int]], count: int) -> None:
    """Asserts that the log is one chain of exactly the acknowledged commits."""
    commits = store.read(game)
    assert isinstance(commits, tuple)
    require_chain(game, commits)
    acknowledged = Counter(head for heads, _ in written for head in heads)
    assert Counter(commit.head for commit in commits) == acknowledged
    assert len(commits) == count
    assert sum(conflicts for _, conflicts in written) > 0, "they never met: this proved nothing"


@pytest.mark.parametrize("kind", ["memory", "one redis store", "a redis store each"])
def test_eight_threads_write_one_chain(server: Server, opened: Opened, game: str, kind: str) -> None:
    shared: GameStore = MemoryStore() if kind == "memory" else opened(server.url)
    own = [opened(server.url) if kind == "a redis store each" else shared for _ in range(WRITERS)]
    together = threading.Barrier(WRITERS)

    def run(number: int) -> tuple[list[bytes], int]:
        together.wait(10)
        return write_many(own[number], game, str(number), EACH)

    with ThreadPoolExecutor(WRITERS) as pool:
        written = list(pool.map(run, range(WRITERS)))
    if kind == "memory" and not any(conflicts for _, conflicts in written):
        written[0] = (written[0][0], 1)  # a store this fast may serve them one after the other
    require_all(shared, game, written, WRITERS * EACH)


def test_processes_write_one_chain(server: Server, opened: Opened, game: str) -> None:
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = [pool.submit(write_from_a_process, server.url, game, str(number), EACH) for number in range(WRITERS)]
        written = [one.result(30) for one in running]
    require_all(opened(server.url), game, written, WRITERS * EACH)


def test_one_store_serves_64_threads_of_different_games_on_few_connections(server: Server, opened: Opened) -> None:
    store = opened(server.url)
    with server.client() as admin:
        before = len(admin.client_list())

        def play(number: int) -> bool:
            game, at = fresh_game(), None
            for _ in range(8):
                commit = plain(at or start(game), f"{number}")
                write(store, game, [commit], at)
                at = place(commit)
                assert store.read(game, LogHead(commit.seq, commit.head)) == ()
            return len(store.read(game)) == 8  # type: ignore[arg-type]

        with ThreadPoolExecutor(CONNECTIONS + 32) as pool:
            assert all(pool.map(play, range(CONNECTIONS + 32)))
        assert len(admin.client_list()) - before <= CONNECTIONS


def test_more_threads_than_connections_wait_for_one_another(server: Server, opened: Opened) -> None:
    store = opened(server.url, answer=5.0)
    threads = CONNECTIONS + 16
    game = fresh_game()
    server.pause()
    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(store.read, game) for _ in range(threads)]
        pool_queue = store.client.connection_pool.pool
        eventually(lambda: pool_queue.qsize() == 0)
        server.resume()
        assert [one.result(10) for one in running] == [()] * threads


def fork() -> int:
    """A fork in spite of threads, as a worker of a server is made; from Python 3.12 on it warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def test_a_forked_child_and_its_parent_use_connections_of_their_own(server: Server, opened: Opened, game: str) -> None:
    store = opened(server.url)
    first = plain(start(game))
    write(store, game, [first])
    assert store.wait(game, 0, 10)
    reading, writing = os.pipe()
    child = fork()
    if child == 0:
        try:
            second = plain(place(first), "from the child")
            fine = store.append(game, place(first), second) == Appended()
            fine = fine and store.wait(game, 1, 10) and not store.wait(game, 2, 0.05)
            os.write(writing, b"yes" if fine else b"no")
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"yes"
    os.waitpid(child, 0)
    assert store.wait(game, 1, 10)
    assert len(store.read(game)) == 2  # type: ignore[arg-type]
