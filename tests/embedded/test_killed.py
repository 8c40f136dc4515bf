"""Whatever is killed while the store is in use, the next use mends it and nothing that was acknowledged is lost."""

import fcntl
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from redis import Redis

from service.embedded import EmbeddedStore, locks, prepare, probe
from service.embedded.binary import find_server, options
from tests.embedded.processes import User, alive, keepers, kill, stores, working_in
from tests.kit.waiting import eventually


def test_a_killed_store_is_started_again_by_ensure(data: Path) -> None:
    with EmbeddedStore.open(data) as store:
        with Redis.from_url(store.url) as client:
            client.set("card", "QS")
        kill(stores(data))
        assert store.ensure() is True
        assert store.ensure() is False
        with Redis.from_url(store.url) as client:
            assert client.get("card") == b"QS"


BUSY_SCRIPT = "local start = os.clock() while os.clock() < start + 1 do end"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_keeper_takes_its_store_along_and_both_are_started_again(data: Path, how: signal.Signals) -> None:
    with EmbeddedStore.open(data) as store:
        before = working_in(data)
        kill(keepers(data), how)
        assert store.ensure() is True
        assert [len(keepers(data)), len(stores(data))] == [1, 1]
        assert not any(map(alive, before))


def test_there_are_never_two_stores_also_when_one_without_its_keeper_is_slow_to_end(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "_ANSWER_SECONDS", 0.05)
    with EmbeddedStore.open(data) as store, Redis.from_url(store.url) as client, User(data, open_now=False) as user:
        user.opened()
        old = stores(data)
        connection = client.connection_pool.get_connection()
        connection.send_command("EVAL", BUSY_SCRIPT, 0)
        eventually(lambda: probe.probe(store.directory) is probe.StoreState.SILENT)
        kill(keepers(data))
        user.tell("ensure")
        eventually(lambda: keepers(data))
        assert not user.says_something(seconds=0.3)
        assert stores(data) == old
        assert user.hear() == "True"
        assert len(stores(data)) == 1
        assert stores(data) != old
        connection.disconnect()


def test_a_store_whose_keeper_and_users_are_all_killed_ends(data: Path) -> None:
    with User(data) as user:
        for pid in [*keepers(data), user.process.pid]:
            os.kill(pid, signal.SIGKILL)
        eventually(lambda: not working_in(data))


def test_a_store_that_outlived_its_keeper_is_ended_and_another_started(data: Path) -> None:
    directory = prepare(data)
    lock = locks.open_lock(directory.store_lock)  # as where no signal tells of a parent's end
    assert locks.try_lock(lock, fcntl.LOCK_EX)
    with subprocess.Popen([find_server(), *options(directory)], cwd=directory.store, pass_fds=(lock,)) as outlived:
        os.close(lock)
        try:
            eventually(directory.socket.exists)
            with User(data) as user:
                assert user.ask("increment") == "1"
            assert outlived.wait(20) == 0
        finally:
            outlived.kill()


def test_everything_killed_at_once_leaves_nothing_and_the_data(data: Path) -> None:
    with User(data) as first, User(data) as second:
        first.ask("increment")
        for pid in [*working_in(data), first.process.pid, second.process.pid]:
            os.kill(pid, signal.SIGKILL)
    eventually(lambda: not working_in(data))
    with User(data) as after:
        assert after.ask("increment") == "2"


def test_a_killed_store_keeps_what_a_writer_was_told(data: Path) -> None:
    with EmbeddedStore.open(data) as store, User(data) as writer:
        writer.tell("write")
        for _ in range(200):
            told = int(writer.hear())
        kill(stores(data))
        while said := writer.hear():
            told = int(said)
        store.ensure()
        with Redis.from_url(store.url) as client:
            assert int(client.get("count") or 0) in (told, told + 1)  # the last one may be written and not told


def test_a_watcher_starts_a_killed_store_before_anybody_asks(data: Path) -> None:
    with User(data) as user:
        assert user.ask("watch") == "watching"
        for _ in range(3):
            before = stores(data)
            kill(before)
            eventually(lambda before=before: stores(data) not in ([], before))  # type: ignore[misc]
            eventually(lambda: user.ask("ensure") == "False")  # it answers: one that starts is another matter
        assert user.ask("increment") == "1"


def test_many_users_that_miss_the_store_start_one(data: Path) -> None:
    users = [User(data) for _ in range(5)]
    kill(keepers(data))
    for user in users:
        user.tell("ensure")
    assert sorted(user.hear() for user in users) == [*["False"] * 4, "True"]
    assert len(stores(data)) == 1
    for user in users:
        user.close()


def test_a_starter_killed_at_any_moment_does_no_harm(data: Path) -> None:
    for step in range(8):
        with User(data, open_now=False) as starter:
            if step % 2:
                eventually(lambda: keepers(data))
            else:
                eventually(lambda: (data / "run" / "start.lock").exists())
            starter.end("SIGKILL")
        with User(data) as next_one:
            assert next_one.ask("increment") == str(step + 1)


def test_a_store_killed_while_it_rewrites_its_file_can_be_started_at_once(data: Path) -> None:
    with EmbeddedStore.open(data) as store:
        with Redis.from_url(store.url) as client:
            for key in range(200):
                client.set(str(key), os.urandom(50_000))
            client.config_set("rdb-key-save-delay", 200_000)  # µs a key: it takes forty seconds
            client.bgrewriteaof()
            eventually(lambda: len(stores(data)) == 2)
        old = stores(data)
        began = time.monotonic()
        os.kill(min(old), signal.SIGKILL)
        eventually(store.ensure)
        assert time.monotonic() - began < 10
        eventually(lambda: len(stores(data)) == 1 and not any(map(alive, old)))
        with Redis.from_url(store.url) as client:
            assert client.dbsize() == 200
