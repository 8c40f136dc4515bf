"""Waiting for news when the reader's connection breaks, the server restarts or the store is closed."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
import structlog
from redis.exceptions import RedisClusterException

from events import keys, notifier
from events.redis_client import BLOCK_SECONDS, connect_blocking
from events.redis_store import RedisStore
from events.store import start
from tests.kit.servers import Server, Servers
from tests.kit.waiting import eventually
from tests.store.commits import chain, fresh_game, place, plain, write
from tests.store.conftest import Opened
from tests.store.proxy import Proxy

LONG = 20.0


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Threads that wait."""
    with ThreadPoolExecutor(200) as threads:
        yield threads


def blocked(server: Server) -> int:
    """How many clients the server keeps in a blocking read."""
    with server.client() as admin:
        return int(admin.info("clients")["blocked_clients"])


def a_wait(server: Server, pool: ThreadPoolExecutor, store: RedisStore, game: str, version: int = 0) -> "Future[bool]":
    """A wait that has begun, with its read at the server."""
    waiting = pool.submit(store.wait, game, version, LONG)
    eventually(lambda: blocked(server) == 1)
    return waiting


def readers() -> int:
    """How many reading threads there are, but for the one that waits in silence all the time."""
    return sum(thread.name == "trickbook-waiter" for thread in threading.enumerate()) - 1


@pytest.fixture
def server(servers: Servers) -> Server:
    """A server of its own for each test: what it says of blocked clients is about this test."""
    return servers.start()


class Silence:
    """A wait with everything as it is in service, begun before the first test here and looked at after the last."""

    def __init__(self, server: Server, proxy: Proxy, pool: ThreadPoolExecutor) -> None:
        self.proxy, self.game = proxy, fresh_game()
        self.store = RedisStore(proxy.url)
        self.waiting = pool.submit(self.store.wait, self.game, 0, 120.0)
        eventually(lambda: blocked(server) == 1)
        self.began = time.monotonic()


@pytest.fixture(scope="module", autouse=True)
def silence() -> Iterator[Silence]:
    """Costs no time of its own while the other tests run."""
    servers = Servers()
    try:
        server = servers.start()
        with Proxy(server.directory, server.socket) as proxy, ThreadPoolExecutor(1) as pool:
            silent = Silence(server, proxy, pool)
            yield silent
            silent.store.close()
    finally:
        servers.end()


def test_waiters_of_any_number_share_one_connection(server: Server, opened: Opened, pool: ThreadPoolExecutor) -> None:
    store, writer = opened(server.url), opened(server.url)
    games = [fresh_game() for _ in range(20)]
    waits = [pool.submit(store.wait, game, 0, LONG) for game in games for _ in range(5)]
    eventually(lambda: blocked(server) == 1)
    for game in games:
        write(writer, game, chain(game, 1))
    assert all(one.result(LONG) for one in waits)
    assert blocked(server) <= 1


