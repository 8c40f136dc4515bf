"""The view and the events (design §4): what each reader gets, and waiting for news."""

import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api.conftest import OPERATOR
from tests.api.players import Table
from tests.kit.waiting import eventually


def test_a_spectator_and_the_operator_see_no_hand(table: Table) -> None:
    table.play_until("play")
    operator = table.client.get(f"/v1/games/{table.game}", headers={"Authorization": f"Bearer {OPERATOR}"}).json
    assert table.view() == operator
    assert "you" not in operator
    assert operator["seats"]["north"]["cards"] == 13


def test_the_view_has_the_form_of_the_contract(client: FlaskClient) -> None:
    table = Table(client, first="south")
    view = table.view("south")
    assert view["phase"] == "draft"
    assert (view["hand"], view["first"], view["turn"]) == (1, "south", "south")
    assert view["draft"] == {"stock": 52}
    assert view["you"]["legal"] == [{"type": "look"}, {"type": "double_nil"}]
    assert table.view("north")["you"]["legal"] == []
    view = table.move("south", "look")["view"]
    assert view["draft"] == {"stock": 51}
    assert view["you"]["legal"] == [{"type": "keep"}, {"type": "pass"}]
    drawn = view["you"]["drawn"]
    view = table.move("south", "pass")["view"]
    assert view["draft"] == {"stock": 50}
    assert "drawn" not in view["you"]
    assert view["you"]["discarded"] == [drawn]
    assert len(view["you"]["hand"]) == 1
    view = table.play_until("bidding")
    assert view["you"]["legal"] == [{"type": "bid", "tricks": {"min": 0, "max": 13}}]
    view = table.play_until("play")
    assert view["trick"] == {"number": 1, "leader": "north", "cards": []}
    assert view["you"]["legal"][0]["type"] == "play"
    assert set(view["you"]["legal"][0]["card"]) <= set(view["you"]["hand"])


def test_a_double_nil_bidder_is_offered_the_exchange(client: FlaskClient) -> None:
    table = Table(client)
    table.move("north", "double_nil")
    view = table.play_until("exchange")
    option = view["you"]["legal"][0]
    assert option == {"type": "exchange", "discard": {"of": view["you"]["hand"], "max": 3}}
    thrown = view["you"]["hand"][:2]
    answer = table.move("north", "exchange", discard=thrown)
    assert answer["events"][0]["public"]["data"]["count"] == 2
    assert len(answer["events"][0]["sealed"]["data"]["drawn"]) == 2
    assert answer["view"]["phase"] == "bidding"
    assert answer["view"]["seats"]["north"]["bid"] == "double_nil"


def test_waiting_ends_at_once_with_news_of_another_process(table: Table, make_app: Callable[..., Flask]) -> None:
    etag = table.get("", "south").headers["ETag"]
    answers: list[Any] = []
    waiting = threading.Thread(
        target=lambda: answers.append(table.get("?wait=20", "south", **{"If-None-Match": etag})), daemon=True
    )
    waiting.start()
    other = object.__new__(Table)
    other.__dict__.update(table.__dict__, client=make_app().test_client())
    begun = time.monotonic()
    other.move("north", "look")
    waiting.join(10)
    assert time.monotonic() - begun < 5
    assert answers[0].status_code == 200
    assert answers[0].json["version"] == 5


def test_waiting_without_news_answers_304_after_the_time(table: Table) -> None:
    etag = table.get().headers["ETag"]
    begun = time.monotonic()
    answer = table.get("?wait=1", **{"If-None-Match": etag})
    assert answer.status_code == 304
    assert 0.9 < time.monotonic() - begun < 5
    assert answer.data == b""
    assert answer.headers["ETag"] == etag


def test_a_view_that_is_not_known_is_answered_without_waiting(table: Table) -> None:
    begun = time.monotonic()
    assert table.get("?wait=25", **{"If-None-Match": '"1.00"'}).status_code == 200
    assert table.get("?wait=25").status_code == 200
    assert time.monotonic() - begun < 5


def test_at_most_half_of_the_threads_wait_and_the_next_is_answered_at_once(make_app: Callable[..., Flask]) -> None:
    app = make_app(threads=4)
    table = Table(app.test_client())
    etag = table.get().headers["ETag"]

    def wait() -> Any:
        return app.test_client().get(f"/v1/games/{table.game}?wait=20", headers={"If-None-Match": etag})

    threads = [threading.Thread(target=wait, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    places = app.extensions["trickbook.places"]
    eventually(lambda: places.left == 0)
    begun = time.monotonic()
    assert wait().status_code == 304
    assert time.monotonic() - begun < 5
    table.move("north", "look")
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


@pytest.mark.parametrize("query", ["wait=26", "wait=-1", "wait=x", "wait=1.5", "wait="])
def test_what_is_no_time_to_wait_is_refused(table: Table, query: str) -> None:
    answer = table.get(f"?{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_parameter")


def test_events_come_as_json_or_ndjson_from_where_one_asks(table: Table) -> None:
    table.move("north", "look")
    table.move("north", "keep")
    whole = table.get("/events", "north").json
    assert [event["public"]["seq"] for event in whole["events"]] == [1, 2, 3, 4, 5, 6, 7]
    assert whole["version"] == 7
    answer = table.get("/events?after=5", "north", Accept="application/x-ndjson")
    assert answer.mimetype == "application/x-ndjson"
    lines = [msgspec.json.decode(line) for line in answer.data.splitlines()]
    assert lines == whole["events"][5:]
    assert table.get("/events?after=7").json == {"events": [], "version": 7}
    assert table.get("/events", Accept="text/html").status_code == 406


def test_public_parts_are_sent_as_they_are_stored(table: Table, store: Any) -> None:
    table.move("north", "look")
    stored = [event.public for commit in store.read(table.game) for event in commit.events]
    raw = table.get("/events").data
    assert all(public in raw for public in stored)


def test_a_long_game_comes_in_pieces_of_500(client: FlaskClient) -> None:
    table = Table(client, {"target": 10000, "max_hands": 8})
    view = table.play_out()
    seen: list[int] = []
    while len(seen) < view["version"]:
        piece = table.get(f"/events?after={len(seen)}").json["events"]
        assert 1 <= len(piece) <= 500
        seen += [event["public"]["seq"] for event in piece]
    assert seen == list(range(1, view["version"] + 1))
