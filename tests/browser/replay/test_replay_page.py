"""The replay page: its keys, buttons and links, what it says at each moment, and what it does not."""

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from service.runtime.server_process import ServerProcess
from tests.browser.replay.games import Played, go_on, play
from tests.browser.replay.walking import at, in_words, keep, open_at, sentences


def test_each_key_goes_where_the_list_of_keys_says(page: Page, ended: Played) -> None:
    open_at(page, ended, "1.3.1")
    press = page.keyboard.press
    for key, position in (
        *(("ArrowRight", "1.3.2"), ("ArrowLeft", "1.3.1"), ("t", "1.3.2"), ("ArrowDown", "1.4.2")),
        *(("ArrowUp", "1.3.2"), ("Shift+T", "1.2.2"), ("Home", "v1"), ("t", "1.1.2")),
    ):
        press(key)
        at(page, position)
    press("h")
    expect(page.locator("#what")).to_contain_text("Hand 2 begins")
    press("h")
    expect(page.locator("#notice")).to_have_text("This is the last hand.")
    press("ArrowLeft")
    at(page, "1.s")
    press("Shift+H")
    expect(page.locator("#what")).to_contain_text("Hand 1 begins")
    press("End")
    at(page, f"v{ended.get('')['version']}")
    press("ArrowRight")
    expect(page.locator("#notice")).to_have_text("This is the end.")
    press("ArrowLeft")
    at(page, "2.s")
    expect(page.locator("#notice")).to_be_hidden()
    press("Home")
    press("ArrowLeft")
    expect(page.locator("#notice")).to_have_text("This is the beginning.")
    press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    press("ArrowRight")  # the dialog has the keys now
    press("Escape")
    at(page, "v1")


def test_the_buttons_do_the_same_with_a_mouse(page: Page, ended: Played) -> None:
    open_at(page, ended, "1.3.1")
    for name, position in (
        *(("Next card", "1.3.2"), ("Card back", "1.3.1"), ("Next trick", "1.3.2"), ("Trick back", "1.2.2")),
        *(("To the beginning", "v1"), ("To the end", f"v{ended.get('')['version']}")),
    ):
        page.get_by_role("button", name=name).click()
        at(page, position)
    page.get_by_role("button", name="Hand back").click()
    expect(page.locator("#what")).to_contain_text("Hand 2 begins")
    page.get_by_role("button", name="Hand back").click()
    page.get_by_role("button", name="Next hand").click()
    expect(page.locator("#what")).to_contain_text("Hand 2 begins")
    page.get_by_role("link", name="Hand 1", exact=True).click()
    expect(page.locator("#what")).to_contain_text("Hand 1 begins")
    page.get_by_label("Go to a position").fill("2.7")
    page.get_by_role("button", name="Go").click()
    at(page, "2.7.2")


def test_a_link_opens_at_its_position_of_every_form(page: Page, ended: Played) -> None:
    version = ended.get("/explain/1.5.1")["version"]
    for position, shown in {"1.5": "1.5.2", f"v{version}": "1.5.1", "1.x1": "1.x1"}.items():
        open_at(page, ended, position)
        at(page, shown)
        expect(page.locator("#notice")).to_be_hidden()
    for position in ("1.5.2", "1.d7", "1.b1", "2.s", "v3"):
        page.evaluate("position => { location.hash = position; }", position)
        at(page, position)
    page.evaluate("location.hash = '2'")
    expect(page.locator("#what")).to_contain_text("Hand 2 begins")
    open_at(page, ended)
    at(page, "v1")


@pytest.mark.parametrize("position", ["9.1.1", "1.14", "2.d27", "v99999"])
def test_a_position_that_is_not_there_is_said_to_be_none(page: Page, ended: Played, position: str) -> None:
    open_at(page, ended, position)
    expect(page.locator("#notice")).to_contain_text(f"This game has no {position}")
    at(page, "v1")
    page.evaluate("location.hash = '#1.77'")
    expect(page.locator("#notice")).to_contain_text("This game has no 1.77: hand 1 goes to 1.s.")
    page.evaluate("location.hash = '#<b>%zz'")
    expect(page.locator("#notice")).to_contain_text("is no position: give a version (v57)")


def test_each_moment_says_what_explain_says(page: Page, ended: Played) -> None:
    open_at(page, ended, "1")
    page.keyboard.press("ArrowRight")
    steps = ended.get("/replay?hand=1")["steps"]
    for step in steps[1:]:
        expect(page.locator("#place")).to_have_text(step["position"])
        what, *why = sentences(page)
        assert what.startswith(in_words(step["why"][0]).rstrip("."))  # with the card that goes to the pile
        assert why == [in_words(sentence) for sentence in step["why"][1:]]
        page.keyboard.press("ArrowRight")
    for step in (steps[9], steps[-9], steps[-1]):
        assert step["why"] == ended.get(f"/explain/{step['position']}")["sentences"]


def test_stepping_through_a_hand_asks_the_service_nothing(page: Page, ended: Played) -> None:
    open_at(page, ended, "2")
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    at(page, f"v{ended.get('')['version']}")
    page.keyboard.press("Home")
    at(page, "v1")
    assert [url for url in asked if "/v1/" in url and "hand=0" not in url] == []


def test_a_card_and_a_line_of_the_list_go_to_their_moment(page: Page, ended: Played) -> None:
    step = next(step for step in ended.get("/replay?hand=1")["steps"] if step["position"] == "1.9.1")
    card = step["table"]["trick"]["cards"][0]["card"]
    open_at(page, ended, "1.1.1")
    page.locator(f"#board .fan button[title='{in_words(card)}']").click()
    at(page, "1.9.1")
    page.locator("#moments a[href='#1.d3']").click()
    at(page, "1.d3")
    page.keyboard.press("ArrowRight")
    at(page, "1.d4")
    page.goto(f"/g/{ended.game}/replay#1.s")
    resting_on = page.locator("#why a.position").first
    place = resting_on.inner_text()
    resting_on.click()
    at(page, place)


