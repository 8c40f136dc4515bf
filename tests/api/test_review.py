"""Score sheet, replay, explanation, record and audit over HTTP, and what the service says of itself (design §4)."""

import io
from typing import Any

import pytest
from flask.testing import FlaskClient

from events import record
from projections.audit import audit, from_record
from tests.api.conftest import OPERATOR
from tests.api.players import Table


@pytest.fixture
def ended(client: FlaskClient) -> Table:
    table = Table(client, {"target": 50})
    table.play_out()
    return table


def test_the_score_sheet_has_every_hand_with_its_arithmetic(ended: Table) -> None:
    sheet = ended.get("/scoresheet").json
    view = ended.view()
    assert [hand["hand"] for hand in sheet["hands"]] == list(range(1, view["hand"] + 1))
    assert sheet["totals"] == {seat: view["seats"][seat]["total"] for seat in ("north", "south")}
    for hand in sheet["hands"]:
        for seat in ("north", "south"):
            assert hand[seat]["lines"]
            assert hand[seat]["points"] is not None


def test_the_replay_of_a_hand_has_a_step_for_each_moment(ended: Table) -> None:
    steps = ended.get("/replay?hand=1").json["steps"]
    positions = [step["position"] for step in steps]
    assert [f"1.d{turn}" for turn in range(1, 27)] == [p for p in positions if ".d" in p]
    cards = [f"1.{trick}.{card}" for trick in range(1, 14) for card in (1, 2)]
    assert cards == [p for p in positions if p.count(".") == 2]
    assert positions[-1] in ("1.s", f"v{ended.view()['version']}")
    tricks = [step["trick"] for step in steps if "trick" in step]
    assert [trick["number"] for trick in tricks] == list(range(1, 14))
    assert all(trick["why"] for trick in tricks)


def test_the_replay_after_a_version_has_only_what_followed(ended: Table) -> None:
    steps = ended.get("/replay?hand=1").json["steps"]
    assert ended.get(f"/replay?hand=1&after={steps[3]['version']}").json["steps"] == steps[4:]
    assert ended.get(f"/replay?hand=1&after={steps[-1]['version']}").json["steps"] == []


def test_a_running_game_is_replayed_with_what_the_reader_may_know(client: FlaskClient) -> None:
    table = Table(client)
    table.play_until("play")
    own = table.get("/replay?hand=1", "north").json["steps"][-1]
    assert own["hands"] == {"north": table.view("north")["you"]["hand"]}
    assert table.get("/replay?hand=1").json["steps"][-1]["hands"] == {}


def test_explain_says_why_a_card_was_legal_and_shows_the_hand_to_whom_it_may(ended: Table) -> None:
    answer = ended.get("/explain/1.1.2").json
    assert answer["position"] == "1.1.2"
    assert len(answer["sentences"]) >= 3
    assert len(answer["held"]["hand"]) == 13
    assert ended.get("/explain/1.s").json["sentences"][1].startswith("North bid")
    for form in ("v1", "1", "1.5", "1.d26", "1.b1"):
        assert ended.get(f"/explain/{form}").status_code == 200


@pytest.mark.parametrize("position", ["99", "1.14", "x", "1.d27", "v999999", "v0", "1.1.3", "-1", "1.x1"])
def test_a_position_that_is_not_there_is_said_to_be_none(ended: Table, position: str) -> None:
    answer = ended.get(f"/explain/{position}")
    assert (answer.status_code, answer.json["code"]) == (404, "no_such_position")


def test_the_record_of_an_ended_game_is_open_and_audits_well(ended: Table) -> None:
    raw = ended.get("/record").data
    read = record.read(io.BytesIO(raw))
    assert record.write(read) == raw
    found = audit(from_record(read))
    assert found.verdict == "ok"
    assert not any("receipt" in text for text in found.not_checked if text.startswith("who"))
    assert b"token_hash" not in raw


def test_before_the_end_a_seat_gets_the_record_with_its_own_sealed_parts_and_nobody_else(client: FlaskClient) -> None:
    table = Table(client)
    table.play_until("play")
    assert table.get("/record").json["code"] == "not_allowed"
    operator = {"Authorization": f"Bearer {OPERATOR}"}
    assert client.get(f"/v1/games/{table.game}/record", headers=operator).status_code == 403
    raw = table.get("/record", "north").data
    read = record.read(io.BytesIO(raw))
    owners = {part.split(b'"owner":"')[1].split(b'"')[0] for event in read.events if (part := event.sealed)}
    assert owners == {b"north"}
    assert audit(from_record(read)).verdict == "ok"


def test_the_audit_is_open_after_the_end_and_to_the_operator_before(client: FlaskClient) -> None:
    table = Table(client, {"target": 50})
    table.play_until("play")
    assert table.get("/audit").status_code == table.get("/audit", "north").status_code == 403
    operator = {"Authorization": f"Bearer {OPERATOR}"}
    running = client.get(f"/v1/games/{table.game}/audit", headers=operator).json
    assert (running["verdict"], running["findings"]) == ("ok", [])
    table.play_out()
    found = table.get("/audit").json
    assert (found["verdict"], found["findings"]) == ("ok", [])
    assert found["checked"]
    assert found["not_checked"]


def test_everything_about_a_game_that_is_not_there_is_a_404(client: FlaskClient) -> None:
    for path in ("", "/events", "/scoresheet", "/replay", "/explain/1", "/record", "/audit"):
        assert client.get(f"/v1/games/0000000000000000{path}").json["code"] == "no_such_game"


def test_a_wrong_token_is_a_401_on_every_reading(table: Table) -> None:
    for path in ("", "/events", "/scoresheet", "/replay", "/explain/1", "/record", "/audit"):
        answer = table.client.get(f"/v1/games/{table.game}{path}", headers={"Authorization": "Bearer wrong"})
        assert (path, answer.status_code) == (path, 401)


def test_what_the_service_says_of_itself(client: FlaskClient, table: Table) -> None:
    keys: Any = client.get("/v1/keys").json["keys"]
    assert table.created["server_key"]["id"] in [key["id"] for key in keys]
    rules: Any = client.get("/v1/rules").json
    assert rules["ruleset"] == "two-player/1"
    assert len(rules["options"]) == 12
    assert client.get("/healthz").json == {"status": "ok"}
    assert client.get("/readyz").json["status"] == "ready"
    assert client.get("/version").json["name"] == "trickbook"


def test_other_addresses_and_methods_are_problems_too(client: FlaskClient) -> None:
    assert client.get("/nothing").json["code"] == "not_found"
    answer = client.delete("/v1/games")
    assert (answer.status_code, answer.json["code"], answer.headers["Allow"]) == (405, "method_not_allowed", "GET, POST")
    assert answer.mimetype == "application/problem+json"
