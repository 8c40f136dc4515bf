"""Contributions (fairness.md, The shuffle, 2): committed at create and join, revealed south first, then the first hand."""

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from events import shuffle
from events.log import load
from events.memory import MemoryStore
from events.types import Stock
from tests.api.conftest import Clock
from tests.api.players import Table, key

OWN = {"north": "11" * 32, "south": "22" * 32}


def seated(client: FlaskClient, *seats: str, **rules: Any) -> Table:
    """A table at which these seats brought bytes of their own."""

    def body(seat: str, **more: str) -> dict[str, Any]:
        own = {"contribution": shuffle.contribution(bytes.fromhex(OWN[seat]))} if seat in seats else {}
        return {**more, **own, **({"rules": rules} if rules and seat == "north" else {})}

    table = object.__new__(Table)
    made = client.post("/v1/games", json=body("north", name="Ann"), headers={"Idempotency-Key": key()}).json
    table.__dict__.update(
        client=client, created=made, game=made["game"], tokens={"north": made["token"]}, invite=made["invite"]
    )
    joined = client.post(f"/v1/games/{table.game}/join", json=body("south", name="Bo", invite=made["invite"]))
    assert joined.status_code == 201, joined.json
    table.tokens["south"] = joined.json["token"]
    return table


def test_south_reveals_first_then_north_and_hand_1_is_in_the_last_reveals_commit(client: FlaskClient) -> None:
    table = seated(client, "north", "south")
    view = table.view("south")
    assert (view["phase"], view["turn"]) == ("reveal", "south")
    assert view["you"]["legal"] == [{"type": "reveal"}]
    assert table.post("north", {"type": "reveal", "bytes": OWN["north"]}).json["code"] == "not_your_turn"
    answer = table.move("south", "reveal", bytes=OWN["south"])
    assert [event["public"]["type"] for event in answer["events"]] == ["contribution_revealed"]
    answer = table.move("north", "reveal", bytes=OWN["north"])
    assert [event["public"]["type"] for event in answer["events"]] == ["contribution_revealed", "hand_started"]
    assert answer["view"]["phase"] == "draft"


@pytest.mark.parametrize("seat", ["north", "south"])
def test_a_seat_that_brings_nothing_owes_no_reveal(client: FlaskClient, seat: str) -> None:
    table = seated(client, seat)
    assert table.view()["turn"] == seat
    table.move(seat, "reveal", bytes=OWN[seat])
    assert table.view()["phase"] == "draft"
    joined = [event["public"]["data"] for event in table.get("/events").json["events"][1:3]]
    assert [("contribution" in data) for data in joined] == [seat == "north", seat == "south"]


def test_wrong_bytes_are_refused_and_change_nothing(client: FlaskClient) -> None:
    table = seated(client, "north", "south")
    before = table.view()
    answer = table.post("south", {"type": "reveal", "bytes": OWN["north"]})
    assert (answer.status_code, answer.json["code"]) == (422, "contribution_mismatch")
    assert OWN["north"] not in answer.text
    assert table.view() == before
    table.move("south", "reveal", bytes=OWN["south"])


def test_no_other_move_is_made_while_a_reveal_is_due_but_resigning(client: FlaskClient) -> None:
    table = seated(client, "south")
    assert table.post("south", {"type": "look"}).json["code"] == "wrong_phase"
    assert table.post("north", {"type": "look"}).json["code"] == "not_your_turn"
    assert table.move("north", "resign")["view"]["result"]["winner"] == "south"
    assert table.get("/audit").json["verdict"] == "ok"


def test_the_reveal_has_a_limit_of_24_hours_or_the_games_own(make_app: Callable[..., Flask], clock: Clock) -> None:
    client = make_app(MemoryStore(clock.now)).test_client()
    slow, quick = seated(client, "south"), seated(client, "south", turn_seconds=60)
    assert slow.view()["deadline"] == clock.time + 24 * 3600 * 1000
    assert quick.view()["deadline"] == clock.time + 60_000
    clock.time += 60_000
    assert slow.post("north", {"type": "claim_timeout"}).json["code"] == "no_timeout"
    assert quick.move("north", "claim_timeout")["view"]["result"] == {"reason": "timed_out", "winner": "north", "by": "south"}
    clock.time += 24 * 3600 * 1000
    assert slow.move("north", "claim_timeout")["view"]["result"]["by"] == "south"


def test_the_stock_follows_from_the_root_and_both_players_bytes(client: FlaskClient, store: Any) -> None:
    table = seated(client, "north", "south", max_hands=1)
    table.move("south", "reveal", bytes=OWN["south"])
    table.move("north", "reveal", bytes=OWN["north"])
    table.play_out()
    events = [load(stored) for commit in store.read(table.game) for stored in commit.events]
    root = bytes.fromhex(events[-1].data.root)  # type: ignore[attr-defined]
    stock = next(event.secret.stock for event in events if isinstance(event.secret, Stock))
    north, south = (bytes.fromhex(OWN[seat]) for seat in ("north", "south"))
    assert shuffle.stock(shuffle.hand_key(root, table.game, 1, north, south)) == stock
    other = secrets.token_bytes(32)
    assert shuffle.stock(shuffle.hand_key(root, table.game, 1, other, south)) != stock
    found = table.get("/audit").json
    assert found["verdict"] == "ok"
    assert not any("did not choose the cards" in text for text in found["not_checked"])
