"""Disputes over HTTP: who may open, read and settle one, repeated requests, limits, and a score put right for everybody."""

import json
import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.canonical import decode
from events.keys import reports as reports_key
from events.redis_client import connect
from events.redis_store import RedisStore
from service.base.entropy import Csprng
from service.base.settings import Settings
from service.games import dispute_reports
from service.games.handler import Games
from service.games.report_store import NoReports, RedisReports
from service.http.app import create_app
from service.jobs.report_request import AskReport
from tests.api.conftest import IDENTITY, OPERATOR, Clock
from tests.api.players import Json, Table, key
from tests.kit.disputes import miscounting, more

CLAIM: Json = {"result": {"north": 12, "winner": "north"}}
OPERATOR_AUTH = {"Authorization": f"Bearer {OPERATOR}"}


def dispute(
    table: Table, by: str | None, idempotency: str | None = None, headers: Json | None = None, **body: Any
) -> TestResponse:
    sent = {"Idempotency-Key": idempotency or key(), **table.auth(by), **(headers or {})}
    return table.client.post(f"/v1/games/{table.game}/disputes", json={"claim": CLAIM, **body}, headers=sent)


def settle(
    table: Table, n: int | str = 1, idempotency: str | None = None, *, auth: Json | None = None, **body: Any
) -> TestResponse:
    sent = {"Idempotency-Key": idempotency or key(), **(OPERATOR_AUTH if auth is None else auth)}
    asked = {"verdict": "rejected", "reason": "The plays make it so.", **body}
    return table.client.post(f"/v1/games/{table.game}/disputes/{n}/settlement", json=asked, headers=sent)


def read(table: Table, path: str = "/disputes", auth: Json | None = None) -> TestResponse:
    return table.client.get(f"/v1/games/{table.game}{path}", headers=auth or {})


def opened(table: Table, seat: str = "south", **body: Any) -> Json:
    answer = dispute(table, seat, **body)
    assert answer.status_code == 201, answer.json
    return answer.json  # type: ignore[no-any-return]


# Opening and reading ----------------------------------------------------------------------------------------------------


def test_a_dispute_is_an_event_with_head_and_receipt_and_its_note_stays_sealed(table: Table) -> None:
    table.play_until("play")
    before = table.view()
    answer = opened(table, note="I bid five!", position="1.b1")
    assert answer["version"] == before["version"] + 1 == answer["receipt"]["seq"]
    assert answer["dispute"]["note"] == "I bid five!"
    assert (answer["dispute"]["n"], answer["dispute"]["seat"], answer["dispute"]["hand"]) == (1, "south", 1)
    after = table.view()
    assert {name: after[name] for name in ("turn", "phase", "trick")} == {
        name: before[name] for name in ("turn", "phase", "trick")
    }
    assert after["disputes"] == [{"n": 1, "seat": "south", "hand": 1, "version": answer["dispute"]["version"]}]
    for seat in (None, "north", "south"):
        shown = table.get(f"/events?after={before['version']}", seat)
        assert b"I bid five" not in shown.data
        assert "sealed" not in shown.json["events"][0]  # type: ignore[index]


@pytest.mark.parametrize("ended", [False, True])
def test_both_players_and_the_operator_read_it_and_nobody_else(client: FlaskClient, ended: bool) -> None:
    table = Table(client, {"max_hands": 1})
    table.play_until("ended" if ended else "play", keep_bids=5)
    opened(table, note="Look at trick 1.")
    for auth in (table.auth("north"), table.auth("south"), OPERATOR_AUTH):
        listed, one = read(table, auth=auth), read(table, "/disputes/1", auth)
        assert listed.json["disputes"] == [one.json["dispute"]]  # type: ignore[index]
        assert one.json["dispute"]["note"] == "Look at trick 1."  # type: ignore[index]
        assert one.json["report"]["ended"] is ended  # type: ignore[index]
    for path in ("/disputes", "/disputes/1"):
        assert read(table, path).status_code == 401
        assert read(table, path, {"Authorization": "Bearer nobodys-token"}).status_code == 401
    assert b"Look at trick" not in table.get("/record", "north").data
    assert read(table, "/disputes/2", OPERATOR_AUTH).json["code"] == "no_such_dispute"  # type: ignore[index]


