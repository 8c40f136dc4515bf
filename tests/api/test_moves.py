"""Moves (design §4): the fixed order of the checks, idempotency by the log itself, stable codes, nothing half done."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from events.memory import MemoryStore
from tests.api.conftest import OPERATOR, Clock
from tests.api.players import Table, key


def codes(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]


def test_a_move_answers_with_its_events_the_view_and_a_receipt(table: Table) -> None:
    answer = table.post("north", {"type": "look"})
    assert answer.status_code == 201
    body = answer.json
    assert [event["public"]["type"] for event in body["events"]] == ["looked"]
    assert body["version"] == body["view"]["version"] == body["receipt"]["seq"] == 5
    assert body["events"][-1]["head"] == body["receipt"]["head"] == body["view"]["head"]
    assert body["view"]["you"]["drawn"]
    assert answer.headers["ETag"] == f'"5.{body["view"]["head"]}"'
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["Vary"] == "Authorization"


def test_a_keep_is_one_commit_of_two_events_and_shows_its_owner_one_card(table: Table) -> None:
    drawn = table.move("north", "look")["view"]["you"]["drawn"]
    kept, discarded = table.move("north", "keep")["events"]
    assert kept["sealed"]["data"] == {"card": drawn}
    assert "sealed" not in discarded  # second_card is hidden
    assert "receipt" not in kept
    assert discarded["receipt"]["seq"] == 7


def test_with_the_second_card_seen_its_drawer_gets_it(client: FlaskClient) -> None:
    table = Table(client, {"second_card": "seen"})
    table.move("north", "look")
    _, discarded = table.move("north", "keep")["events"]
    assert discarded["sealed"]["owner"] == "north"


# The order of the checks: each request is wrong in two ways, and the earlier check speaks.


def test_size_is_judged_before_the_media_type(table: Table) -> None:
    answer = table.client.post(f"/v1/games/{table.game}/moves", data=b"x" * 4097, content_type="text/plain")
    assert codes(answer) == (413, "too_large")
    answer = table.client.post(f"/v1/games/{table.game}/moves", data=b"x" * 4096, content_type="text/plain")
    assert codes(answer) == (415, "wrong_media_type")


def test_the_media_type_is_judged_before_the_game(client: FlaskClient) -> None:
    answer = client.post("/v1/games/0000000000000000/moves", data=b"{}", content_type="text/plain")
    assert codes(answer) == (415, "wrong_media_type")


def test_the_game_is_judged_before_the_token(client: FlaskClient) -> None:
    for game in ("0000000000000000", "no-such-game", "ILOU567890123456"):
        assert codes(client.post(f"/v1/games/{game}/moves", json={})) == (404, "no_such_game")


def test_the_token_is_judged_before_the_json(table: Table) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic dTpw"}, {"Authorization": "Bearer"}):
        answer = table.client.post(f"/v1/games/{table.game}/moves", data=b"{", content_type="application/json", headers=headers)
        assert codes(answer) == (401, "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


NO_JSON = [
    *(b"", b"{", b"[]", b'"x"', b'{"type":"look","type":"keep"}', b'{"a":1.0}', b'{"a":NaN}', b'{"a":null}', b"\xff"),
    *(b'{"a":1}x', b'{"a":' + b"[" * 2000 + b"]" * 2000 + b"}", b'{"a":' + b"9" * 4000 + b"}", b'{"a":"\\ud800"}'),
    b"\xef\xbb\xbf{}",
]


@pytest.mark.parametrize("raw", NO_JSON)
def test_what_is_not_json_of_the_profile_is_a_400_before_the_key_is_looked_at(table: Table, raw: bytes) -> None:
    headers = {**table.auth("north"), "Idempotency-Key": "bad"}
    answer = table.client.post(f"/v1/games/{table.game}/moves", data=raw, content_type="application/json", headers=headers)
    assert codes(answer) == (400, "not_json")


def test_json_may_be_written_in_any_spelling_of_the_profile(table: Table) -> None:
    raw = b' {\n "type" : "\\u006cook" }\n'
    headers = {**table.auth("north"), "Idempotency-Key": key(), "Content-Type": "application/json; charset=utf-8"}
    assert table.client.post(f"/v1/games/{table.game}/moves", data=raw, headers=headers).status_code == 201


@pytest.mark.parametrize(
    "bad", ["", "short", "a" * 21, "a" * 129, "with space with space with space", "1234567890123456789012=", "é" * 22]
)
def test_the_key_is_judged_before_the_schema(table: Table, bad: str) -> None:
    headers = {**table.auth("north"), "Idempotency-Key": bad}
    answer = table.client.post(f"/v1/games/{table.game}/moves", json={"type": "fly"}, headers=headers)
    assert codes(answer) == (400, "bad_key")


def test_a_move_without_a_key_is_refused(table: Table) -> None:
    answer = table.client.post(f"/v1/games/{table.game}/moves", json={"type": "look"}, headers=table.auth("north"))
    assert codes(answer) == (400, "bad_key")


def test_the_schema_is_judged_before_if_match(table: Table) -> None:
    assert codes(table.post("north", {"type": "fly"}, **{"If-Match": '"1"'})) == (422, "invalid")


def test_if_match_is_judged_before_the_turn(table: Table) -> None:
    assert codes(table.post("south", {"type": "look"}, **{"If-Match": '"1"'})) == (412, "version_mismatch")


def test_the_turn_is_judged_before_the_legality(table: Table) -> None:
    view = table.play_until("play")
    waiting = "north" if view["turn"] == "south" else "south"
    assert codes(table.post(waiting, {"type": "play", "card": view["you"]["hand"][0]})) == (409, "not_your_turn")


# Types: everything that is no card, no number, no list.


@pytest.mark.parametrize("tricks", [True, "3", -1, 14, [3], {}, 10**15])
def test_what_is_no_bid_is_refused_and_writes_nothing(client: FlaskClient, tricks: object) -> None:
    table = Table(client)
    version = table.play_until("bidding")["version"]
    assert table.post(table.turn(), {"type": "bid", "tricks": tricks}).status_code == 422
    assert table.view()["version"] == version


@pytest.mark.parametrize("raw", [b"3.0", b"NaN", b"null", b"1e1", b"Infinity", b"03"])
def test_what_is_no_integer_is_refused_and_writes_nothing(client: FlaskClient, raw: bytes) -> None:
    table = Table(client)
    version = table.play_until("bidding")["version"]
    headers = {**table.auth(table.turn()), "Idempotency-Key": key(), "Content-Type": "application/json"}
    body = b'{"type":"bid","tricks":' + raw + b"}"
    assert table.client.post(f"/v1/games/{table.game}/moves", data=body, headers=headers).status_code == 400
    assert table.view()["version"] == version


def test_a_bid_without_a_number_is_refused(client: FlaskClient) -> None:
    table = Table(client)
    table.play_until("bidding")
    answer = table.post(table.turn(), {"type": "bid"})
    assert codes(answer) == (422, "invalid")
    assert "tricks" in answer.json["detail"]


def test_bids_of_0_and_13_are_taken(client: FlaskClient) -> None:
    table = Table(client)
    table.play_until("bidding")
    for tricks in (0, 13):
        table.move(table.turn(), "bid", tricks=tricks)


@pytest.mark.parametrize("card", ["10S", "s2", "QS ", "QS\\n", "", "x" * 3_000, 5, ["QS"], "qs", "♠Q"])
def test_what_is_no_card_is_refused(client: FlaskClient, card: object) -> None:
    table = Table(client)
    version = table.play_until("play")["version"]
    assert codes(table.post(table.turn(), {"type": "play", "card": card})) == (422, "invalid")
    assert table.view()["version"] == version


@pytest.mark.parametrize(
    "body", [{}, {"type": 1}, {"type": "look", "extra": 1}, {"type": "reveal", "bytes": "0" * 63}, {"type": "exchange"},
             {"type": "exchange", "discard": ["2C"] * 4}, {"type": "exchange", "discard": "2C"}, {"type": []}],
)  # fmt: skip
def test_what_is_no_move_is_refused(table: Table, body: dict[str, object]) -> None:
    assert codes(table.post("north", body)) == (422, "invalid")


# Idempotency


def test_the_same_key_gets_the_first_answer_byte_for_byte_also_out_of_turn_and_after_the_end(table: Table) -> None:
    one = key()
    first = table.post("north", {"type": "look"}, one)
    table.move("north", "keep")
    second = table.post("north", {"type": "look"}, one)
    table.play_until("bidding")
    table.post("south", {"type": "resign"})
    third = table.post("north", {"type": "look"}, one, **{"If-Match": '"1"'})
    assert first.data == second.data == third.data
    assert first.status_code == second.status_code == third.status_code == 201
    assert [answer.headers.get("Idempotency-Replayed") for answer in (first, second, third)] == [None, "true", "true"]
    assert first.headers["ETag"] == third.headers["ETag"]


def test_another_process_gives_the_same_first_answer(table: Table, make_app: Callable[..., Flask]) -> None:
    one = key()
    first = table.post("north", {"type": "look"}, one)
    table.move("north", "keep")
    table.client = make_app().test_client()
    assert table.post("north", {"type": "look"}, one).data == first.data


def test_a_key_with_another_body_is_refused_and_the_same_in_another_spelling_is_the_same(table: Table) -> None:
    one = key()
    table.post("north", {"type": "look"}, one)
    assert codes(table.post("north", {"type": "keep"}, one)) == (422, "key_reused")
    raw = b'{ "type" : "look" }'
    headers = {**table.auth("north"), "Idempotency-Key": one, "Content-Type": "application/json"}
    assert table.client.post(f"/v1/games/{table.game}/moves", data=raw, headers=headers).status_code == 201


def test_the_same_key_of_the_other_seat_or_in_another_game_is_independent(client: FlaskClient) -> None:
    one, first, second = key(), Table(client), Table(client)
    assert first.post("north", {"type": "look"}, one).status_code == 201
    first.move("north", "keep")
    assert first.post("south", {"type": "look"}, one).status_code == 201
    assert second.post("north", {"type": "look"}, one).status_code == 201


def test_the_same_request_many_times_at_once_is_one_event_and_one_answer(table: Table, make_app: Callable[..., Flask]) -> None:
    apps = [make_app() for _ in range(4)]
    one = key()

    def send(app: Flask) -> Any:
        other = object.__new__(Table)
        other.__dict__.update(table.__dict__, client=app.test_client())
        return other.post("north", {"type": "look"}, one)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, apps * 4))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.data for answer in answers}) == 1
    assert sum(answer.headers.get("Idempotency-Replayed") is None for answer in answers) == 1
    assert table.view()["version"] == 5


def test_keep_sent_twice_with_two_keys_uses_no_card_of_the_stock(table: Table) -> None:
    table.move("north", "look")
    table.move("north", "keep")
    before = table.view()
    assert codes(table.post("north", {"type": "keep"})) == (409, "not_your_turn")
    assert table.view() == before


def test_a_refusal_is_not_remembered(table: Table) -> None:
    one = key()
    assert codes(table.post("south", {"type": "look"}, one)) == (409, "not_your_turn")
    table.move("north", "look")
    table.move("north", "keep")
    assert table.post("south", {"type": "look"}, one).status_code == 201


# If-Match


def test_two_writers_with_the_same_if_match_make_one_event_and_one_412(table: Table) -> None:
    table.move("north", "look")
    first = table.post("north", {"type": "keep"}, **{"If-Match": '"5"'})
    second = table.post("north", {"type": "pass"}, **{"If-Match": '"5"'})
    assert first.status_code == 201
    assert codes(second) == (412, "version_mismatch")
    assert second.json["version"] == 7
    assert table.view()["version"] == 7


def test_if_match_takes_a_version_or_the_whole_etag_and_nothing_else(table: Table) -> None:
    etag = table.get("", "north").headers["ETag"]
    other = etag[:-2] + ("0" if etag[-2] != "0" else "1") + '"'
    assert codes(table.post("north", {"type": "look"}, **{"If-Match": other})) == (412, "version_mismatch")
    for bad in ("4", 'W/"4"', '"04"', '"4", "5"', '"x"'):
        assert codes(table.post("north", {"type": "look"}, **{"If-Match": bad})) == (400, "bad_if_match")
    assert table.post("north", {"type": "look"}, **{"If-Match": etag}).status_code == 201


# Refusals that tell a person what is wrong


def test_must_follow_suit_names_the_suit_led_and_nothing_of_the_other_hand(client: FlaskClient) -> None:
    for seed in range(1, 40):
        table = Table(client)
        table.play_until("play", seed)
        view = table.view(table.turn())
        led = view["you"]["legal"][0]["card"][0]
        table.move(view["turn"], "play", card=led)
        view = table.view(table.turn())
        legal = view["you"]["legal"][0]["card"]
        wrong = [card for card in view["you"]["hand"] if card not in legal]
        if not wrong:
            continue
        answer = table.post(view["turn"], {"type": "play", "card": wrong[0]})
        assert codes(answer) == (422, "must_follow_suit")
        suit = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}[led[1]]
        assert answer.json["detail"].startswith(f"{suit} were led")
        assert table.view()["version"] == view["version"]
        assert table.post(view["turn"], {"type": "play", "card": legal[0]}).status_code == 201
        return
    pytest.fail("no game in which a suit had to be followed")


def test_a_card_not_held_is_refused_whoever_holds_it(client: FlaskClient) -> None:
    table = Table(client)
    table.play_until("play")
    seat = table.turn()
    mine, theirs = (table.view(each)["you"]["hand"] for each in (seat, "north" if seat == "south" else "south"))
    details = {table.post(seat, {"type": "play", "card": card}).json["detail"].replace(card, "?") for card in theirs}
    assert details == {"? is not in your hand"}
    gone = next(c for c in ("2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C") if c not in mine + theirs)
    assert table.post(seat, {"type": "play", "card": gone}).json["detail"] == f"{gone} is not in your hand"


def test_moves_out_of_phase_say_what_is_on(table: Table) -> None:
    answer = table.post("north", {"type": "bid", "tricks": 3})
    assert codes(answer) == (409, "wrong_phase")
    assert "draft" in answer.json["detail"]
    table.move("north", "look")
    answer = table.post("north", {"type": "double_nil"})
    assert codes(answer) == (409, "wrong_phase")
    assert "before the first card" in answer.json["detail"]


def test_nothing_is_moved_before_the_other_seat_is_taken_but_resigning(client: FlaskClient) -> None:
    table = Table(client, join=False)
    assert codes(table.post("north", {"type": "look"})) == (409, "wrong_phase")
    view = table.move("north", "resign")["view"]
    assert view["result"] == {"reason": "abandoned", "by": "north"}
    joined = client.post(f"/v1/games/{table.game}/join", json={"name": "Bo", "invite": table.invite})
    assert codes(joined) == (409, "game_over")


def test_after_the_end_every_move_is_refused_and_the_last_trick_can_still_be_read(client: FlaskClient) -> None:
    table = Table(client, {"target": 50})
    view = table.play_out()
    assert view["last_trick"]["number"] == 13
    for seat in ("north", "south"):
        assert codes(table.post(seat, {"type": "play", "card": "2C"})) == (409, "game_over")
        assert codes(table.post(seat, {"type": "resign"})) == (409, "game_over")


def test_the_operator_and_a_spectator_make_no_moves(table: Table) -> None:
    headers = {"Authorization": f"Bearer {OPERATOR}", "Idempotency-Key": key()}
    path = f"/v1/games/{table.game}/moves"
    assert codes(table.client.post(path, json={"type": "look"}, headers=headers)) == (403, "not_allowed")
    assert codes(table.post(None, {"type": "look"})) == (401, "unauthorized")


def test_a_token_of_another_game_is_none(client: FlaskClient) -> None:
    first, second = Table(client), Table(client)
    first.tokens["north"] = second.tokens["north"]
    assert codes(first.post("north", {"type": "look"})) == (401, "unauthorized")
    assert first.get("", "north").status_code == 401


def test_a_turn_limit_is_claimed_by_the_other_seat_when_it_is_over_and_not_before(
    make_app: Callable[..., Flask], clock: Clock
) -> None:
    client = make_app(MemoryStore(clock.now)).test_client()
    table = Table(client, {"turn_seconds": 60})
    deadline = table.view()["deadline"]
    assert deadline == clock.time + 60_000
    assert codes(table.post("south", {"type": "claim_timeout"})) == (409, "no_timeout")
    clock.time = deadline - 1
    assert codes(table.post("south", {"type": "claim_timeout"})) == (409, "no_timeout")
    clock.time = deadline
    assert codes(table.post("north", {"type": "claim_timeout"})) == (409, "no_timeout")
    result = table.move("south", "claim_timeout")["view"]["result"]
    assert result == {"reason": "timed_out", "winner": "south", "by": "north"}


def test_a_move_accepted_after_the_limit_but_before_the_claim_stands(client: FlaskClient, clock: Clock) -> None:
    table = Table(client, {"turn_seconds": 60})
    clock.time += 90_000
    table.move("north", "look")
    assert codes(table.post("south", {"type": "claim_timeout"})) == (409, "no_timeout")


def test_a_claim_in_a_game_without_a_limit_is_refused(table: Table, clock: Clock) -> None:
    clock.time += 10**9
    assert codes(table.post("south", {"type": "claim_timeout"})) == (409, "no_timeout")


def test_time_in_the_log_never_goes_back_when_the_clock_does(table: Table, clock: Clock) -> None:
    first = table.move("north", "look")["events"][0]["public"]["at"]
    clock.time -= 3_600_000
    assert table.move("north", "keep")["events"][0]["public"]["at"] == first
