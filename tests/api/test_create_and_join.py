"""Creating and joining (design §3, §4): what is answered, to whom it is answered again, and what is refused."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from events.keys import is_game_id
from events.receipts import Receipt, verified
from events.types import ServerKey, data_of
from service.base.identity import invite_hash, token_hash
from tests.api.conftest import IDENTITY, Clock
from tests.api.players import Table, key


def test_create_answers_with_game_token_invite_key_view_and_receipt(client: FlaskClient) -> None:
    answer = client.post("/v1/games", json={"name": "Ann", "rules": {"target": 300}, "first": "south"})
    assert answer.status_code == 201
    body = answer.json
    assert is_game_id(body["game"])
    assert body["seat"] == "north"
    assert body["version"] == 2
    assert body["view"]["phase"] == "waiting"
    assert body["view"]["rules"]["target"] == 300
    receipt = data_of(Receipt, body["receipt"])
    assert verified(receipt, data_of(ServerKey, body["server_key"]))
    assert answer.headers["ETag"] == f'"2.{body["view"]["head"]}"'


def test_the_invite_pins_the_head_after_event_2_and_the_key(client: FlaskClient) -> None:
    made = Table(client, join=False).created
    secret, head, signing_key = made["invite"].split(".")
    assert invite_hash(secret)
    assert (head, signing_key) == (made["view"]["head"], made["server_key"]["id"])
    assert made["invite_link"] == f"http://localhost/g/{made['game']}#join={made['invite']}"


def test_the_game_id_and_the_tokens_follow_from_the_keys(client: FlaskClient) -> None:
    name = key()
    made = client.post("/v1/games", json={"name": "Ann"}, headers={"Idempotency-Key": name}).json
    assert made["game"] == IDENTITY.game(name.encode())
    assert made["token"] == IDENTITY.token("north", made["game"], name.encode())


def test_only_hashes_of_token_and_invite_are_in_the_store(table: Table, store: object) -> None:
    commits = store.read(table.game)  # type: ignore[attr-defined]
    raw = b"".join(part for commit in commits for e in commit.events for part in (e.public, e.sealed or b"", commit.by))
    assert table.tokens["north"].encode() not in raw
    assert table.invite.split(".")[0].encode() not in raw
    assert token_hash(table.tokens["north"]).encode() in raw


def test_the_whole_invite_or_its_secret_part_alone_lets_one_in(client: FlaskClient) -> None:
    for cut in (lambda invite: invite, lambda invite: invite.split(".")[0]):
        table = Table(client, join=False)
        answer = client.post(f"/v1/games/{table.game}/join", json={"name": "Bo", "invite": cut(table.invite)})
        assert answer.status_code == 201
        assert answer.json["seat"] == "south"
        assert answer.json["view"]["phase"] == "draft"


def test_join_with_a_wrong_invite_is_not_allowed_and_changes_nothing(client: FlaskClient) -> None:
    table = Table(client, join=False)
    answer = client.post(f"/v1/games/{table.game}/join", json={"name": "Bo", "invite": Table(client).invite})
    assert (answer.status_code, answer.json["code"]) == (403, "not_allowed")
    assert table.view()["version"] == 2


def test_the_second_to_come_finds_the_seat_taken(table: Table) -> None:
    answer = table.client.post(f"/v1/games/{table.game}/join", json={"name": "Cy", "invite": table.invite})
    assert (answer.status_code, answer.json["code"]) == (409, "seat_taken")


def test_create_and_join_with_the_same_key_get_the_first_answer_byte_for_byte(client: FlaskClient) -> None:
    one = key()
    first, again = (client.post("/v1/games", json={"name": "Ann"}, headers={"Idempotency-Key": one}) for _ in range(2))
    assert first.data == again.data
    assert (first.headers.get("Idempotency-Replayed"), again.headers["Idempotency-Replayed"]) == (None, "true")
    two, body = key(), {"name": "Bo", "invite": first.json["invite"]}
    path = f"/v1/games/{first.json['game']}/join"
    joined, rejoined = (client.post(path, json=body, headers={"Idempotency-Key": two}) for _ in range(2))
    assert joined.data == rejoined.data
    assert client.post("/v1/games", json={"name": "Ann"}, headers={"Idempotency-Key": one}).data == first.data


def test_the_token_is_given_again_only_while_the_seat_has_not_moved(client: FlaskClient) -> None:
    one = key()
    made = client.post("/v1/games", json={"name": "Ann"}, headers={"Idempotency-Key": one}).json
    joined = client.post(f"/v1/games/{made['game']}/join", json={"name": "Bo", "invite": made["invite"]})
    assert joined.status_code == 201
    headers = {"Authorization": f"Bearer {made['token']}", "Idempotency-Key": key()}
    assert client.post(f"/v1/games/{made['game']}/moves", json={"type": "look"}, headers=headers).status_code == 201
    again = client.post("/v1/games", json={"name": "Ann"}, headers={"Idempotency-Key": one})
    assert (again.status_code, again.json["code"]) == (409, "already_joined")
    assert made["token"] not in again.text


def test_the_token_is_given_again_for_ten_minutes_only(client: FlaskClient, clock: Clock) -> None:
    one = {"Idempotency-Key": key()}
    assert client.post("/v1/games", json={"name": "Ann"}, headers=one).status_code == 201
    clock.time += 10 * 60 * 1000
    assert client.post("/v1/games", json={"name": "Ann"}, headers=one).status_code == 201
    clock.time += 1
    assert client.post("/v1/games", json={"name": "Ann"}, headers=one).json["code"] == "already_joined"


def test_a_create_key_with_another_body_is_refused(client: FlaskClient) -> None:
    one = {"Idempotency-Key": key()}
    assert client.post("/v1/games", json={"name": "Ann"}, headers=one).status_code == 201
    other = client.post("/v1/games", json={"name": "Bea"}, headers=one)
    assert (other.status_code, other.json["code"]) == (422, "key_reused")


def test_another_process_gives_the_same_first_answer(make_app: Callable[..., Flask]) -> None:
    one = {"Idempotency-Key": key()}
    answers = [make_app().test_client().post("/v1/games", json={"name": "Ann"}, headers=one).data for _ in range(2)]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "a" * 25,
        " Ann",
        "Ann ",
        "An  n",
        "<svg/onload=alert()>",
        "\u001b[2J",
        "\u202eevil",
        "=HYPERLINK(1)",
        "a\nb",
        "🂡",
    ],
)
def test_names_that_are_none_are_refused(client: FlaskClient, name: str) -> None:
    answer = client.post("/v1/games", json={"name": name})
    assert answer.status_code in (400, 422)
    assert answer.json["code"] in ("invalid", "not_json")


@pytest.mark.parametrize("name", ["A", "a" * 24, "Ana é", "Łukasz_1", "O'Brien-Smith Jr.", "李雷"])
def test_names_of_letters_digits_and_marks_are_taken(client: FlaskClient, name: str) -> None:
    assert client.post("/v1/games", json={"name": name}).json["view"]["seats"]["north"]["name"] == name


def test_a_name_is_stored_in_nfc(client: FlaskClient) -> None:
    assert client.post("/v1/games", json={"name": "Ana e\u0301"}).json["view"]["seats"]["north"]["name"] == "Ana é"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": 1},
        {"name": "Ann", "rules": {"target": 49}},
        {"name": "Ann", "rules": {"target": 10001}},
        {"name": "Ann", "rules": {"target": True}},
        {"name": "Ann", "rules": {"target": "500"}},
        {"name": "Ann", "rules": {"unknown": 1}},
        {"name": "Ann", "rules": {"failed_nil": "maybe"}},
        {"name": "Ann", "rules": []},
        {"name": "Ann", "first": "west"},
        {"name": "Ann", "contribution": "0" * 63},
        {"name": "Ann", "contribution": "G" * 64},
        {"name": "Ann", "listed": 1},
        {"name": "Ann", "listed": "true"},
        {"name": "Ann", "listed": True, "opponent": "house"},
        {"name": "Ann", "opponent_name": "Ann"},
        {"name": "Ann", "opponent_name": ""},
        {"name": "Ann", "after": "x"},
        {"name": "Ann", "opponent": "mars"},
    ],
)
def test_what_cannot_be_created_is_refused_with_the_field(client: FlaskClient, body: dict[str, object]) -> None:
    answer = client.post("/v1/games", json=body)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid")
    assert answer.json["errors"]


def test_creating_is_limited_by_address_and_moves_never_are(make_app: Callable[..., Flask]) -> None:
    client = make_app(create_limit=3).test_client()
    table = Table(client)
    answers = [client.post("/v1/games", json={"name": "Ann"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert answers[-1].json["code"] == "too_many_requests"
    for _ in range(10):
        assert table.post("north", {"type": "keep"}).status_code == 409


def test_the_address_is_that_of_the_connection_unless_a_trusted_proxy_says_otherwise(make_app: Callable[..., Flask]) -> None:
    import ipaddress

    plain = make_app(create_limit=1).test_client()
    statuses = [
        plain.post("/v1/games", json={"name": "A"}, headers={"X-Forwarded-For": f"10.0.0.{i}"}).status_code for i in (1, 2)
    ]
    assert statuses == [201, 429]
    behind = make_app(create_limit=1, trusted_proxies=(ipaddress.ip_network("127.0.0.0/8"),)).test_client()
    statuses = [
        behind.post("/v1/games", json={"name": "A"}, headers={"X-Forwarded-For": f"10.0.0.{i}"}).status_code for i in (1, 2, 2)
    ]
    assert statuses == [201, 201, 429]


@pytest.mark.parametrize("header", ['"1"', "no ETag"])
def test_an_if_match_is_for_seats_and_changes_neither_a_create_nor_a_join(client: FlaskClient, header: str) -> None:
    made = client.post("/v1/games", json={"name": "Ann"}, headers={"If-Match": header})
    assert made.status_code == 201
    body = {"name": "Bo", "invite": made.json["invite"]}
    joined = client.post(f"/v1/games/{made.json['game']}/join", json=body, headers={"If-Match": header})
    assert joined.status_code == 201