def test_while_play_goes_on_a_report_shows_a_player_its_own_hand_alone(table: Table) -> None:
    seat = table.play_until("play")["turn"]
    table.move(seat, "play", card=table.view(seat)["you"]["legal"][0]["card"][0])
    opened(table)
    other = "north" if seat == "south" else "south"
    mine, theirs, operators = (
        read(table, "/disputes/1", auth).json["report"]  # type: ignore[index]
        for auth in (table.auth(seat), table.auth(other), OPERATOR_AUTH)
    )
    assert mine["moment"]["held"]["seat"] == seat
    assert "held" not in theirs["moment"]
    assert "held" not in operators["moment"]


def test_the_claim_holds_or_the_report_says_what_the_plays_make(client: FlaskClient) -> None:
    table = Table(client, {"max_hands": 1})
    table.play_out()
    totals = {seat: player["total"] for seat, player in table.view()["seats"].items()}
    opened(table, claim={"result": totals})
    assert read(table, "/disputes/1", OPERATOR_AUTH).json["report"]["claim"]["holds"]  # type: ignore[index]
    opened(table, "north", claim={"hands": [{"hand": 1, "north": {"total": totals["north"] + 12345}}]}, position="1.s")
    report = read(table, "/disputes/2", OPERATOR_AUTH).json["report"]  # type: ignore[index]
    assert not report["claim"]["holds"]
    assert report["claim"]["differences"][0]["hand"] == 1
    assert report["summary"][0].startswith("The claim does not hold")
    assert report["audit"]["verdict"] == "ok"


# Repeats and refusals ---------------------------------------------------------------------------------------------------


def test_a_repeated_key_gets_the_first_answer_again_whatever_has_happened_since(table: Table) -> None:
    table.play_until("play")
    again = key()
    first = dispute(table, "south", again)
    settled_with = key()
    settled = settle(table, idempotency=settled_with)
    assert (first.status_code, settled.status_code) == (201, 201)
    assert "note" not in settled.json["dispute"]  # type: ignore[index]
    table.move(table.turn() or "", "resign")
    for repeat, before in ((dispute(table, "south", again), first), (settle(table, idempotency=settled_with), settled)):
        assert repeat.status_code == 201
        assert repeat.data == before.data
        assert repeat.headers["Idempotency-Replayed"] == "true"
    assert len(read(table, auth=OPERATOR_AUTH).json["disputes"]) == 1  # type: ignore[index]
    assert dispute(table, "south", again, note="other").json["code"] == "key_reused"  # type: ignore[index]
    assert settle(table, idempotency=settled_with, reason="other").json["code"] == "key_reused"  # type: ignore[index]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"claim": {}}, "bad_claim"),
        ({"claim": {"hands": [{"hand": 1}]}}, "bad_claim"),
        ({"claim": {"hands": [{"hand": 1, "north": {"bags": 3}}]}}, "bad_claim"),
        ({"claim": {"hands": [{"hand": 0, "north": {"bags": 3}}]}}, "invalid"),
        ({"claim": {"hands": [{"hand": 1, "north": {"bid": 14}}]}}, "invalid"),
        ({"claim": {"hands": [{"hand": 1, "north": {"bags": "3"}}]}}, "invalid"),
        ({"claim": {"result": {"winner": "Ann"}}}, "invalid"),
        ({"claim": "north=1"}, "invalid"),
        ({"note": "x" * 501}, "invalid"),
        ({"note": "two\nlines"}, "not_json"),
        ({"position": "9.s"}, "invalid"),
        ({"position": ""}, "invalid"),
        ({"seat": "north"}, "invalid"),
    ],
)
def test_what_is_no_dispute_is_refused_with_a_reason_and_nothing_is_written(table: Table, body: Json, code: str) -> None:
    version = table.view()["version"]
    answer = dispute(table, "south", **body)
    assert answer.json["code"] == code, answer.json  # type: ignore[index]
    assert answer.json["detail"]  # type: ignore[index]
    assert table.view()["version"] == version


def test_the_longest_note_is_taken(table: Table) -> None:
    assert opened(table, note="é" * 500)["dispute"]["note"] == "é" * 500


