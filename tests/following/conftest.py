"""A store of its own for each test: followers look at every game there is."""

from collections.abc import Iterator

import pytest

from events.redis_store import RedisStore
from service.readmodels.model_store import ReadModelStore
from tests.kit.servers import Server, Servers


@pytest.fixture(scope="module")
def module_server() -> Iterator[Server]:
    started = Servers()
    try:
        yield started.start()
    finally:
        started.end()


@pytest.fixture
def store(module_server: Server) -> Iterator[RedisStore]:
    opened = RedisStore(module_server.url)
    opened.client.flushall()
    yield opened
    opened.close()


@pytest.fixture
def books(store: RedisStore) -> ReadModelStore:
    return ReadModelStore(store)
