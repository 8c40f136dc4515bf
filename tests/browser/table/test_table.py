"""The table in the browser: what happens once happens once, a lost connection comes back, illegal cards say why, and the
keyboard is enough."""

import random
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from events.cards import RANKS
from service.client.http import Client
from service.runtime.server_process import ServerProcess
from tests.browser.table.people import Game, Person
from tests.browser.table.recorder import Recorder
from tests.kit.waiting import eventually

LABEL = """() => {
  const at = document.activeElement;
  return at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent;
}"""
NORTH_LEADS = {"first": "south"}


@pytest.fixture
def leading(server: ServerProcess) -> Game:
    """A game in which north is about to lead."""
    game = Game(server.url, **NORTH_LEADS)
    game.until("play")
    return game


def about_to_take_a_trick(server: ServerProcess) -> tuple[Game, str]:
    """A game in which north, to follow, holds the card given, which takes the trick: then it is north's turn again at once."""
    while True:
        game = Game(server.url, **NORTH_LEADS)
        game.until("play")
        chance = random.Random(1)
        while (view := game.view("north"))["hand"] == 1 and view["you"]["hand"][2:]:
            laid = view["trick"]["cards"]
            if laid and view["turn"] == "north":
                led = laid[0]["card"]
                for card in view["you"]["legal"][0]["card"]:
                    if card[1] == led[1] and RANKS.index(card[0]) > RANKS.index(led[0]):
                        return game, card
            game.one(chance)


def test_one_click_starts_a_game_against_the_house(person: Callable[..., Person]) -> None:
    ann = person()
    ann.start("Play the house", "Ann", target=300)
    expect(ann.page.get_by_text("House", exact=True).first).to_be_visible()
    ann.button("Look at the first card").click()
    expect(ann.page.get_by_text("You drew")).to_be_visible()
    ann.button("Keep it").click()
    expect(ann.hand).to_have_count(1)
    ann.on_turn()
    expect(ann.page.locator("#said")).to_contain_text("Your turn")
    expect(ann.page.get_by_text("Rules in force")).to_contain_text("1 house rule")