def test_space_plays_and_pauses_and_the_end_stops_it(page: Page, ended: Played) -> None:
    page.clock.install()
    open_at(page, ended, "2.13.1")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.clock.run_for(50)
    at(page, "2.13.2")
    page.keyboard.press(" ")
    page.clock.run_for(10_000)
    at(page, "2.13.2")
    page.keyboard.press(" ")
    for _ in range(4):
        page.clock.run_for(3_000)
    expect(page.locator("#notice")).to_have_text("This is the end.")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_hidden_hand_shows_no_card_and_no_sentence_tells_one(page: Page, ended: Played) -> None:
    step = next(step for step in ended.get("/replay?hand=1")["steps"] if step["position"] == "1.d3")
    seat, kept = step["covered"]["seat"], step["moved"]["to_hand"][0]
    open_at(page, ended, "1.d3")
    upper = "north"
    if seat != upper:
        page.keyboard.press("f")
        upper = "south"
    expect(page.locator("#board [aria-label]", has=page.locator("svg")).first).to_be_attached()
    assert in_words(kept) in (page.locator("main").inner_html())
    page.keyboard.press("x")
    expect(page.get_by_role("group", name=f"{upper.capitalize()}'s hand")).to_have_attribute(
        "aria-label", f"{upper.capitalize()}'s hand, 2 cards, face down"
    )
    assert sentences(page) == [in_words(sentence) for sentence in step["covered"]["why"]]
    assert in_words(kept) not in page.locator("#board").inner_html()
    assert in_words(kept) not in page.locator("#moments a[href='#1.d3']").inner_html()
    page.keyboard.press("x")
    assert in_words(kept) in page.locator("#board").inner_html()


def test_while_play_goes_on_a_spectator_sees_no_card_and_a_seat_its_own(page: Page, drafting: Played) -> None:
    open_at(page, drafting, "1")
    page.keyboard.press("End")
    expect(page.locator("#board .fan svg.back").first).to_be_visible()
    expect(page.locator("#board svg.face")).to_have_count(0)
    expect(page.locator("#report")).to_be_disabled()
    expect(page.locator("#who-may")).to_contain_text("Only the two players")
    keep(page, drafting, "south")
    open_at(page, drafting, "1")
    page.keyboard.press("End")
    expect(page.get_by_role("group", name="North's hand").locator("svg.back").first).to_be_visible()
    held = drafting.get("", "south")["you"]["hand"]
    expect(page.get_by_role("group", name="South's hand").locator("button")).to_have_count(len(held))
    expect(page.locator("#report")).to_be_enabled()


def test_the_last_moment_of_a_running_game_goes_on_when_it_does(page: Page, server: ServerProcess) -> None:
    played = play(server, {}, moves=5)
    open_at(page, played, "1")
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#notice")).to_have_text("This is the latest moment of a running game.")
    before = page.locator("#place").inner_text()
    go_on(played)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#notice")).to_be_hidden()
    expect(page.locator("#place")).not_to_have_text(before)
    go_on(played)
    page.keyboard.press("End")
    at(page, played.get("/replay?hand=1")["steps"][-1]["position"])


def test_a_token_of_another_service_shows_what_anybody_sees(page: Page, drafting: Played) -> None:
    keep(page, drafting, "south")
    page.evaluate(
        "game => localStorage.setItem(`trickbook/game/${game}`, JSON.stringify({seat: 'south', token: 'x'.repeat(43)}))",
        drafting.game,
    )
    open_at(page, drafting, "1")
    expect(page.locator("#board svg.face")).to_have_count(0)
    expect(page.locator("#report")).to_be_disabled()


def test_a_game_that_is_not_there_has_a_page_that_says_so(page: Page) -> None:
    page.goto("/g/0000000000000000/replay")
    expect(page.locator("main")).to_contain_text("no game")


def test_a_record_from_elsewhere_is_walked_through_and_its_names_are_only_text(page: Page, imported: str) -> None:
    page.goto(f"/g/{imported}/replay")
    expect(page.locator("#title")).to_have_text("<img src=x onerror=alert(1)> and AS \ufffdevil")
    expect(page.locator("main img")).to_have_count(0)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        expect(page.locator("#moments a[aria-current]")).to_have_count(1)
    page.locator("#moments a[href='#v3']").click()
    expect(page.locator("#what")).to_contain_text("sits down as south")
    expect(page.locator("#what [role=img]")).to_have_count(0)  # no card is in a name
    expect(page.locator("#report")).to_be_disabled()
    expect(page.locator("#who-may")).to_contain_text("imported")
    page.get_by_role("button", name="Check this game here").click()
    expect(page.locator("[data-stage=receipts]")).to_have_attribute("data-state", re.compile("wrong|unchecked"))
    page.goto(f"/g/{imported}/score")
    expect(page.locator(".score-table .name").first).to_have_text("<img src=x onerror=alert(1)>")
    expect(page.locator("main img")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, ended: Played, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    open_at(page, ended, "1.5.2")
    page.get_by_role("button", name="Check this game here").click()
    expect(page.locator(".verdict[data-state=unchecked]")).to_be_visible()
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    page.keyboard.press("?")
    results = Axe().run(page, context="#keys")
    assert results.violations_count == 0, results.generate_report()
