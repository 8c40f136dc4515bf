"""The stores under test, and a proxy before a private server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from events.memory import MemoryStore
from events.redis_store import RedisStore
from events.store import GameStore
from tests.kit.servers import Server, Servers
from tests.store.commits import fresh_game
from tests.store.proxy import Proxy

Opened = Callable[..., RedisStore]


@pytest.fixture
def game() -> str:
    """A game that no store has."""
    return fresh_game()


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Opens stores on a URL; they are closed with the test. Unless told otherwise they lose patience early."""
    stores: list[RedisStore] = []

    def open_store(url: str, **settings: Any) -> RedisStore:
        stores.append(RedisStore(url, **{"answer": 0.5, "patience": 5.0, **settings}))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


@pytest.fixture(params=["memory", "redis"])
def store(request: pytest.FixtureRequest) -> Iterator[GameStore]:
    """Each implementation in turn."""
    if request.param == "memory":
        yield MemoryStore()
        return
    store = RedisStore(request.getfixturevalue("redis_url"))
    yield store
    store.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A private server for the tests of one module, each with games of its own; its settings are left alone."""
    servers = Servers()
    try:
        yield servers.start()
    finally:
        servers.end()


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    """Between the test and the module's server."""
    with Proxy(server.directory, server.socket) as between:
        yield between
        (server.directory / "p").unlink()
