"""A file torn inside a transaction of the limiter costs no acknowledged move, on the server the operator has.

`TRICKBOOK_TEST_REDIS` names a `redis-server` (else that on PATH): Redis 7.0.15 of Debian cuts the file inside MULTI. By hand,
`TRICKBOOK_TORN_CUTS=121 pytest tests/crash/test_torn_tails.py -s` tears it at every byte.
"""

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events import keys
from events.file_rewrite import needs_rewrite
from events.redis_store import RedisStore
from events.store import Appended, Unreachable, start
from tests.kit.servers import Server
from tests.store.commits import chain, place, plain

CUTS = int(os.environ.get("TRICKBOOK_TORN_CUTS", "4"))
REDIS = os.environ.get("TRICKBOOK_TEST_REDIS") or shutil.which("redis-server")
GAME = "0k7f3x9q2m5v8w1c"
FIRST = chain(GAME, 1)[0]


def redis_program() -> str:
    """The path of a Redis. Without one the test is left out, but never where everything must be checked (CI=true)."""
    if REDIS is None:
        reason = "there is no redis-server on PATH, and TRICKBOOK_TEST_REDIS names none"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return REDIS


@pytest.fixture(scope="module", params=["embedded", "redis"])
def server_program(request: pytest.FixtureRequest) -> Iterator[str]:
    """The server of each kind; the variable is read when one is started."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "redis":
            patch.setenv("TRICKBOOK_TEST_SERVER", redis_program())
        yield request.param


@pytest.fixture
def short() -> Iterator[Path]:
    """A directory with a short name: the path of a socket has little room."""
    with tempfile.TemporaryDirectory(prefix="tb-") as name:
        yield Path(name)


@pytest.fixture
def torn(short: Path, server_program: str) -> tuple[Path, Path, range]:
    """Data with one move and then a whole transaction, its file, and the lengths of the file that end inside it."""
    with Server(short / "b") as server, server.client() as admin:
        store = RedisStore(server.url)
        assert store.append(GAME, start(GAME), FIRST) == Appended()
        store.close()
        (file,) = (server.data / "appendonlydir").glob("*.incr.aof")
        before = file.stat().st_size
        with admin.pipeline(transaction=True) as block:
            block.incrby("LIMITER/trickbook/203.0.113.7", 1).expire("LIMITER/trickbook/203.0.113.7", 60)
            block.execute()
        after = file.stat().st_size
    return server.data, file, range(before + 1, after)


def lost(root: Path, torn: tuple[Path, Path, range], open_store: Callable[[str], RedisStore]) -> list[int]:
    """The lengths at which an acknowledged move was lost: torn there, started, moved, killed and started again."""
    data, file, lengths = torn
    gone = []
    for number, length in enumerate(sorted(random.Random(7).sample(lengths, min(CUTS, len(lengths))))):
        server = Server(root / str(number))
        shutil.copytree(data, server.data, dirs_exist_ok=True)
        os.truncate(server.data / "appendonlydir" / file.name, length)
        with server:
            store = open_store(server.url)
            move = plain(place(FIRST))
            assert store.append(GAME, place(FIRST), move) == Appended()
            store.close()
            server.kill()
            server.start()
            with server.client() as admin:
                if admin.xlen(keys.stream(GAME)) != 2:
                    gone.append(length)
    print(f"\n{min(CUTS, len(lengths))} cuts of {len(lengths)}, seed 7: {len(gone)} lost an acknowledged move")
    return gone


def test_no_cut_inside_a_transaction_costs_an_acknowledged_move(short: Path, torn: tuple[Path, Path, range]) -> None:
    assert lost(short, torn, RedisStore) == []


def test_a_store_without_the_rewrite_is_caught(short: Path, torn: tuple[Path, Path, range], server_program: str) -> None:
    """The planted fault: a move is taken before the file is rewritten."""
    gone = lost(short, torn, lambda url: RedisStore(url, sound=False))
    if server_program == "redis":
        assert gone, "this server does not cut inside MULTI: the checker was not tried"


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        ({}, True),
        ({"aof_enabled": "0"}, False),
        ({"role": "slave"}, False),
        ({"aof_rewrites": "1"}, False),
        ({"aof_rewrites": "1", "aof_rewrite_in_progress": "1"}, True),
        ({"aof_rewrites": "1", "aof_rewrite_scheduled": "1"}, True),
        ({"aof_rewrites": "1", "aof_last_bgrewrite_status": "err"}, True),
        ({"server_name": "valkey", "valkey_version": "9.1.0"}, False),
        ({"server_name": "valkey", "valkey_version": "8.1.3"}, True),
    ],
)
def test_when_a_rewrite_is_needed(changes: dict[str, str], needed: bool) -> None:
    about: dict[str, Any] = {"aof_enabled": "1", "role": "master", "aof_rewrites": "0", "aof_last_bgrewrite_status": "ok"}
    assert needs_rewrite(about | changes) == needed


def test_a_server_that_refuses_the_rewrite_takes_no_move(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRICKBOOK_TEST_SERVER", redis_program())
    with Server(short / "r", "--rename-command", "BGREWRITEAOF", "") as server:
        store = RedisStore(server.url, patience=0.5)
        with pytest.raises(Unreachable, match=r"BGREWRITEAOF is refused.*allow it, or use Valkey 9"):
            store.append(GAME, start(GAME), FIRST)
        store.close()


def test_a_restart_under_an_open_store_is_noticed(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRICKBOOK_TEST_SERVER", redis_program())
    with Server(short / "r") as server:
        store = RedisStore(server.url)
        assert store.append(GAME, start(GAME), FIRST) == Appended()
        server.kill()
        server.start()
        assert store.append(GAME, place(FIRST), plain(place(FIRST))) == Appended()
        with server.client() as admin:
            assert admin.info("persistence")["aof_rewrites"] == 1
        store.close()
