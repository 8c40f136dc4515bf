"""What every test may ask for."""

import os
from collections.abc import Iterator

import pytest

from tests.servers import Servers


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A server, `TRICKBOOK_REDIS_URL` or a private one, for games with fresh random ids. Nobody empties it."""
    named = os.environ.get("TRICKBOOK_REDIS_URL")
    if named:
        yield named
        return
    servers = Servers()
    try:
        yield servers.start().url
    finally:
        servers.end()


@pytest.fixture
def servers() -> Iterator[Servers]:
    """Starts further private servers, for one test."""
    started = Servers()
    try:
        yield started
    finally:
        started.end()
