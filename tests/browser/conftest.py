"""A browser for the tests that look at the pages: Debian's Chromium, one for the whole run, and people who sit before it."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from service.server_process import ServerProcess
from tests.browser.people import PATIENCE_MS, Person
from tests.browser.recorder import Recorder

ELSEWHERE = "trickbook.test"
"""A host that is this machine and not called so: a browser gives its pages no Web Crypto over plain http."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser. Without one the tests are left out, but never where everything must be checked (CI=true)."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        reason = "there is no Chromium here: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        args = ["--no-sandbox", f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=path, args=args)
        yield browser
        browser.close()


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
def page(new_page: Callable[..., Page]) -> Page:
    """One person's page."""
    return new_page()


@pytest.fixture
def recorder(server: ServerProcess) -> Iterator[Recorder]:
    """The server seen through something that keeps everything it answers."""
    with Recorder(server.host, server.port) as found:
        yield found


@pytest.fixture
def person(new_page: Callable[..., Page]) -> Callable[..., Person]:
    """Somebody with a browser of their own; `options` are those of its context."""
    return lambda **options: Person(new_page(**options))