def test_a_double_click_plays_one_card_also_when_the_answer_comes_between(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    game, card = about_to_take_a_trick(server)
    before = len(game.played_by("north"))
    ann = person()
    ann.sit(game.id, game.north.token or "")
    ann.on_turn()
    ann.page.evaluate("() => { performance.now = () => 10_000 }")
    ann.page.locator(f"[data-card='{card}']").click()
    expect(ann.page.locator("#status")).to_contain_text("Lead a card")
    for later in (200, 600):  # where the pointer is there lies another card now
        ann.page.evaluate("later => { performance.now = () => 10_000 + later }", later)
        ann.page.locator(".in-hand.can").first.hover(force=True)
        ann.page.mouse.down(click_count=2)
        ann.page.mouse.up(click_count=2)
    ann.page.locator("#last").get_by_text("took it").wait_for()
    assert game.played_by("north")[before:] == [card]
    ann.page.evaluate("() => { performance.now = () => 12_000 }")
    ann.page.locator(".in-hand.can").first.click(force=True)  # a press of its own, later
    eventually(lambda: len(game.played_by("north")) == before + 2)


def test_a_move_made_while_the_network_is_cut_is_made_once_when_it_is_back(
    person: Callable[..., Person], leading: Game
) -> None:
    ann = person()
    ann.sit(leading.id, leading.north.token or "")
    ann.on_turn()
    ann.page.context.set_offline(True)
    expect(ann.page.locator("#connection")).to_contain_text("Connection lost")
    ann.playable.first.click()
    expect(ann.page.locator("#status")).to_contain_text("Sending your move")
    assert leading.played_by("north") == []
    ann.page.context.set_offline(False)
    expect(ann.hand).to_have_count(12)
    expect(ann.page.locator("#connection")).to_be_hidden()
    assert len(leading.played_by("north")) == 1


def test_a_lost_answer_is_asked_for_again_under_the_same_key_also_by_a_page_opened_anew(
    person: Callable[..., Person], leading: Game
) -> None:
    ann = person()
    ann.sit(leading.id, leading.north.token or "")
    ann.on_turn()
    keys: list[str] = []

    def lose(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    ann.page.context.route("**/moves", lose)
    ann.playable.first.click()
    eventually(lambda: len(leading.played_by("north")) == 1)
    ann.page.reload()
    expect(ann.hand).to_have_count(12)
    eventually(lambda: ann.page.evaluate("() => 1") and len(keys) >= 2)
    assert len(set(keys)) == 1
    assert len(leading.played_by("north")) == 1


def test_an_illegal_card_is_there_and_says_why_not(person: Callable[..., Person], leading: Game) -> None:
    spade = next(card for card in [*leading.view("north")["you"]["hand"], ""] if card[1:] == "S")
    ann = person()
    ann.sit(leading.id, leading.north.token or "")
    ann.on_turn()
    card = ann.page.locator(f"[data-card='{spade}']")
    expect(card).to_have_attribute("aria-disabled", "true")
    expect(card).to_have_attribute("aria-label", re.compile("of spades, not now: Spades are not broken yet"))
    card.click(force=True)
    expect(ann.page.locator("#hint")).to_contain_text("Spades are not broken yet")
    assert leading.played_by("north") == []


def test_the_last_trick_says_who_took_it_and_why(person: Callable[..., Person], leading: Game) -> None:
    card = leading.view("north")["you"]["legal"][0]["card"][0]
    leading.north.move(leading.id, {"type": "play", "card": card})
    ann = person()
    ann.sit(leading.id, leading.north.token or "")
    reply = leading.view("south")["you"]["legal"][0]["card"][0]
    leading.south.move(leading.id, {"type": "play", "card": reply})
    expect(ann.page.locator("#last")).to_contain_text(re.compile(r"took it: .*(beats|stands|trumps)"))
    expect(ann.page.locator("#said")).to_contain_text("takes the trick")


def test_the_keyboard_alone_plays_a_whole_game(page: Page, server: ServerProcess) -> None:
    def focus_on(pattern: str) -> None:
        for _ in range(60):
            if re.search(pattern, page.evaluate(LABEL)):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"Tab never comes to {pattern}")

    ann = Person(page)
    page.goto("/")
    expect(page.get_by_label("Your name")).to_be_visible()
    focus_on("^Your name")
    page.keyboard.type("Ann")
    focus_on("^More rules")
    page.keyboard.press("Enter")
    focus_on("^Max hands")
    page.keyboard.type("1")
    focus_on("^Play the house")
    page.keyboard.press("Enter")
    page.wait_for_url("**/g/*")
    watching = Client(server.url)
    ann.on_turn()
    focus_on("^Look at the first card")
    moves = 0
    while (view := watching.view(ann.game))["phase"] != "ended":
        if view["turn"] == "north":
            wanted = "[data-first]:not([aria-disabled])"
            expect(page.locator(f"#board {wanted}:focus")).to_have_count(1)  # it goes where something is to be done
            if view["phase"] == "bidding":
                page.keyboard.press("ArrowRight")
                page.keyboard.press("ArrowDown")
                page.keyboard.press("ArrowUp")
                expect(page.locator(":focus")).to_have_attribute("aria-label", "Bid 1")
            page.keyboard.press("Enter")
            moves += 1
        eventually(lambda: watching.view(ann.game)["version"] > view["version"])
    assert moves == 1 + 13 + 1 + 13
    expect(page.locator("#status")).to_contain_text("the last hand is played")


def test_resigning_asks_first(person: Callable[..., Person], leading: Game) -> None:
    ann = person()
    ann.sit(leading.id, leading.north.token or "")
    ann.button("Resign…").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="Play on").click()
    assert leading.view()["phase"] == "play"
    ann.button("Resign…").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="Resign", exact=True).click()
    expect(ann.page.locator("#status")).to_have_text("Bo won: Ann resigned")


