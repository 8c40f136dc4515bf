"""People before a browser: what they press, and what they can read; and games that have come as far as a test wants them."""

import random
import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from service.bots import any_move
from service.client.http import Client

PATIENCE_MS = 10_000
"""How long a page may take to come to what a test waits for."""


class Person:
    """Somebody at a table, by the words on the page alone."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def playable(self) -> Locator:
        """The cards that may be played now."""
        return self.page.locator(".in-hand.can:not([aria-disabled])")

    @property
    def hand(self) -> Locator:
        """The cards held."""
        return self.page.locator(".in-hand")

    @property
    def game(self) -> str:
        """The id of the game of this page."""
        found = re.search(r"/g/([0-9a-z]{16})", self.page.url)
        assert found
        return found[1]

    def token(self) -> str:
        """The token this browser keeps."""
        kept = self.page.evaluate("game => JSON.parse(localStorage.getItem(`trickbook/game/${game}`)).token", self.game)
        assert isinstance(kept, str)
        return kept

    def on_turn(self) -> None:
        """Waits until it is this person's turn."""
        expect(self.page.locator("#turn.mine")).to_be_visible(timeout=PATIENCE_MS)

    def start(self, against: str = "Play the house", name: str = "Ann", **rules: int) -> None:
        """Starts a game on the first page."""
        self.page.goto("/")
        self.page.get_by_label("Your name").fill(name)
        self.page.get_by_text("More rules").click()
        for rule, value in rules.items():
            self.page.locator(f"[data-rule={rule}]").fill(str(value))
        self.button(against).click()
        self.page.wait_for_url("**/g/*")

    def sit(self, game: str, token: str) -> None:
        """Opens a game with the token of a seat."""
        self.page.goto(f"/g/{game}#token={token}")
        expect(self.page.locator("#status")).to_be_visible(timeout=PATIENCE_MS)


class Game:
    """A game of two clients that nobody looks at, brought to where a browser is to take over a seat."""

    def __init__(
        self, base: str, rules: dict[str, Any] | None = None, names: tuple[str, str] = ("Ann", "Bo"), **more: Any
    ) -> None:
        self.north, self.south = Client(base), Client(base)
        made = self.north.create(names[0], rules, **more)
        self.id: str = made["game"]
        self.invite: str | None = made.get("invite")
        if self.invite is not None:
            self.south.join(self.id, names[1], self.invite)

    def seat(self, name: str) -> Client:
        return self.north if name == "north" else self.south

    def view(self, seat: str | None = None) -> dict[str, Any]:
        return (Client(self.north.base) if seat is None else self.seat(seat)).view(self.id)

    def until(self, phase: str, *, double_nil: str | None = None, hand: int = 1, seed: int = 1) -> None:
        """Any legal moves until the phase of a hand; `double_nil` is the seat that bids it, nobody else does."""
        chance = random.Random(seed)
        while (view := self.view())["phase"] != phase or view["hand"] < hand:
            assert view["phase"] != "ended"
            self.one(chance, double_nil)

    def one(self, chance: random.Random, double_nil: str | None = None) -> None:
        """One legal move of whoever is on turn."""
        seat = self.view()["turn"]
        own = self.view(seat)
        move = any_move(own, chance)
        if move["type"] in ("look", "double_nil"):
            move = {"type": "double_nil" if seat == double_nil else "look"}
        self.seat(seat).move(self.id, move)

    def played_by(self, seat: str) -> list[str]:
        """The cards a seat has played, from the log."""
        events = self.north.get(f"/v1/games/{self.id}/events?after=0")["events"]
        data = [line["public"]["data"] for line in events if line["public"]["type"] == "card_played"]
        return [one["card"] for one in data if one["seat"] == seat]


def play_out(clients: dict[str, Client], game: str, seed: int = 1) -> None:
    """Bots play a game to its end."""
    chance = random.Random(seed)
    while (view := clients["north"].view(game))["phase"] != "ended":
        seat = view["turn"]
        clients[seat].move(game, any_move(clients[seat].view(game), chance))
