"""People who sit before a browser each, and the service as a browser sees it."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from events import keys, record
from events.redis_store import RedisStore
from service.games.importing import import_record
from service.runtime.server_process import ServerProcess
from tests.browser.table.people import PATIENCE_MS, Person
from tests.browser.table.recorder import Recorder
from tests.kit.forged import renamed

RECORD = Path(__file__).parents[2] / "cases/record-3.ndjson"


@pytest.fixture
def new_page(chromium: Browser, server: ServerProcess) -> Iterator[Callable[..., Page]]:
    """Opens the page of a person of their own. Every error in one, and every breach of its policy, fails the test."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def hear(message: Any) -> None:
        if "Content Security Policy" in message.text:
            wrong.append(message.text)

    def open_page(**options: Any) -> Page:
        context = chromium.new_context(**{"base_url": server.url, **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"{error.message}\n{error.stack}"))
        page.on("console", hear)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def recorder(server: ServerProcess) -> Iterator[Recorder]:
    """The server seen through something that keeps everything it answers."""
    with Recorder(server.host, server.port) as found:
        yield found


@pytest.fixture
def person(new_page: Callable[..., Page]) -> Callable[..., Person]:
    """Somebody with a browser of their own; `options` are those of its context."""
    return lambda **options: Person(new_page(**options))


@pytest.fixture
def odd_record(redis_url: str) -> Iterator[str]:
    """The id of a record from elsewhere whose players are called what nobody here may be called."""
    game = "0ddname50ddname5"
    odd = renamed(RECORD.read_bytes(), game, ("<img src=x onerror=alert(1)>", "\u202eevil\u202c"))
    store = RedisStore(redis_url)
    import_record(store, record.read(io.BytesIO(odd)), replace=True, dry_run=False)
    yield game
    store.client.delete(keys.imported(game))
    store.close()
