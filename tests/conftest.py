"""What every test may ask for."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.runtime.server_process import ServerProcess
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


@pytest.fixture(scope="session")
def server(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """The real server, two workers, on the tests' store."""
    directory: Path = tmp_path_factory.mktemp("served")
    environment = {
        **os.environ,
        "TRICKBOOK_REDIS_URL": redis_url,
        "TRICKBOOK_DATA": str(directory / "data"),
        "TRICKBOOK_SECRET": bytes(range(32)).hex(),
        "TRICKBOOK_SIGNING_KEY": bytes(range(1, 33)).hex(),
        "TRICKBOOK_CREATE_LIMIT": "0",
        "TRICKBOOK_LOG": "debug",
        "TRICKBOOK_HEARTBEAT_SECONDS": "1",  # the streams of a page that was closed free their places soon
    }
    started = ServerProcess.start(
        "service.runtime.web_process:create_from_environment", log=directory / "log", env=environment, workers=2
    )
    with started:
        yield started
