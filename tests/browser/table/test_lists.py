"""Open tables and games to watch, on the first page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from events.redis_store import RedisStore
from projections.across.models import GAMES
from service.readmodels.model_store import ReadModelStore
from service.readmodels.rebuild import rebuild
from tests.browser.table.people import Person


@pytest.fixture
def follow(redis_url: str) -> Callable[[], object]:
    """Builds the list of games as they are now."""

    def go() -> None:
        store = RedisStore(redis_url)
        rebuild(store, ReadModelStore(store), GAMES)
        store.close()

    return go


def test_a_table_shown_to_everybody_is_found_and_taken_and_then_watched(
    person: Callable[..., Person], follow: Callable[[], object]
) -> None:
    ann, bo, eve = person(), person(), person()
    ann.page.goto("/")
    ann.page.get_by_label("Show a friend’s table to everybody").check()
    ann.page.get_by_label("Your name").fill("Wanda")
    ann.button("Invite a friend").click()
    expect(ann.page.get_by_label("The link")).to_be_visible()
    follow()
    bo.page.goto("/")
    row = bo.page.locator("section", has_text="Open tables").get_by_role("listitem").filter(has_text="Wanda")
    expect(row.first).to_contain_text("usual rules")
    row.first.get_by_role("link", name="Sit down").click()
    bo.page.get_by_label("Your name").fill("Bo")
    bo.button("Sit down").click()
    expect(bo.page.locator("#scores")).to_contain_text("Wanda")
    follow()
    eve.page.goto("/")
    row = eve.page.locator("section", has_text="Games to watch").get_by_role("listitem").filter(has_text="Wanda")
    row.first.get_by_role("link", name="Watch").click()
    eve.page.wait_for_url(f"**/g/{ann.game}")
    ann.page.goto("/")
    expect(ann.page.locator("section", has_text="Your games").get_by_role("link", name="Go on")).to_be_visible()