def test_one_open_dispute_a_seat_and_hand_and_twenty_a_game(table: Table) -> None:
    opened(table)
    again = dispute(table, "south")
    assert (again.status_code, again.json["code"]) == (409, "dispute_open")  # type: ignore[index]
    opened(table, "north")
    for n in range(1, 20):
        assert settle(table, n).status_code == 201
        if n < 19:
            opened(table, "south" if n % 2 else "north")
    full = dispute(table, "south")
    assert (full.status_code, full.json["code"]) == (409, "too_many_disputes")  # type: ignore[index]


def test_who_may_not_open_or_settle_is_told_so(client: FlaskClient, table: Table) -> None:
    assert dispute(table, None).status_code == 401
    assert dispute(table, "south", headers=OPERATOR_AUTH).json["code"] == "not_allowed"  # type: ignore[index]
    opened(table)
    for auth, status in ((table.auth("south"), 403), ({}, 401), ({"Authorization": "Bearer x"}, 401)):
        assert settle(table, auth=auth).status_code == status
    lonely = Table(client, join=False)
    assert dispute(lonely, "north").json["code"] == "wrong_phase"  # type: ignore[index]
    no_key = client.post(f"/v1/games/{table.game}/disputes", json={"claim": CLAIM}, headers=table.auth("north"))
    assert no_key.json["code"] == "bad_key"  # type: ignore[index]
    assert table.view()["disputes"] == [{"n": 1, "seat": "south", "hand": 1, "version": 4}]


def test_if_match_is_looked_at_here_too(table: Table) -> None:
    stale = dispute(table, "south", headers={"If-Match": '"1"'})
    assert (stale.status_code, stale.json["code"]) == (412, "version_mismatch")  # type: ignore[index]
    etag = table.get("").headers["ETag"]
    assert dispute(table, "south", headers={"If-Match": etag}).status_code == 201


def test_a_move_made_on_the_table_before_a_dispute_is_told_that_the_game_has_moved_on(table: Table) -> None:
    etag = table.get("", "north").headers["ETag"]
    opened(table)
    late = table.post("north", {"type": "look"}, **{"If-Match": etag})
    assert late.status_code == 412
    table.move("north", "look")


@pytest.mark.parametrize(
    ("body", "code", "status"),
    [
        ({"verdict": "maybe"}, "invalid", 422),
        ({"reason": ""}, "invalid", 422),
        ({"reason": "x" * 501}, "invalid", 422),
        ({"corrections": [{"hand": 1, "seat": "west", "points": 3}]}, "invalid", 422),
        ({"corrections": [{"hand": 1, "seat": "north", "points": 3}]}, "unfounded_correction", 422),
    ],
)
def test_a_settlement_is_refused_whole(table: Table, body: Json, code: str, status: int) -> None:
    opened(table)
    answer = settle(table, **body)
    assert (answer.status_code, answer.json["code"]) == (status, code)  # type: ignore[index]
    assert read(table, auth=OPERATOR_AUTH).json["disputes"][0]["status"] == "open"  # type: ignore[index]
    for n in (2, "x", "01"):
        assert settle(table, n).json["code"] == "no_such_dispute"  # type: ignore[index]
    assert settle(table).status_code == 201
    assert settle(table).json["code"] == "dispute_settled"  # type: ignore[index]


# A score put right ------------------------------------------------------------------------------------------------------


