"""A game that a test plays over HTTP, with all that its players were given."""

import random
from typing import Any

from service.bots import random_move
from service.client.http import Client


class Table:
    """A game with both seats and every receipt they were given."""

    def __init__(self, url: str, seed: int = 1, **rules: int) -> None:
        self.seats = {"north": Client(url), "south": Client(url)}
        made = self.seats["north"].create("Ann", {"max_hands": 1, **rules})
        self.game: str = made["game"]
        self.receipts: list[dict[str, Any]] = [made["receipt"]]
        self.receipts.append(self.seats["south"].join(self.game, "Bo", made["invite"])["receipt"])
        self._chance = random.Random(seed)

    @classmethod
    def joined(cls, north: Client, made: dict[str, Any]) -> "Table":
        """A game that was created before, once somebody has joined it."""
        table = cls.__new__(cls)
        table.seats = {"north": north, "south": Client(north.base)}
        table.game = made["game"]
        table.receipts = [made["receipt"], table.seats["south"].join(made["game"], "Bo", made["invite"])["receipt"]]
        table.reseed(1)
        return table

    def reseed(self, seed: int) -> None:
        """Plays other moves from now on."""
        self._chance = random.Random(seed)

    def move(self, **how: Any) -> None:
        """One move of whoever is on turn."""
        view = self.view()
        seat = self.seats[view["turn"]]
        answer = seat.move(self.game, random_move(seat.view(self.game), self._chance), **how)
        self.receipts.append(answer["receipt"])

    def view(self) -> dict[str, Any]:
        return self.seats["north"].view(self.game)

    def post(self, receipt: dict[str, Any]) -> str:
        """What the service says of a receipt."""
        return self.seats["north"].compare_receipt(self.game, receipt)
