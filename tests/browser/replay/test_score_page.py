"""The score sheet in the browser: the figures of the service, their arithmetic on demand, the picture of both totals."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.replay.games import Played


@pytest.fixture
def sheet(ended: Played) -> Any:
    return ended.get("/scoresheet")


@pytest.fixture
def opened(page: Page, ended: Played) -> Page:
    page.goto(f"/g/{ended.game}/score")
    expect(page.locator("table.score-table")).to_be_visible()
    return page


def minus(value: int) -> str:
    return str(value).replace("-", "−")


def test_every_hand_stands_there_with_the_figures_of_the_service(opened: Page, sheet: Any) -> None:
    rows = opened.locator(".score-table tbody tr:first-child")
    expect(rows).to_have_count(len(sheet["hands"]))
    for row, hand in zip(rows.all(), sheet["hands"], strict=True):
        totals = [cell.evaluate("cell => cell.firstChild.textContent") for cell in row.locator("td.total").all()]
        assert totals == [minus(hand[seat]["total"]) for seat in ("north", "south")]
        told = [cell.inner_text() for cell in row.locator("td.first .took").all()]
        assert [text.split()[-1].lstrip("/") for text in told] == [str(hand[seat]["tricks"]) for seat in ("north", "south")]
        assert [int(cell.inner_text()) for cell in row.locator("td.bags").all()] == [
            hand[seat]["bags"] for seat in ("north", "south")
        ]
    last = [cell.evaluate("cell => cell.firstChild.textContent") for cell in opened.locator("tfoot td.total").all()]
    assert last == [minus(sheet["totals"][seat]) for seat in ("north", "south")]


def test_the_arithmetic_comes_on_demand_as_the_service_writes_it(opened: Page, sheet: Any) -> None:
    lines = opened.locator(".sums li")
    expect(lines.first).to_be_hidden()
    opened.get_by_text("How hand 1 comes out").click()
    expect(lines.first).to_be_visible()
    opened.get_by_role("button", name="Show all arithmetic").click()
    said = [line.inner_text() for line in lines.all()]
    assert said == [line for hand in sheet["hands"] for seat in ("north", "south") for line in hand[seat]["lines"]]
    opened.get_by_role("button", name="Hide the arithmetic").click()
    expect(lines.first).to_be_hidden()


def test_a_line_leads_to_its_moment_in_the_replay(opened: Page, ended: Played) -> None:
    opened.get_by_role("link", name="Hand 2: the score in the replay").click()
    expect(opened.locator("#place")).to_have_text("2.s")
    assert opened.url.endswith(f"/g/{ended.game}/replay#2.s")


def test_the_picture_has_a_mark_a_hand_and_says_in_words_what_it_shows(opened: Page, sheet: Any) -> None:
    picture = opened.locator("#chart > svg")
    expect(picture.locator(".north circle")).to_have_count(len(sheet["hands"]) + 1)
    expect(picture.locator(".south rect")).to_have_count(len(sheet["hands"]) + 1)
    totals = ", ".join(f"{name} {minus(sheet['totals'][seat])}" for seat, name in (("north", "Ann"), ("south", "Bo")))
    expect(picture).to_have_attribute("aria-label", f"Both totals over 2 hands: in the end {totals}")


def test_a_game_without_a_score_yet_says_so(page: Page, drafting: Played) -> None:
    page.goto(f"/g/{drafting.game}/score")
    expect(page.locator("#sheet")).to_contain_text("No hand has been scored yet")
    expect(page.locator("#chart")).to_be_hidden()


def test_a_line_that_was_put_right_is_marked_and_says_why(page: Page, ended: Played, sheet: Any) -> None:
    new = sheet["hands"][1]["south"]
    correction = {"version": 99, "hand": 2, "seat": "south", "old": new | {"total": new["total"] - 9}, "new": new}
    told = sheet | {"corrections": [correction | {"why": "<i>A trick</i> was missed."}]}
    page.route("**/scoresheet", lambda route: route.fulfill(json=told))
    page.goto(f"/g/{ended.game}/score")
    expect(page.locator(".mended")).to_have_count(1)
    expect(page.locator(".score-table tbody").nth(1)).to_contain_text("corrected")
    said = f"total {minus(new['total'] - 9)} became {minus(new['total'])}. <i>A trick</i> was missed."
    expect(page.locator(".corrections li")).to_contain_text(said)


def test_on_paper_there_is_the_sheet_and_nothing_to_press(opened: Page) -> None:
    opened.emulate_media(media="print")
    expect(opened.locator("table.score-table")).to_be_visible()
    expect(opened.locator(".top")).to_be_hidden()
    expect(opened.get_by_role("button", name="Print")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, ended: Played, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"/g/{ended.game}/score")
    page.get_by_role("button", name="Show all arithmetic").click()
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
