"""A browser for the tests that look at the pages: Debian's Chromium, one for the whole run."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from service.runtime.server_process import ServerProcess

PATIENCE_MS = 10_000
"""How long a page may take to come to what a test waits for."""


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
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser, server: ServerProcess) -> Iterator[BrowserContext]:
    """One person's browser: what it keeps is nobody else's."""
    found = chromium.new_context(base_url=server.url)
    found.set_default_timeout(PATIENCE_MS)
    yield found
    found.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page of which every error and every refusal of the content security policy fails the test."""
    opened = context.new_page()
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda message: wrong.append(message.text) if "Content Security Policy" in message.text else None)
    yield opened
    assert wrong == []
