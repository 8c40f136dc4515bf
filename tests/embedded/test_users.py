"""The store starts with its first user, is shared by all, and ends with the last one, however that one ends."""

import signal
from pathlib import Path

import pytest
from redis import Redis

from service.embedded import EmbeddedStore, StoreUnavailable
from tests.embedded.processes import User, alive, keepers, kill, stores, working_in
from tests.kit.waiting import eventually

WAYS_TO_END = ["", "exit", "raise", "SIGTERM", "SIGINT", "SIGKILL"]


def test_the_first_user_starts_a_durable_store_on_a_private_socket(data: Path) -> None:
    with EmbeddedStore.open(data) as store, connected(store) as client:
        wanted = {"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": "", "port": "0"}
        assert {name: client.config_get(name)[name] for name in wanted} == wanted
        assert [path.stat().st_mode & 0o777 for path in (data, store.directory.socket)] == [0o700, 0o700]


def test_a_second_process_finds_the_same_store(data: Path) -> None:
    with User(data) as first, User(data) as second:
        assert [first.ask("increment"), second.ask("increment"), first.ask("increment")] == ["1", "2", "3"]
        assert len(stores(data)) == 1


def test_a_starter_that_blocks_signals_does_not_keep_them_from_the_store(data: Path) -> None:
    blocked = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        with EmbeddedStore.open(data):
            pass
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    eventually(lambda: not working_in(data))


def test_the_data_is_there_at_the_next_start(data: Path) -> None:
    with EmbeddedStore.open(data) as store, connected(store) as client:
        client.set("card", "QS")
    eventually(lambda: not working_in(data))
    with EmbeddedStore.open(data) as store, connected(store) as client:
        assert client.get("card") == "QS"


@pytest.mark.parametrize("how", WAYS_TO_END)
def test_the_store_ends_with_its_last_user(data: Path, how: str) -> None:
    with User(data) as user:
        assert stores(data)
        user.end(how)
        eventually(lambda: not working_in(data))


@pytest.mark.parametrize("how", WAYS_TO_END)
def test_the_end_of_the_user_that_started_it_takes_it_from_nobody(data: Path, how: str) -> None:
    with User(data) as starter, User(data) as other:
        before = working_in(data)
        starter.end(how)
        assert other.ask("increment") == "1"
        assert working_in(data) == before


def test_short_users_before_beside_and_after_a_long_one(data: Path) -> None:
    with User(data) as before:
        before.ask("increment")
    with User(data) as long:  # comes while the store ends, or after
        with User(data) as beside:
            assert beside.ask("increment") == "2"
        assert long.ask("increment") == "3"
        running = working_in(data)
        with User(data), User(data):
            assert working_in(data) == running
        assert long.ask("increment") == "4"
    with User(data) as after:
        assert after.ask("increment") == "5"


def test_a_forked_child_is_a_user(data: Path) -> None:
    with User(data) as user:
        child = int(user.ask("fork"))
        user.process.wait(20)  # the parent has gone
        assert user.ask("increment") == "1"
        assert user.ask("ensure") == "False"
        kill([child])
        eventually(lambda: not working_in(data))


def test_an_executed_program_is_no_user(data: Path) -> None:
    with User(data) as user:
        child = int(user.ask("execute"))
        user.end("SIGKILL")
        eventually(lambda: not working_in(data))
        assert alive(child)
        kill([child])


def test_a_process_may_be_several_users(data: Path) -> None:
    with EmbeddedStore.open(data) as first:
        with EmbeddedStore.open(data):
            pass
        assert first.ensure() is False
        assert len(keepers(data)) == 1


def test_closing_can_wait_for_the_end(data: Path) -> None:
    store = EmbeddedStore.open(data)
    store.close(wait_seconds=10)
    assert not stores(data)


def test_a_closed_store_says_so(data: Path) -> None:
    store = EmbeddedStore.open(data)
    store.close()
    with pytest.raises(StoreUnavailable, match="has been closed"):
        store.ensure()


def connected(store: EmbeddedStore) -> Redis:
    return Redis.from_url(store.url, decode_responses=True)
