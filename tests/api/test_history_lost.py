"""A store restored to an older copy (design §3): the games that had gone on are frozen, nothing forks, the others go on."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from events.redis_store import RedisStore
from tests.api.players import Table, key
from tests.kit.servers import Servers


def test_a_game_that_had_gone_on_is_frozen_after_an_older_copy_was_restored(
    servers: Servers, make_app: Callable[..., Flask]
) -> None:
    server = servers.start()
    store = RedisStore(server.url)
    client = make_app(store).test_client()
    going_on, resting = Table(client), Table(client)
    older = server.copy("older")
    going_on.move("north", "look")
    lost: Any = going_on.move("north", "keep")
    newest = server.copy("newest")
    server.restore(older)

    answer = going_on.post("south", {"type": "look"})
    assert (answer.status_code, answer.json["code"], answer.json["version"]) == (409, "history_lost", 4)
    for _ in range(2):  # nothing is appended, whoever asks and whatever is known
        assert going_on.post("north", {"type": "look"}).json["code"] == "history_lost"
    other = make_app(RedisStore(server.url)).test_client()
    path = f"/v1/games/{going_on.game}/moves"
    headers = {**going_on.auth("north"), "Idempotency-Key": "a" * 22}
    assert other.post(path, json={"type": "look"}, headers=headers).json["code"] == "history_lost"
    assert going_on.view()["version"] == 4
    proof = store.frozen(going_on.game)
    assert proof is not None
    assert (proof.version, proof.head) == (lost["version"], lost["view"]["head"])
    assert str(lost["receipt"]["signature"]) in proof.receipt
    resting.move("north", "look")

    server.restore(newest)
    assert going_on.view()["version"] == lost["version"]
    going_on.move("south", "look")
    store.close()


def test_a_log_carried_on_by_somebody_who_knew_no_better_is_not_joined(
    servers: Servers, make_app: Callable[..., Flask]
) -> None:
    server = servers.start()
    store = RedisStore(server.url)
    knows = make_app(store).test_client()
    table = Table(knows)
    older = server.copy("older")
    table.move("north", "look")
    server.restore(older)
    table.client = make_app(RedisStore(server.url)).test_client()  # a process that started after the restore
    table.move("north", "double_nil")
    table.move("north", "keep")
    table.client = knows
    shown = table.get().json
    assert (shown["version"], shown["frozen"]) == (7, {"version": 5})
    assert table.post("south", {"type": "look"}).json["code"] == "history_lost"
    store.close()


@pytest.mark.parametrize("ask", ["the last key", "an older key", "a key whose entry is left", "a refused move", "a dispute"])
def test_nothing_is_vouched_for_from_the_cache_after_an_older_copy_was_restored(
    servers: Servers, make_app: Callable[..., Flask], ask: str
) -> None:
    server = servers.start()
    store = RedisStore(server.url)
    table = Table(make_app(store).test_client())
    early, one, last = key(), key(), key()
    table.post("north", {"type": "look"}, early)
    older = server.copy("older")
    table.post("north", {"type": "keep"}, one)
    table.post("south", {"type": "look"}, last)
    server.restore(older)
    match ask:
        case "the last key":
            answer = table.post("south", {"type": "look"}, last)
        case "an older key":
            answer = table.post("north", {"type": "keep"}, one)
        case "a key whose entry is left":
            answer = table.post("north", {"type": "look"}, early)
        case "a refused move":
            answer = table.post("north", {"type": "look"})
        case _:
            headers = {**table.auth("north"), "Idempotency-Key": key()}
            body = {"claim": {"result": {"north": 1}}}
            answer = table.client.post(f"/v1/games/{table.game}/disputes", json=body, headers=headers)
    assert (answer.status_code, answer.json["code"], answer.json["version"]) == (409, "history_lost", 5)
    proof = store.frozen(table.game)
    assert proof is not None
    assert proof.version == 8
    store.close()
