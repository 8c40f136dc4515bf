"""Which names may sit down, and which may not sit together: nobody is the house, one name is one player, and no rated game
has names that look alike."""

import pytest
from flask.testing import FlaskClient

from service.base import names
from service.house.house_player import HousePlayer
from service.http.schemas import bodies
from tests.api.conftest import OPERATOR
from tests.api.players import Table

HOUSES = ["House", "HOUSE", "house", "H0use", "\u0397ouse", "H\u043euse", "Hou\u0455e", "\uff28ouse"]
ALIKE = [("Ann", "\u0410nn"), ("Bill", "BiII"), ("Bill", "Bi11"), ("Tom", "Torn"), ("J0", "jo"), ("\u0415va", "Eva")]


@pytest.mark.parametrize("name", HOUSES)
def test_nobody_sits_down_as_the_house(client: FlaskClient, name: str) -> None:
    asked = client.post("/v1/games", json={"name": name})
    assert (asked.status_code, asked.json["code"]) == (422, "invalid")
    assert "the service's own player" in asked.json["detail"]
    table = Table(client, join=False)
    joined = client.post(f"/v1/games/{table.game}/join", json={"name": name, "invite": table.created["invite"]})
    assert (joined.status_code, joined.json["code"]) == (422, "invalid")
    rated = {"name": "Ann", "opponent_name": name, "rated": True}
    assert client.post("/v1/games", json=rated, headers={"Authorization": f"Bearer {OPERATOR}"}).status_code == 422


def test_the_house_itself_still_sits_down(client: FlaskClient) -> None:
    made = client.post("/v1/games", json={"name": "Ann", "opponent": "house"}).json
    games = client.application.extensions["trickbook.games"]
    HousePlayer(games, bodies.move).attend(made["game"])
    assert client.get(f"/v1/games/{made['game']}").json["seats"]["south"]["name"] == names.HOUSE


@pytest.mark.parametrize("name", ["Ann", "ANN", "ann", "\uff21nn"])
def test_one_name_does_not_take_both_seats(client: FlaskClient, name: str) -> None:
    made = client.post("/v1/games", json={"name": "Ann"}).json
    joined = client.post(f"/v1/games/{made['game']}/join", json={"name": name, "invite": made["invite"]})
    assert (joined.status_code, joined.json["code"]) == (409, "name_taken")
    assert client.post(f"/v1/games/{made['game']}/join", json={"name": "Anna", "invite": made["invite"]}).status_code == 201


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_meet_in_no_rated_game_but_in_others(client: FlaskClient, one: str, other: str) -> None:
    operator = {"Authorization": f"Bearer {OPERATOR}"}
    rated = client.post("/v1/games", json={"name": one, "opponent_name": other, "rated": True}, headers=operator)
    assert (rated.status_code, rated.json["code"]) == (409, "name_taken")
    made = client.post("/v1/games", json={"name": one}).json
    assert client.post(f"/v1/games/{made['game']}/join", json={"name": other, "invite": made["invite"]}).status_code == 201


@pytest.mark.parametrize(
    ("one", "other"), [("Ann", "Anne"), ("Bo", "Bob"), ("Jos\u00e9", "Jose"), ("House", "Mouse"), ("Bill", "Bull")]
)
def test_names_that_only_resemble_each_other_are_two(one: str, other: str) -> None:
    assert not names.alike(one, other)
    assert names.alike(one, one)
    assert names.alike(one, one.upper())


def test_a_rematch_under_the_names_of_the_earlier_game_is_possible(client: FlaskClient) -> None:
    table = Table(client)
    table.move("south", "resign")
    again = client.post("/v1/games", json={"after": table.game}, headers={"Authorization": f"Bearer {table.tokens['south']}"})
    assert again.status_code == 201
