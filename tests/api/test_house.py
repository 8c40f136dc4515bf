"""The house as an opponent: it sits down, moves through the same handler, and goes on after a crash."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from events.redis_store import RedisStore
from service.base.entropy import Csprng
from service.games.handler import Games
from service.house.house_player import HousePlayer
from service.http.schemas import bodies
from tests.api.conftest import IDENTITY, Clock
from tests.api.players import Table, key
from tests.kit.waiting import eventually


@pytest.fixture
def house(store: RedisStore, clock: Clock) -> Any:
    """The house in a process of its own."""
    playing = HousePlayer(Games(store, IDENTITY, clock, Csprng()), bodies.move)
    yield playing
    playing.close()


def against_the_house(client: Any, **body: Any) -> Table:
    table = object.__new__(Table)
    answer = client.post("/v1/games", json={"name": "Ann", "opponent": "house", **body}, headers={"Idempotency-Key": key()})
    assert answer.status_code == 201
    table.__dict__.update(client=client, created=answer.json, game=answer.json["game"], tokens={"north": answer.json["token"]})
    return table


def test_a_game_against_the_house_has_no_invite_to_pass_on(make_app: Callable[..., Flask]) -> None:
    table = against_the_house(make_app().test_client())
    assert "invite" not in table.created
    assert "invite_link" not in table.created


def test_the_house_sits_down_and_moves_until_the_game_is_over(make_app: Callable[..., Flask], house: HousePlayer) -> None:
    app = make_app()
    app.extensions["trickbook.games"].noticed = house.notice
    table = against_the_house(app.test_client(), rules={"max_hands": 1}, first="south")
    eventually(lambda: table.view()["phase"] != "waiting")
    assert table.view()["seats"]["south"]["name"] == "House"
    while True:
        eventually(lambda: table.view().get("turn") != "south", 20)
        view = table.view("north")
        if view["phase"] == "ended":
            break
        option = view["you"]["legal"][0]
        fields: Any = {"bid": {"tricks": 4}, "play": {"card": option.get("card", [""])[0]}}.get(option["type"], {})
        table.move("north", option["type"], **fields)
    assert table.get("/audit").json["verdict"] == "ok"


def test_after_a_crash_the_next_look_at_the_game_makes_the_house_go_on(
    make_app: Callable[..., Flask], house: HousePlayer
) -> None:
    table = against_the_house(make_app().test_client())  # nobody notices: the process died right after the create
    assert table.view()["phase"] == "waiting"
    app = make_app()
    app.extensions["trickbook.games"].noticed = house.notice
    table.client = app.test_client()
    eventually(lambda: table.view()["phase"] == "draft")


def test_two_processes_of_the_house_make_each_move_once(
    make_app: Callable[..., Flask], store: RedisStore, clock: Clock
) -> None:
    table = against_the_house(make_app().test_client(), first="south", rules={"max_hands": 1})
    both = [HousePlayer(Games(store, IDENTITY, clock, Csprng()), bodies.move) for _ in range(2)]
    games = Games(store, IDENTITY, clock, Csprng())
    for _ in range(10):
        live = games.live(table.game)
        for playing in both:
            playing.notice(live)
        eventually(lambda: table.view().get("turn") == "north")
        option = table.view("north")["you"]["legal"][0]
        table.move("north", option["type"])
    for playing in both:
        playing.close()
    versions = [event["public"]["seq"] for event in table.get("/events").json["events"]]
    assert versions == list(range(1, len(versions) + 1))


def test_the_house_takes_no_part_in_a_game_of_two_people(
    table: Table, house: HousePlayer, store: RedisStore, clock: Clock
) -> None:
    live = Games(store, IDENTITY, clock, Csprng()).live(table.game)
    house.notice(live)
    house.attend(table.game)
    assert table.view()["version"] == 4
