"""Players over the API for tests: a table with two seats, on a Flask test client or on a real server alike."""

import random
import uuid
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.bots import any_move

Json = dict[str, Any]


def key() -> str:
    """A fresh idempotency key."""
    return str(uuid.uuid4())


class Table:
    """A game and the two tokens; every request goes through `client`."""

    def __init__(self, client: FlaskClient, rules: Json | None = None, first: str = "north", *, join: bool = True) -> None:
        self.client = client
        body = {"name": "Ann", "first": first, **({"rules": rules} if rules else {})}
        made = client.post("/v1/games", json=body, headers={"Idempotency-Key": key()})
        assert made.status_code == 201, made.json
        self.created: Json = made.json
        self.game: str = made.json["game"]
        self.invite: str = made.json["invite"]
        self.tokens: dict[str, str] = {"north": made.json["token"]}
        if join:
            joined = client.post(f"/v1/games/{self.game}/join", json={"name": "Bo", "invite": self.invite})
            assert joined.status_code == 201, joined.json
            self.tokens["south"] = joined.json["token"]

    def auth(self, seat: str | None) -> dict[str, str]:
        """The header of a seat, none for a spectator."""
        return {} if seat is None else {"Authorization": f"Bearer {self.tokens[seat]}"}

    def get(self, path: str = "", seat: str | None = None, **headers: str) -> TestResponse:
        """A GET below the game's address."""
        return self.client.get(f"/v1/games/{self.game}{path}", headers={**self.auth(seat), **headers})

    def view(self, seat: str | None = None) -> Json:
        """The view of a seat."""
        answer = self.get("", seat)
        assert answer.status_code == 200, answer.json
        return answer.json  # type: ignore[no-any-return]

    def post(self, seat: str | None, move: Json, idempotency: str | None = None, **headers: str) -> TestResponse:
        """A move, as it comes."""
        sent = {"Idempotency-Key": idempotency or key(), **self.auth(seat), **headers}
        return self.client.post(f"/v1/games/{self.game}/moves", json=move, headers=sent)

    def move(self, seat: str, kind: str, **fields: Any) -> Json:
        """A move that must be accepted."""
        answer = self.post(seat, {"type": kind, **fields})
        assert answer.status_code == 201, answer.json
        return answer.json  # type: ignore[no-any-return]

    def turn(self) -> str | None:
        """Whose turn it is."""
        return self.view().get("turn")

    def play_until(self, phase: str, seed: int = 1, *, keep_bids: int | None = None) -> Json:
        """Random legal moves until the game is in `phase`; the view of the seat on turn (or a spectator's) there."""
        chance = random.Random(seed)
        while (view := self.view())["phase"] != phase:
            seat = view["turn"]
            own = self.view(seat)
            move = any_move(own, chance)
            if move["type"] == "double_nil":
                move = {"type": "look"}
            if move["type"] == "bid" and keep_bids is not None:
                move["tricks"] = keep_bids
            self.move(seat, move.pop("type"), **move)
        return self.view(view["turn"]) if view.get("turn") else view

    def play_out(self, seed: int = 1) -> Json:
        """Plays the game to its end; a spectator's view of it."""
        return self.play_until("ended", seed, keep_bids=5)
