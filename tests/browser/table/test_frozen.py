"""A game whose history was lost, as those who look at it see it at once, on a phone and on a wide screen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from events.redis_store import RedisStore
from events.store import FrozenGame
from service.runtime.server_process import ServerProcess
from tests.browser.table.people import Game, Person


@pytest.mark.parametrize("width", [390, 1280])
def test_an_open_table_freezes_and_thaws(
    width: int, person: Callable[..., Person], server: ServerProcess, redis_url: str
) -> None:
    game = Game(server.url, {"turn_seconds": 600})
    game.until("draft")
    seat = game.view()["turn"]
    ann = person(viewport={"width": width, "height": 800})
    ann.sit(game.id, game.seat(seat).token or "")
    ann.on_turn()
    store = RedisStore(redis_url)
    store.freeze(game.id, FrozenGame(game.view()["version"] + 4, "ab" * 32))
    expect(ann.page.locator("#turn")).to_contain_text("This game is frozen")
    expect(ann.page.locator("#turn")).to_contain_text(f"version {game.view()['version'] + 4} is missing")
    expect(ann.page.locator(".clock")).not_to_be_visible()
    for name in ("Keep it", "Pass, take the next", "Resign…"):
        expect(ann.button(name)).not_to_be_visible()
    assert ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    store.thaw(game.id)
    ann.on_turn()
    store.close()
