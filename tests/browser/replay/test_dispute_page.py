"""A dispute from the page: who may open one, what is claimed, and the report on it afterwards."""

import uuid

from playwright.sync_api import Page, expect

from service.runtime.server_process import ServerProcess
from tests.browser.replay.games import play
from tests.browser.replay.walking import at, in_words, keep, open_at


def report(page: Page) -> None:
    page.get_by_role("button", name="Report this").click()
    expect(page.get_by_role("dialog", name="Report")).to_be_visible()


def test_a_player_reports_a_moment_and_reads_who_is_right(page: Page, server: ServerProcess) -> None:
    played = play(server, {"max_hands": 1})
    recorded = played.get("/scoresheet")["totals"]
    keep(page, played, "south")
    open_at(page, played, "1.5.2")
    version = played.get("/explain/1.5.2")["version"]
    report(page)
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_role("alert")).to_have_text("Say at least one figure as you have it.")
    page.get_by_label("South's total").fill("many")
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_role("alert")).to_have_text("many is no whole number.")
    page.get_by_label("South's total").fill(str(recorded["south"] + 7))
    page.get_by_label("What happened, in your words").fill("x" * 501)
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_role("alert")).to_contain_text("longer than 500")
    page.get_by_label("What happened, in your words").fill("I took <b>one</b> more.")
    page.get_by_role("button", name="Send the report").click()
    dispute = page.locator(".dispute[data-n='1']")
    expect(dispute).to_contain_text("by south, hand 1, open")
    expect(dispute.locator("blockquote")).to_have_text("I took <b>one</b> more.")
    expect(dispute.locator(".report")).to_contain_text("The claim does not hold")
    answer = played.get("/disputes/1", "south")
    assert (answer["dispute"]["version"], answer["dispute"]["claim"]) == (version, {"result": {"south": recorded["south"] + 7}})
    shown = dispute.locator(".report .notice").inner_text()
    assert shown == in_words(answer["report"]["summary"][0])
    page.keyboard.press("Home")
    at(page, "v1")
    dispute.get_by_role("link", name=f"v{version}").click()
    at(page, "1.5.2")


def test_one_report_is_one_dispute_however_often_it_is_sent(page: Page, server: ServerProcess) -> None:
    played = play(server, {"max_hands": 1})
    keep(page, played, "north")
    open_at(page, played, "1.s")
    report(page)
    page.get_by_label("The figures of one hand").check()
    page.get_by_role("combobox", name="Bid").select_option("nil")
    page.get_by_label("Total after it").fill("−7")
    lost = 0

    def lose(route: object) -> None:
        nonlocal lost
        lost += 1
        route.fetch()  # type: ignore[attr-defined]
        route.abort()  # type: ignore[attr-defined]

    page.route("**/disputes", lose, times=1)
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_role("alert")).to_contain_text("send it again, it will be one report")
    page.get_by_role("button", name="Send the report").click()
    expect(page.locator(".dispute")).to_have_count(1)
    assert lost == 1
    (dispute,) = played.get("/disputes", "north")["disputes"]
    assert dispute["claim"] == {"hands": [{"hand": 1, "north": {"bid": 0, "total": -7}}]}
    report(page)
    page.get_by_label("North's total").fill("1")
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_role("alert")).to_contain_text("dispute 1")


def test_others_read_that_there_is_a_dispute_and_may_open_none(page: Page, server: ServerProcess) -> None:
    played = play(server, {"max_hands": 1})
    asked = {"claim": {"result": {"north": 12}}, "note": "a secret word"}
    client = played.players["north"].client
    client.dispute(played.game, asked, str(uuid.uuid4()))
    open_at(page, played)
    expect(page.locator("#disputes")).to_contain_text("Dispute 1 by north")
    expect(page.locator("#disputes details")).to_have_count(0)
    expect(page.get_by_role("button", name="Report this")).to_be_disabled()
    expect(page.locator("#who-may")).to_contain_text("Only the two players may report a moment")
    assert "a secret word" not in page.content()
    page.keyboard.press("End")
    expect(page.locator("#what")).to_contain_text("North disputes the score")
