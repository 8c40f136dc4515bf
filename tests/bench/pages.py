"""The weight and the time of the pages on a slow line, by hand, beside a running service: `python -m tests.bench.pages URL`.

The line has 400 ms of latency and 50 kB/s, the browser an empty cache. Seconds, requests and kB are medians of five, first of
the start page (the time until its form can be filled in, all it loads), then of what one press of "Play the house" adds until
the first drawn card.
"""

import shutil
import statistics
import sys
import time

from playwright.sync_api import Browser, sync_playwright

from tests.kit.page_weight import Scales, Weight

ROUNDS = 5
SLOW_LINE = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
NAMES = ("start page", "one press, first card")


def measured(browser: Browser, url: str) -> list[tuple[float, Weight]]:
    """Seconds and weight of the start page, and of one press until the first card."""
    context = browser.new_context(base_url=url)
    page = context.new_page()
    page.set_default_timeout(60_000)
    session = context.new_cdp_session(page)
    scales = Scales(session)
    session.send("Network.emulateNetworkConditions", SLOW_LINE)
    began = time.monotonic()
    page.goto("/", wait_until="commit")
    page.get_by_label("Your name").wait_for()
    drawn = time.monotonic() - began
    page.wait_for_load_state("networkidle")
    start = drawn, scales.taken()
    page.get_by_label("Your name").fill("Ann")
    began = time.monotonic()
    page.get_by_role("button", name="Play the house").click()
    page.locator("#middle .card").first.wait_for()
    first = time.monotonic() - began, scales.taken()
    context.close()
    return [start, first]


def main(url: str) -> None:
    """Prints a line of medians for each page."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        rounds = [measured(browser, url) for _ in range(ROUNDS)]
        browser.close()
    for name, column in zip(NAMES, zip(*rounds, strict=True), strict=True):
        seconds = statistics.median(each for each, _ in column)
        requests = statistics.median(weight.requests for _, weight in column)
        kilobytes = statistics.median(weight.bytes for _, weight in column) / 1000
        print(f"{name:22} {seconds:5.1f} s {requests:4.0f} requests {kilobytes:6.1f} kB")


if __name__ == "__main__":
    main(sys.argv[1])