def test_a_wrong_score_is_found_disputed_and_put_right_for_everybody(client: FlaskClient, store: RedisStore) -> None:
    with miscounting(more(1000), "south", (1,)):
        table = Table(client, {"max_hands": 1})
        table.play_out(seed=random.SystemRandom().randrange(10**6))
    assert table.view()["result"]["winner"] == "south"
    assert read(table, "/audit").json["verdict"] == "bad"  # type: ignore[index]
    wrong_total = table.view()["seats"]["south"]["total"]
    opened(table, "north", position="1.s", claim={"result": {"south": wrong_total - 1000}})
    report = read(table, "/disputes/1", OPERATOR_AUTH).json["report"]  # type: ignore[index]
    assert report["claim"]["holds"]
    (wrong,) = report["mistakes"]
    off = settle(table, verdict="upheld", corrections=[{"hand": 1, "seat": "south", "points": wrong["points"] + 1}])
    assert off.json["code"] == "unfounded_correction"  # type: ignore[index]
    settled = settle(table, verdict="upheld", corrections=[{"hand": 1, "seat": "south", "points": wrong["points"]}])
    assert settled.status_code == 201, settled.json
    assert [event["public"]["type"] for event in settled.json["events"]] == ["dispute_settled", "score_corrected"]  # type: ignore[index]
    view = table.view()
    assert view["phase"] == "ended"
    assert view["seats"]["south"]["total"] == wrong_total - 1000
    assert view["result"]["corrected"] is True
    assert "disputes" not in view
    sheet = table.get("/scoresheet").json
    assert sheet["totals"]["south"] == wrong_total - 1000  # type: ignore[index]
    assert sheet["corrections"][0]["why"] == "The plays make it so."  # type: ignore[index]
    audit = read(table, "/audit").json
    assert (audit["verdict"], [note["code"] for note in audit["notes"]]) == ("ok", ["score_mended"])  # type: ignore[index]
    assert read(table, "/disputes/1", OPERATOR_AUTH).json["report"]["mistakes"] == []  # type: ignore[index]
    by = decode(store.everything(table.game)[-1].by)
    assert by["seat"] == "house"
    header = json.loads(table.get("/record").data.split(b"\n", 1)[0])
    assert header["events"] == view["version"]


# Reports that are kept --------------------------------------------------------------------------------------------------


@pytest.fixture
def kept(make_app: Callable[..., Flask], store: RedisStore, clock: Clock) -> Any:
    """The table of an app that keeps its reports, and notes what it asked for."""
    asked: list[tuple[str, int]] = []
    app = create_app(
        Games(store, IDENTITY, clock, Csprng()),
        Settings(create_limit=0, operator_token=OPERATOR),
        reports=RedisReports(store.client),
        ask_report=lambda game, n: asked.append((game, n)),
    )
    return Table(app.test_client(), {"max_hands": 1}), asked


def test_a_report_is_kept_beside_the_game_and_used_while_it_is_for_the_log_as_it_is(kept: Any, store: RedisStore) -> None:
    table, asked = kept
    table.play_until("play")
    again = key()
    dispute(table, "south", again)
    dispute(table, "south", again)
    assert asked == [(table.game, 1)]
    first = read(table, "/disputes/1", OPERATOR_AUTH).json["report"]
    raw = store.client.hget(reports_key(table.game), "1")
    stored = msgspec.json.decode(raw)
    assert stored["report"] == first
    marked = msgspec.json.encode(stored | {"report": first | {"summary": ["as it was kept"]}})
    store.client.hset(reports_key(table.game), "1", marked)
    seat = table.turn()
    table.move(seat, "play", card=table.view(seat)["you"]["legal"][0]["card"][0])
    assert read(table, "/disputes/1", OPERATOR_AUTH).json["report"]["summary"] == ["as it was kept"]
    table.move("north", "resign")
    assert read(table, "/disputes/1", OPERATOR_AUTH).json["report"]["ended"]


def test_a_report_is_made_twice_without_harm_and_a_damaged_one_is_made_again(
    kept: Any, store: RedisStore, clock: Clock
) -> None:
    table, _ = kept
    table.play_out()
    opened(table)
    games, reports = Games(store, IDENTITY, clock, Csprng()), RedisReports(store.client)
    assert dispute_reports.make(games, reports, table.game, 1) == dispute_reports.make(games, reports, table.game, 1)
    with pytest.raises(LookupError):
        dispute_reports.make(games, NoReports(), table.game, 2)
    store.client.hset(reports_key(table.game), "1", b"{")
    assert read(table, "/disputes/1", OPERATOR_AUTH).status_code == 200


def test_without_the_server_for_work_a_dispute_is_opened_and_read_all_the_same(store: RedisStore, clock: Clock) -> None:
    away = connect("redis://127.0.0.1:1/0")
    games = Games(store, IDENTITY, clock, Csprng())
    chosen = Settings(create_limit=0, operator_token=OPERATOR)
    app = create_app(games, chosen, reports=RedisReports(away), ask_report=AskReport(away))
    table = Table(app.test_client())
    opened(table)
    assert read(table, "/disputes/1", OPERATOR_AUTH).status_code == 200
