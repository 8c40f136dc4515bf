"""What the tests of the replay ask of its page."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.replay.games import Played

_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
RANKS = dict(zip("23456789TJQKA", _NAMES, strict=True))
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def open_at(page: Page, played: Played, position: str = "") -> None:
    """The replay at a position, opened afresh."""
    page.goto("about:blank")
    page.goto(f"/g/{played.game}/replay" + (f"#{position}" if position else ""))
    expect(page.locator("#moments a[aria-current]")).to_have_count(1)


def at(page: Page, position: str) -> None:
    """Waits until the page is there, and its address says so."""
    expect(page.locator("#place")).to_have_text(position)
    page.wait_for_function("position => location.hash === `#${position}`", arg=position)


def in_words(text: str) -> str:
    """A sentence as the page tells it to who listens: its cards by name."""
    words = [(part.rstrip(".,;:"), part) for part in text.split(" ")]
    named = lambda card: f"{RANKS[card[0]]} of {SUITS[card[1]]}"  # noqa: E731
    return " ".join(
        part.replace(word, named(word)) if len(word) == 2 and word[0] in RANKS and word[1] in SUITS else part
        for word, part in words
    )


def sentences(page: Page) -> list[str]:
    """What the page says of the moment, its cards by name."""
    read = """() => [...document.querySelectorAll("#what, #why > li")].map((line) => {
        const copy = line.cloneNode(true);
        for (const card of copy.querySelectorAll("[aria-label]")) card.replaceWith(card.getAttribute("aria-label"));
        return copy.textContent;
    })"""
    found: list[str] = page.evaluate(read)
    return found


def keep(page: Page, played: Played, seat: str) -> None:
    """Makes this browser that of a seat."""
    page.goto("/v1/rules")
    page.evaluate("([key, value]) => localStorage.setItem(key, JSON.stringify(value))", _kept(played, seat))


def _kept(played: Played, seat: str) -> list[Any]:
    return [f"trickbook/game/{played.game}", played.kept(seat)]