def test_news_comes_after_a_time_when_nobody_waited(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    store, writer = opened(server.url, block=0.1), opened(server.url)
    commits = chain(game, 2)
    write(writer, game, commits[:1])
    assert store.wait(game, 0, LONG)
    eventually(lambda: blocked(server) == 0)
    waiting = a_wait(server, pool, store, game, 1)
    write(writer, game, commits[1:], place(commits[0]))
    assert waiting.result(5)


def test_who_comes_back_for_the_next_news_costs_one_read_a_commit_and_wakes_nobody(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    with Proxy(server.directory, server.socket) as proxy:
        store, writer = opened(proxy.url), opened(server.url)
        commits = chain(game, 20)
        at = start(game)
        waits = [a_wait(server, pool, store, game)]
        waits += [pool.submit(store.wait, game, 0, LONG) for _ in range(3)]
        for commit in commits:
            write(writer, game, [commit], at)
            assert all(one.result(LONG) for one in waits)
            at = place(commit)
            waits = [pool.submit(store.wait, game, at.version, LONG) for _ in range(4)]
        assert proxy.count("XREAD") <= len(commits) + 3
        assert proxy.count("CLIENT") <= 5, proxy.received
        store.close()


def test_nothing_is_sent_while_nobody_waits(server: Server, opened: Opened, game: str) -> None:
    with Proxy(server.directory, server.socket) as proxy:
        store = opened(proxy.url, block=0.05)
        assert not store.wait(game, 0, 0.2)
        eventually(lambda: blocked(server) == 0)
        proxy.received.clear()
        assert not threading.Event().wait(0.3)
        assert len(proxy.received) <= 1  # the read that was under way may have been the last but one


def test_silence_longer_than_an_answer_may_take_breaks_no_wait(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    with Proxy(server.directory, server.socket) as proxy:
        store, writer = opened(proxy.url, answer=0.2), opened(server.url)
        waiting = a_wait(server, pool, store, game)
        assert not threading.Event().wait(1.0)  # five times what an answer may take: the silence is what is tested
        assert proxy.count("XREAD") == 1
        write(writer, game, chain(game, 1))
        assert waiting.result(5)


def test_silence_longer_than_a_read_blocks_breaks_no_wait_and_no_connection(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    with Proxy(server.directory, server.socket) as proxy:
        store, writer = opened(proxy.url, block=0.1), opened(server.url)
        waiting = pool.submit(store.wait, game, 0, LONG)
        eventually(lambda: proxy.count("XREAD") >= 5)
        assert proxy.count("HELLO") <= 2  # the reader's, and the one that wakes it
        write(writer, game, chain(game, 1))
        assert waiting.result(5)


def test_a_cut_connection_of_the_reader_is_made_anew(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    with Proxy(server.directory, server.socket) as proxy:
        store, writer = opened(proxy.url), opened(server.url)
        waiting = a_wait(server, pool, store, game)
        proxy.cut()
        write(writer, game, chain(game, 1))
        assert waiting.result(5)


def test_news_that_came_while_the_connection_was_away_is_told(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    with Proxy(server.directory, server.socket) as proxy:
        store, writer = opened(proxy.url), opened(server.url)
        waiting = a_wait(server, pool, store, game)
        proxy.refuse()
        write(writer, game, chain(game, 1))
        assert not waiting.done()
        proxy.accept()
        assert waiting.result(5)


def test_a_lost_reply_of_the_reader_is_made_good_when_its_time_is_over(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    with Proxy(server.directory, server.socket) as proxy:
        store, writer = opened(proxy.url), opened(server.url)
        proxy.swallow_reply("XREAD")
        waiting = a_wait(server, pool, store, game)
        write(writer, game, chain(game, 1))
        eventually(lambda: blocked(server) == 0)
        assert not waiting.done()
        proxy.cut()
        assert waiting.result(5)


@pytest.mark.parametrize("end", [Server.stop, Server.kill])
def test_a_wait_goes_on_over_a_restart(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str, end: Callable[[Server], None]
) -> None:
    store, writer = opened(server.url), opened(server.url)
    write(writer, game, commits := chain(game, 1))
    waiting = a_wait(server, pool, store, game, 1)
    end(server)
    server.start()
    write(writer, game, [plain(place(commits[0]))], place(commits[0]))
    assert waiting.result(5)


def test_a_wait_ends_in_time_while_the_server_is_gone_or_stands_still(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    store = opened(server.url, answer=0.3)
    assert not store.wait(game, 0, 0.05)
    for stop, go_on in ((server.pause, server.resume), (server.stop, server.start)):
        stop()
        began = time.monotonic()
        waits = [pool.submit(store.wait, fresh_game(), 0, 0.3) for _ in range(64)]
        assert not any(one.result(LONG) for one in waits)
        assert time.monotonic() - began < 3
        go_on()


def test_close_wakes_everybody_without_news_and_ends_the_thread(
    server: Server, opened: Opened, pool: ThreadPoolExecutor
) -> None:
    store = opened(server.url)
    waits = [pool.submit(store.wait, fresh_game(), 0, LONG) for _ in range(50)]
    eventually(lambda: blocked(server) == 1)
    assert readers() == 1
    store.close()
    assert not any(one.result(5) for one in waits)
    assert readers() == 0
    eventually(lambda: blocked(server) == 0)
    assert not store.wait(fresh_game(), 0, LONG)


def test_close_ends_the_thread_wherever_it_is(server: Server, game: str) -> None:
    for _ in range(30):
        store = RedisStore(server.url)
        thread = threading.Thread(target=store.wait, args=(game, 0, LONG))
        thread.start()
        store.close()
        thread.join(5)
        assert not thread.is_alive()
        assert readers() == 0


def test_what_is_no_game_is_a_fault_of_the_caller_and_harms_nobody(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    store = opened(server.url)
    waiting = a_wait(server, pool, store, game)
    with pytest.raises(ValueError, match="substring not found"):
        store.wait("!", 0, LONG)
    write(store, game, chain(game, 1))
    assert waiting.result(5)


def test_a_key_that_is_no_stream_makes_nobody_else_deaf(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    store, writer = opened(server.url), opened(server.url)
    bad = fresh_game()
    with server.client() as admin:
        admin.set(keys.stream(bad), "somebody else's")
    deaf = pool.submit(store.wait, bad, 0, LONG)
    waiting = a_wait(server, pool, store, game)
    write(writer, game, chain(game, 1))
    assert waiting.result(5)
    assert not deaf.done()
    store.close()
    assert not deaf.result(5)


def test_a_server_that_lets_nobody_be_woken_is_asked_often_instead(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str
) -> None:
    with server.client() as admin:
        admin.execute_command("ACL", "SETUSER", "player", "on", ">pw", "~*", "+@all", "-client|unblock")
    store, writer = opened(server.url.replace("unix://", "unix://player:pw@")), opened(server.url)
    first = a_wait(server, pool, store, fresh_game())
    second = pool.submit(store.wait, game, 0, LONG)
    write(writer, game, chain(game, 1))
    assert not first.done()
    # The read under way ends when its block does; those after it are short.
    with server.client() as admin:
        eventually(lambda: unblock(admin) or second.done())
    assert second.result(5)
    third = pool.submit(store.wait, other := fresh_game(), 0, LONG)
    write(writer, other, chain(other, 1))
    assert third.result(5)
    store.close()
    assert not first.result(5)


def unblock(admin: Any) -> bool:
    """Ends blocked reads as their time-out would."""
    for client in admin.client_list():
        if "b" in client["flags"]:
            admin.client_unblock(int(client["id"]))
    return False


def test_a_version_above_the_log_is_waited_for_without_spinning(server: Server, opened: Opened, game: str) -> None:
    with Proxy(server.directory, server.socket) as proxy:
        store = opened(proxy.url)
        write(store, game, chain(game, 2))
        assert not store.wait(game, 9, 0.3)
        assert proxy.count("XREAD") <= 2


@pytest.mark.parametrize("others", [0, 1], ids=["and nobody waited meanwhile", "while somebody else waits"])
def test_news_of_a_log_that_is_gone_is_not_told_again(
    server: Server, opened: Opened, pool: ThreadPoolExecutor, game: str, others: int
) -> None:
    with Proxy(server.directory, server.socket) as proxy, server.client() as admin:
        store = opened(proxy.url)
        for _ in range(others):
            a_wait(server, pool, store, game, 9)
        write(store, game, chain(game, 2))
        assert store.wait(game, 0, LONG)
        admin.delete(keys.stream(game))
        before = proxy.count("HELLO")
        proxy.cut()  # as when it restarts on an older copy
        if others:
            eventually(lambda: proxy.count("HELLO") > before)
        eventually(lambda: blocked(server) == others)
        assert not store.wait(game, 0, 0.3)
        store.close()


def test_a_wait_outlives_ten_silent_seconds(silence: "Silence") -> None:
    eventually(lambda: time.monotonic() - silence.began > 10.5, 15)
    assert not silence.waiting.done()
    assert silence.proxy.count("XREAD") <= 1 + (time.monotonic() - silence.began) // BLOCK_SECONDS
    write(silence.store, silence.game, chain(silence.game, 1))
    assert silence.waiting.result(2)


@pytest.mark.parametrize("fault", [RuntimeError, KeyError, RedisClusterException])
def test_the_reader_survives_any_exception_and_logs_it(
    server: Server,
    opened: Opened,
    pool: ThreadPoolExecutor,
    game: str,
    monkeypatch: pytest.MonkeyPatch,
    fault: type[Exception],
) -> None:
    store, writer = opened(server.url), opened(server.url)
    failures = []

    def failing(*arguments: Any) -> Any:
        if len(failures) < 3:
            failures.append(fault("planted"))
            raise failures[-1]
        return connect_blocking(*arguments)

    monkeypatch.setattr(notifier, "connect_blocking", failing)
    with structlog.testing.capture_logs() as logged:
        waiting = pool.submit(store.wait, game, 0, LONG)
        eventually(lambda: len(failures) == 3)
        write(writer, game, chain(game, 1))
        assert waiting.result(LONG)
    assert [line["event"] for line in logged] == ["notifier_failed"] * 3
