"""Fixtures that every test may use, and the markers that say what a test needs."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.runtime.server_process import ServerProcess
from tests.kit.servers import Servers

HERE = Path(__file__).parent
PROCESSES = {"api", "bulk", "cli", "crash", "docs", "embedded", "following", "games", "store", "verify", "work"}
"""Folders whose tests start a store, a server, a command or Node."""
STORES = {"redis_url", "server", "servers"}


def pytest_configure() -> None:
    """Gives the processes that tests start their usual signals, also where this one runs under `nohup` or in the background.

    A signal that is ignored here would be ignored there too: a test that presses Ctrl-C would wait until its limit.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks each test `browser`, `service` or, where it needs neither and is not slow, `unit`."""
    for item in items:
        folder = item.path.relative_to(HERE).parts[0]
        if folder == "browser":
            item.add_marker("browser")
        elif folder in PROCESSES or STORES & set(getattr(item, "fixturenames", ())):
            item.add_marker("service")
        elif item.get_closest_marker("slow") is None:
            item.add_marker("unit")


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
