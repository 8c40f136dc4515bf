"""A full disk and damaged files: a reason that helps, and nothing lost that was acknowledged."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError

from service.embedded import EmbeddedStore, StoreUnavailable
from tests.embedded.processes import stores, working_in
from tests.kit.waiting import eventually


@pytest.fixture
def small_disk(data: Path) -> Iterator[Path]:
    data.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(data)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no small disk to fill: {done.stderr.strip()}")
    try:
        yield data
    finally:
        eventually(lambda: not working_in(data))
        eventually(lambda: not subprocess.run(["umount", str(data)], capture_output=True, check=False).returncode)


def test_a_disk_that_fills_up_is_named_and_nothing_acknowledged_is_lost(small_disk: Path) -> None:
    with EmbeddedStore.open(small_disk / "data") as store:
        told = 0
        with Redis.from_url(store.url) as client, contextlib.suppress(RedisError):
            while True:
                client.rpush("cards", b"x" * 10_000)
                told += 1
        eventually(lambda: not stores(small_disk))
        with pytest.raises(StoreUnavailable, match=r"disk that holds .* is full"):
            store.ensure()
        subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
        eventually(lambda: mended(store))
        with Redis.from_url(store.url) as client:
            assert client.llen("cards") in (told, told + 1)
            client.rpush("cards", b"x")


def test_a_start_on_a_full_disk_is_refused(small_disk: Path) -> None:
    with contextlib.suppress(OSError), (small_disk / "fill").open("wb", buffering=0) as fill:
        while True:
            fill.write(bytes(4096))
    with pytest.raises(StoreUnavailable, match=r"full|No space left"):
        EmbeddedStore.open(small_disk / "data")


def test_a_torn_end_of_the_file_costs_only_what_was_not_acknowledged(data: Path) -> None:
    fill(data)
    with written(data).open("ab") as file:
        file.write(b"*3\r\n$3\r\nSET\r\n$4\r\nlate\r\n$5\r\nhal")
    with EmbeddedStore.open(data) as store, Redis.from_url(store.url) as client:
        assert client.dbsize() == 100
        client.set("after", "QS")


def test_a_damaged_file_is_reported_with_the_words_of_the_store(data: Path) -> None:
    fill(data)
    content = written(data).read_bytes()
    written(data).write_bytes(content[:500] + b"\xff" * 50 + content[550:])
    with pytest.raises(StoreUnavailable, match=r"(?s)did not start: it ended with status 1\..*store\.log.*Bad file format"):
        EmbeddedStore.open(data)
    assert written(data).read_bytes()[550:] == content[550:]


def fill(data: Path) -> None:
    with EmbeddedStore.open(data) as store:
        with Redis.from_url(store.url) as client:
            for key in range(100):
                client.set(str(key), "QS")
        store.close(wait_seconds=10)


def written(data: Path) -> Path:
    """The file that the store appends to."""
    return next((data / "store" / "appendonlydir").glob("*.incr.aof"))


def mended(store: EmbeddedStore) -> bool:
    try:
        return store.ensure()
    except StoreUnavailable:
        return False