def test_the_time_runs_visibly_and_the_game_can_be_claimed_when_it_is_over(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    game = Game(server.url, {"turn_seconds": 5})
    bo = person()
    bo.sit(game.id, game.south.token or "")
    expect(bo.page.locator(".clock")).to_have_text(re.compile("0:0[0-5] left"))
    bo.button("Claim the game").click()
    expect(bo.page.locator("#status")).to_have_text("You won: Ann ran out of time")


def test_both_columns_show_bags_and_the_distance_to_the_next_penalty(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    game = Game(server.url, {"bag_limit": 7})
    game.until("draft", hand=2, seed=3)
    ann = person()
    ann.sit(game.id, game.north.token or "")
    shown = game.view()["seats"]
    cells = ann.page.locator("#scores tr", has_text="Penalty in").locator("td").all_inner_texts()
    wanted = [shown[seat]["penalty_in"] for seat in ("south", "north")]
    assert [int(text.split()[0]) for text in cells] == wanted
    expect(ann.page.get_by_role("heading", name="Hand 1 is scored")).to_be_visible()


def test_again_against_the_same_player_swaps_who_drafts_first(person: Callable[..., Person], server: ServerProcess) -> None:
    game = Game(server.url, {"target": 123}, opponent="house")
    eventually(lambda: "south" in game.view()["seats"])
    game.north.move(game.id, {"type": "resign"})
    ann = person()
    ann.sit(game.id, game.north.token or "")
    ann.button("Play again").click()
    ann.page.wait_for_url(lambda url: "/g/" in url and game.id not in url)
    created = Client(server.url).get(f"/v1/games/{ann.game}/events?after=0")["events"][0]["public"]["data"]
    assert (created["after"], created["first"], created["rules"]["target"]) == (game.id, "south", 123)
    expect(ann.page.locator("#here")).to_contain_text("leads first")


def test_a_seat_that_brings_bytes_reveals_none_when_the_record_is_not_in_order(
    person: Callable[..., Person], server: ServerProcess
) -> None:
    ann = person()
    ann.page.context.route("**/record", lambda route: route.fulfill(body=broken(route), content_type="application/x-ndjson"))
    ann.start("Invite a friend", "Ann")
    south = Client(server.url)
    south.join(ann.game, "Bo", ann.page.get_by_label("The link").input_value().split("join=")[1])
    expect(ann.page.get_by_role("alert").first).to_contain_text("Your bytes are not revealed")
    events = south.get(f"/v1/games/{ann.game}/events?after=0")["events"]
    assert [line["public"]["type"] for line in events] == ["game_created", "player_joined", "player_joined"]


def broken(route: Route) -> bytes:
    """The record with another name at the second seat."""
    return route.fetch().body().replace(b'"name":"Bo"', b'"name":"Al"')


def test_over_plain_http_elsewhere_the_page_says_that_checking_needs_https_and_brings_nothing(
    person: Callable[..., Person], server: ServerProcess, recorder: Recorder
) -> None:
    ann = person(base_url="http://trickbook.test", proxy={"server": recorder.url})
    ann.page.goto("/")
    expect(ann.page.get_by_text("Checking needs https")).to_be_visible()
    ann.start("Invite a friend", "Ann")
    joined = Client(server.url).get(f"/v1/games/{ann.game}/events?after=0")["events"][1]
    assert "contribution" not in joined["public"]["data"]
    expect(ann.page.get_by_text("Checking needs https")).to_be_visible()


def test_a_dispute_is_shown_to_both_and_stops_nobody(person: Callable[..., Person], server: ServerProcess) -> None:
    game = Game(server.url)
    game.until("play", hand=2)
    seat = game.view()["turn"]
    ann = person()
    ann.sit(game.id, game.seat(seat).token or "")
    ann.on_turn()
    claim = {"hands": [{"hand": 1, "north": {"total": 999}}]}
    game.south._post(
        f"/v1/games/{game.id}/disputes",
        {"claim": claim, "position": "1.s"},
        "a-key-of-at-least-22-characters",
        None,
        "a dispute",
    )
    expect(ann.page.locator("#disputes")).to_have_text("Bo disputes the score of hand 1.")
    ann.playable.first.click()
    expect(ann.hand).to_have_count(12)
