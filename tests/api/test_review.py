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


def test_the_replay_opens_at_a_position_with_the_whole_hand_it_lies_in(ended: Table) -> None:
    whole = ended.get("/replay").json
    versions = {step["position"]: step["version"] for step in whole["steps"]}
    assert (whole["hands"], whole["version"]) == (ended.view()["hand"], ended.view()["version"])
    wanted = {"1.5.1": "1.5.1", "1.5": "1.5.2", "1.d7": "1.d7", "1.b2": "1.b2", "1.s": "1.s"}
    for position, shown in wanted.items():
        answer = ended.get(f"/replay?at={position}").json
        assert answer["at"] == versions[shown]
        assert answer["steps"] == ended.get("/replay?hand=1").json["steps"]
    beginning = ended.get("/replay?at=1").json
    assert (beginning["at"], beginning["steps"][0]["type"]) == (beginning["steps"][0]["version"], "hand_started")
    before = ended.get("/replay?at=v1").json
    assert [step["type"] for step in before["steps"]] == ["game_created", "player_joined", "player_joined"]
    assert before["steps"] == ended.get("/replay?hand=0").json["steps"]
    missing = ended.get("/replay?at=1.14").json
    assert (missing["code"], missing["detail"].split(":")[0]) == ("no_such_position", "this game has no 1.14")


def test_a_step_shows_the_table_as_everybody_saw_it_and_how_it_is_told_with_a_hand_face_down(ended: Table) -> None:
    steps = {step["position"]: step for step in ended.get("/replay?hand=1").json["steps"]}
    lead, taken = steps["1.3.1"], steps["1.3.2"]
    assert [played["card"] for played in lead["table"]["trick"]["cards"]] == [lead["text"].split()[-1]]
    assert taken["table"]["last_trick"]["winner"] == taken["trick"]["winner"]
    assert taken["table"]["seats"]["north"]["cards"] == 10
    drafted = steps["1.d3"]
    assert drafted["covered"]["seat"] == drafted["text"].split()[0]
    shown = [card for card in drafted["text"].replace(",", "").split() if card in drafted["hands"]["north"]]
    assert shown
    assert not any(card in drafted["covered"]["text"] for card in shown)
    assert not any("Legal" in sentence for sentence in lead["covered"]["why"])
    assert drafted["moved"]["to_hand"] == shown
    assert len(drafted["moved"]["to_pile"]) == 1
    assert drafted["drawn"]["seat"] == drafted["table"]["turn"]


def test_a_score_names_the_bids_and_tricks_it_rests_on(ended: Table) -> None:
    step = next(step for step in ended.get("/replay?hand=1").json["steps"] if step["position"] == "1.s")
    assert step["why"] == ended.get("/explain/1.s").json["sentences"]
    assert " at 1.b" in step["why"][3] + step["why"][4]


def test_a_running_game_is_replayed_with_what_the_reader_may_know(client: FlaskClient) -> None:
    table = Table(client)
    table.play_until("play")
    own = table.get("/replay?hand=1", "north").json["steps"][-1]
    assert own["hands"] == {"north": table.view("north")["you"]["hand"]}
    spectator = table.get("/replay?hand=1").json["steps"]
    assert [step["hands"] for step in spectator] == [{}] * len(spectator)
    assert not any({"covered", "discarded", "drawn", "legal", "moved"} & step.keys() for step in spectator)


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
