"""Processes on one private server, each behind a proxy that sees every command."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from events.redis_store import RedisStore
from service.base.entropy import Csprng
from service.base.settings import Settings
from service.games.handler import Games
from service.http.app import create_app
from tests.api.conftest import IDENTITY, OPERATOR, Clock
from tests.api.players import Table
from tests.kit.servers import Server, Servers
from tests.store.proxy import Proxy


class Process:
    """A web process: its games, its app, and the proxy before its store."""

    def __init__(self, proxy: Proxy, store: RedisStore, clock: Clock) -> None:
        self.proxy = proxy
        self.games = Games(store, IDENTITY, clock, Csprng())
        self.app = create_app(self.games, Settings(create_limit=0, operator_token=OPERATOR))
        self.client = self.app.test_client()
        self.games.hidden.names()
        self.games.hidden._due = float("inf")  # the operator's journal is read every five seconds, and not for a move

    def at(self, table: Table) -> Table:
        """The same table, played through this process."""
        here = object.__new__(Table)
        here.__dict__.update(table.__dict__, client=self.client)
        return here


@pytest.fixture(scope="module")
def private() -> Iterator[Server]:
    servers = Servers()
    try:
        yield servers.start()
    finally:
        servers.end()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def start(private: Server, clock: Clock) -> Iterator[Callable[[], Process]]:
    """Starts a process on the server."""
    with ExitStack() as stack:

        def make() -> Process:
            proxy = stack.enter_context(Proxy(private.directory, private.socket, tcp=True))
            store = RedisStore(proxy.url)
            stack.callback(store.close)
            return Process(proxy, store, clock)

        yield make


@pytest.fixture
def process(start: Callable[[], Process]) -> Process:
    return start()


@pytest.fixture
def other(start: Callable[[], Process]) -> Process:
    """A second process on the same server."""
    return start()
