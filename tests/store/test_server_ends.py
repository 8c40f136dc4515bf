"""A server that ends, stands still or refuses: what was acknowledged is there, what was not is said to be unknown."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from redis.exceptions import OutOfMemoryError

from events import keys
from events.log import Commit
from events.redis_store import RedisStore
from events.store import Appended, BadEntry, Conflict, FrozenGame, Unreachable, start
from tests.kit.servers import Server, Servers
from tests.kit.waiting import eventually
from tests.store.commits import chain, fresh_game, place, plain, real, require_chain, write
from tests.store.conftest import Opened
from tests.store.proxy import Proxy


def test_every_acknowledged_commit_outlives_a_kill(servers: Servers, opened: Opened, game: str) -> None:
    server = servers.start()
    store = opened(server.url)
    commits, at = real(game, 12), start(game)
    for index, commit in enumerate(commits):
        write(store, game, [commit], at)
        at = place(commit)
        if index % 4 == 3:
            server.kill()
            server.start()
            assert store.read(game) == tuple(commits[: index + 1])


def test_a_kill_while_many_write_loses_and_doubles_nothing(servers: Servers, opened: Opened) -> None:
    server = servers.start()
    store = opened(server.url, patience=20.0)
    acknowledged: dict[str, list[Commit]] = {fresh_game(): [] for _ in range(6)}
    done = threading.Event()

    def play(game: str) -> None:
        at = start(game)
        while not done.is_set():
            commit = plain(at)
            assert store.append(game, at, commit) == Appended()
            acknowledged[game].append(commit)
            at = place(commit)

    with ThreadPoolExecutor(len(acknowledged)) as pool:
        running = [pool.submit(play, game) for game in acknowledged]
        try:
            for _ in range(3):
                seen = sum(map(len, acknowledged.values()))
                eventually(lambda seen=seen: sum(map(len, acknowledged.values())) > seen + 60)  # type: ignore[misc]
                server.kill()
                server.start()
        finally:
            done.set()
        for one in running:
            one.result(30)
    for game, commits in acknowledged.items():
        assert store.read(game) == tuple(commits)
        require_chain(game, commits)


def test_a_server_that_stood_still_longer_than_an_answer_may_take_writes_one_entry(
    servers: Servers, opened: Opened, game: str
) -> None:
    server = servers.start()
    with Proxy(server.directory, server.socket) as proxy:
        store = opened(proxy.url, answer=0.2)
        commits = chain(game, 2)
        write(store, game, commits[:1])
        proxy.received.clear()
        server.pause()
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(store.append, game, place(commits[0]), commits[1])
            # The first sending lies in the server's socket; those after it cannot even connect.
            eventually(lambda: proxy.count("HELLO") >= 2)
            server.resume()
            assert answer.result(10) == Appended()
    assert opened(server.url).read(game) == tuple(commits)


def test_a_server_that_stands_still_for_good_is_given_up_and_what_was_sent_may_still_happen(
    servers: Servers, opened: Opened, game: str
) -> None:
    server = servers.start()
    store = opened(server.url, answer=0.1, patience=0.3)
    commits = chain(game, 2)
    write(store, game, commits[:1])
    server.pause()
    with pytest.raises(Unreachable, match="not known: repeat it with the same key"):
        store.append(game, place(commits[0]), commits[1])
    server.resume()
    # Repeated with the same bytes it is in once; it may have been before.
    assert opened(server.url).append(game, place(commits[0]), commits[1]) == Conflict((commits[1],))
    assert opened(server.url).read(game) == tuple(commits)


def test_a_server_that_is_gone_is_given_up_after_the_patience(servers: Servers, opened: Opened, game: str) -> None:
    server = servers.start()
    store = opened(server.url, patience=0.2)
    write(store, game, commits := chain(game, 1))
    server.stop()
    calls: list[Callable[[], Any]] = [
        lambda: store.append(game, place(commits[0]), plain(place(commits[0]))),
        lambda: store.read(game),
        lambda: list(store.games()),
        lambda: store.freeze(game, FrozenGame(1, "ab" * 32, "{}")),
        lambda: store.frozen(game),
        lambda: store.claim({"key": "aa"}),
        store.ping,
    ]
    sentence = f"^the store {server.url} does not answer: .* repeat it with the same key$"
    for call in calls:
        began = time.monotonic()
        with pytest.raises(Unreachable, match=sentence):
            call()
        assert 0.2 <= time.monotonic() - began < 3.0
    server.start()
    assert store.read(game) == tuple(commits)


def test_a_server_that_comes_back_in_time_is_waited_for(servers: Servers, opened: Opened, game: str) -> None:
    server = servers.start()
    store = opened(server.url)
    write(store, game, commits := chain(game, 1))
    server.stop()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(store.append, game, place(commits[0]), plain(place(commits[0])))
        server.start()
        assert answer.result(10) == Appended()


def unable_to_save(server: Server, admin: Any) -> None:
    admin.config_set("save", "3600 1")
    (server.data / "dump.rdb").mkdir()  # a file cannot be put in the place of a directory
    admin.bgsave()
    eventually(lambda: admin.info("persistence")["rdb_last_bgsave_status"] == "err")


def a_replica(server: Server, admin: Any) -> None:
    admin.replicaof("127.0.0.1", "1")


REFUSALS = [(unable_to_save, "MISCONF|disk"), (a_replica, "READONLY|read only")]


@pytest.mark.parametrize(("cause", "reason"), REFUSALS)
def test_a_refusal_is_said_at_once_and_nothing_is_written(
    servers: Servers, opened: Opened, game: str, cause: Callable[[Server, Any], None], reason: str
) -> None:
    server = servers.start()
    store = opened(server.url, patience=60.0)
    commits = chain(game, 2)
    write(store, game, commits[:1])
    with server.client() as admin:
        cause(server, admin)
    began = time.monotonic()
    with pytest.raises(Unreachable, match=f"^the store {server.url} refused: .*({reason})") as caught:
        store.append(game, place(commits[0]), commits[1])
    assert "not known" not in str(caught.value)
    assert time.monotonic() - began < 10
    assert store.read(game) == tuple(commits[:1])


def test_a_game_goes_on_where_the_memory_is_full(servers: Servers, opened: Opened, game: str) -> None:
    server = servers.start()
    store = opened(server.url)
    write(store, game, commits := chain(game, 1))
    with server.client() as admin:
        admin.config_set("maxmemory", 1)
        with pytest.raises(OutOfMemoryError):
            admin.set("another", "key")
        move = plain(place(commits[0]))
        assert store.append(game, place(commits[0]), move, announce=True) == Appended()
    assert store.read(game) == (*commits, move)


def test_a_refusal_after_a_lost_reply_does_not_claim_that_nothing_was_written(
    servers: Servers, opened: Opened, game: str
) -> None:
    server = servers.start()
    with Proxy(server.directory, server.socket) as proxy, server.client() as admin:
        store = opened(proxy.url)
        write(store, game, commits := chain(game, 1))
        second = plain(place(commits[0]))
        proxy.swallow_reply("EVALSHA")
        held = proxy.hold_request("EVALSHA")
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(store.append, game, place(commits[0]), second)
            assert held.arrived.wait(10)
            a_replica(server, admin)
            held.release()
            with pytest.raises(Unreachable, match=r"refused: .*not known: repeat it with the same key"):
                answer.result(10)
        admin.replicaof("NO", "ONE")
        assert store.append(game, place(commits[0]), second) == Conflict((second,))
        assert store.read(game) == (*commits, second)


def test_a_key_of_another_kind_is_refused_and_left_alone(server: Server, opened: Opened, game: str) -> None:
    store = opened(server.url)
    with server.client() as admin:
        admin.set(keys.stream(game), "somebody else's")
        for call in (lambda: store.append(game, start(game), plain(start(game))), lambda: store.read(game)):
            with pytest.raises(BadEntry, match="another type"):
                call()
        assert admin.get(keys.stream(game)) == b"somebody else's"


def test_a_server_that_loads_its_data_is_waited_for(servers: Servers, opened: Opened, game: str) -> None:
    mended = threading.Event()
    server = servers.start("--key-load-delay", "50")
    store = opened(server.url, mend=mended.set, patience=20.0)
    write(store, game, commits := chain(game, 3))
    with server.client() as admin, admin.pipeline(transaction=False) as many:
        for number in range(12 * 1024):  # while it loads, it looks at its clients once in 1024 commands
            many.set(f"something to load {number}", "")
        many.execute()
    server.stop()
    server.start(wait=False)
    eventually(lambda: server.ping().startswith(b"-LOADING"))
    assert store.append(game, place(commits[-1]), plain(place(commits[-1]))) == Appended()
    assert not mended.is_set()


def test_a_conflict_is_still_a_conflict_after_a_restart(servers: Servers, opened: Opened, game: str) -> None:
    server = servers.start()
    store = opened(server.url)
    commits = chain(game, 3)
    write(store, game, commits)
    server.stop()
    server.start()
    assert store.append(game, place(commits[0]), plain(place(commits[0]))) == Conflict(tuple(commits[1:]))


def test_a_store_can_be_closed_twice_and_while_its_server_stands_still(servers: Servers, game: str) -> None:
    server = servers.start()
    store = RedisStore(server.url, answer=0.2)
    assert not store.wait(game, 0, 0.01)
    server.pause()
    store.close()
    store.close()
    server.resume()
