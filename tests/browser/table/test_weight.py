"""What the pages may weigh: requests and bytes, counted with an empty cache. Their time on a slow line is measured by hand
(`tests/bench/pages.py`)."""

from playwright.sync_api import Page

from tests.kit.page_weight import Scales

LINE = {"offline": False, "latency": 200, "downloadThroughput": -1, "uploadThroughput": -1}
"""A line on which the house has moved before the page hears of its first event, so that the count is always the same."""


def test_the_start_page_and_one_press_to_the_first_card_weigh_no_more_than_they_may(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    scales = Scales(session)
    session.send("Network.emulateNetworkConditions", LINE)
    page.goto("/")
    page.get_by_label("Your name").fill("Ann")
    page.wait_for_load_state("networkidle")
    start = scales.taken()
    assert start.requests <= 8
    assert start.bytes <= 60_000
    page.get_by_role("button", name="Play the house").click()
    page.locator("#middle .card").first.wait_for()
    first_card = scales.taken()
    assert first_card.requests <= 12
    assert first_card.bytes <= 120_000
