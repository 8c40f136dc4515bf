"""The app on a real store with a clock of the test's own, and the real server for what only a wire can show."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from events.receipts import Signer
from events.redis_store import RedisStore
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.base.settings import Settings
from service.games.handler import Games
from service.http.app import create_app
from tests.api.players import Table

OPERATOR = "operator-token-of-at-least-32-characters"
IDENTITY = Identity(bytes(range(32)), Signer(bytes(range(1, 33))))


class Clock:
    """A clock that stands still until the test moves it. Milliseconds."""

    def __init__(self) -> None:
        self.time = 1_790_000_000_000

    def now(self) -> int:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(redis_url: str) -> Iterator[RedisStore]:
    opened = RedisStore(redis_url)
    yield opened
    opened.close()


@pytest.fixture
def make_app(store: RedisStore, clock: Clock) -> Callable[..., Flask]:
    """Makes an app: another process, as far as games are concerned."""

    def make(on: Any = store, **settings: Any) -> Flask:
        chosen = {"create_limit": 0, "operator_token": OPERATOR, **settings}
        return create_app(Games(on, IDENTITY, clock, Csprng()), Settings(**chosen))

    return make


@pytest.fixture
def client(make_app: Callable[..., Flask]) -> FlaskClient:
    return make_app().test_client()


@pytest.fixture
def table(client: FlaskClient) -> Table:
    """A game that has begun, north to look."""
    return Table(client)
