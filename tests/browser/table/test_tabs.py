"""Many tabs of one browser: three connections at most wait, every tab hears, and a move never waits behind a stream."""

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect

from service.runtime.server_process import ServerProcess
from tests.browser.table.people import PATIENCE_MS, Game, Person
from tests.kit.waiting import eventually

TABS = 12
WAITING = 3
"""The connections of one browser that may wait."""
WITHOUT_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined })"


HANG = """const request = new XMLHttpRequest(); request.open("GET", "/hang", false); try { request.send(); } catch {}"""
"""Stops all scripts of a tab until the test answers, as a frozen tab does without any notice."""


class Tabs:
    """The tabs of one browser, and the streams that are open in it."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.pages: list[Page] = []
        self.streams: set[Request] = set()
        self.most = 0
        context.on("request", self._begun)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)

    def _begun(self, request: Request) -> None:
        if request.headers.get("accept") == "text/event-stream":
            self.streams.add(request)
            self.most = max(self.most, len(self.streams))

    def _ended(self, request: Request) -> None:
        self.streams.discard(request)

    def open(self, game: Game, seat: str) -> Person:
        """Opens a tab of a seat."""
        person = Person(self.context.new_page())
        person.sit(game.id, game.seat(seat).token or "")
        self.pages.append(person.page)
        return person

    @property
    def leaders(self) -> list[Page]:
        """The tabs that read a stream."""
        return [request.frame.page for request in self.streams]

    def leave_out(self, page: Page) -> None:
        """Counts a tab no longer: the browser does not report that a closed or frozen tab has ended its stream."""
        self.pages.remove(page)
        self.streams = {request for request in self.streams if request.frame.page is not page}

    def until_streams(self, count: int, without: Page | None = None) -> None:
        """Waits until as many streams are open, none of them by the tab `without`."""

        def settled() -> bool:
            self.pages[0].evaluate("1")  # the browser's events arrive meanwhile
            return len(self.streams) == count and without not in self.leaders

        eventually(settled)


@pytest.fixture(params=[True, False], ids=["locks", "no locks"])
def tabs(request: Any, chromium: Browser, server: ServerProcess) -> Iterator[Tabs]:
    """One browser, with and without Web Locks; an error in any tab fails the test."""
    context = chromium.new_context(base_url=server.url)
    context.set_default_timeout(PATIENCE_MS)
    wrong: list[str] = []
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    if not request.param:
        context.add_init_script(WITHOUT_LOCKS)
    yield Tabs(context)
    context.close()
    assert wrong == []


@pytest.mark.slow
def test_twelve_tabs_of_twelve_games_share_three_streams_and_each_makes_its_move(tabs: Tabs, server: ServerProcess) -> None:
    games = [Game(server.url, first="north") for _ in range(TABS)]
    people = [tabs.open(game, "north") for game in games]
    tabs.until_streams(WAITING)
    for ann in people:
        ann.button("Look at the first card").click()
        expect(ann.button("Keep it")).to_be_visible()
    for ann, game in zip(people, games, strict=True):
        game.north.move(game.id, {"type": "keep"})  # made elsewhere: the tab hears it, by a stream or by itself
        expect(ann.button("Keep it")).to_be_hidden()
    assert tabs.most <= WAITING


@pytest.mark.slow
def test_both_seats_in_twelve_tabs_of_one_game_share_one_stream_also_after_its_tab_is_gone(
    tabs: Tabs, server: ServerProcess
) -> None:
    game = Game(server.url, first="north")
    seats = {tabs.open(game, seat).page: seat for seat in ["north", "south"] * (TABS // 2)}
    tabs.until_streams(1)
    heard(seats, game)

    closed = tabs.leaders[0]
    tabs.leave_out(closed)
    del seats[closed]
    closed.close()
    tabs.until_streams(1)
    pass_turn(game)
    heard(seats, game)

    frozen = tabs.leaders[0]
    frozen.evaluate("document.dispatchEvent(new Event('freeze'))")
    tabs.until_streams(1, without=frozen)
    pass_turn(game)
    frozen.evaluate("document.dispatchEvent(new Event('resume'))")
    heard(seats, game)

    hung = tabs.leaders[0]
    held: list[Route] = []
    hung.route("**/hang", lambda route: held.append(route))
    hung.evaluate(f"setTimeout(() => {{ {HANG} }})")
    others = {page: seat for page, seat in seats.items() if page is not hung}
    pass_turn(game)
    heard(others, game)
    assert held, "the tab that reads the stream runs no script"
    held[0].abort()
    heard(seats, game)
    assert tabs.most <= 2, "one stream, and another while its tab goes away"


def pass_turn(game: Game) -> None:
    """Moves of the seat on turn until it is the other one's."""
    chance, turn = random.Random(1), game.view()["turn"]
    while game.view()["turn"] == turn:
        game.one(chance)


def heard(seats: dict[Page, str], game: Game) -> None:
    """Waits until each tab shows whose turn it is, from its own seat."""
    turn = game.view()["turn"]
    for page, seat in seats.items():
        expect(page).to_have_title(re.compile("^Your turn" if seat == turn else "^(?!Your turn)"))


def test_a_move_that_is_not_confirmed_is_said_after_three_seconds_and_made_once(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    game = Game(server.url, first="north")
    ann = person()
    ann.sit(game.id, game.north.token or "")
    sent: list[Route] = []

    def hold_first(route: Route) -> None:
        sent.append(route)
        if len(sent) > 1:
            route.continue_()

    ann.page.route("**/moves", hold_first)
    ann.button("Look at the first card").click()
    expect(ann.page.locator("#unsent")).to_contain_text("Your move may not have been sent")
    assert len(sent) == 1
    ann.button("Send again now").click()
    expect(ann.button("Keep it")).to_be_visible()
    expect(ann.page.locator("#unsent")).to_be_hidden()
    assert len({route.request.headers["idempotency-key"] for route in sent}) == 1, "the service makes it once"
