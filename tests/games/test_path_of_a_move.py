"""The path of a move, counted: round trips at the store, and what is done with each new event (docs/architecture.md)."""

import random
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from events.log import Commit
from events.store import LogHead
from service.bots import any_move
from service.http.schemas import bodies
from tests.api.conftest import OPERATOR
from tests.api.players import Table, key
from tests.games.conftest import Process
from tests.games.counting import Counts, counted

SEATS = ("north", "south")


def chosen(table: Table, dice: random.Random) -> tuple[str, dict[str, Any]]:
    """Whose turn it is, and a legal move."""
    seat = table.turn()
    assert seat is not None
    return seat, any_move(table.view(seat), dice)


def require_once(counts: Counts, events: list[dict[str, Any]], log: tuple[Commit, ...]) -> None:
    """Each new event was folded, encoded, chained and sealed once, and nothing was decoded."""
    new = [event["public"]["seq"] for event in events]
    sealed = sum(stored.sealed is not None for stored in log[-1].events)
    assert counts.folded == new
    assert counts.encoded == new
    assert counts.chained == len(new)
    assert (counts.sealed, counts.seals) == (sealed, sealed)
    assert (counts.decoded, counts.opened) == ([], 0)


def test_every_move_of_a_whole_game_is_one_round_trip_and_works_on_each_event_once(process: Process) -> None:
    table, dice = Table(process.client, {"max_hands": 2}), random.Random(1)
    across, longest = 0, 0
    while table.turn() is not None:
        seat, move = chosen(table, dice)
        with counted(process.proxy) as counts:
            answer = table.post(seat, move)
        assert answer.status_code == 201, answer.json
        events = answer.json["events"]
        require_once(counts, events, process.games.log(table.game))
        announced = any(event["public"]["type"] in ("hand_scored", "game_ended") for event in events)
        assert counts.commands == (["XADD", "EVALSHA"] if announced else ["EVALSHA"])
        assert counts.trips == 1
        across, longest = across + announced, max(longest, len(events))
    assert across == 2
    assert longest >= 3


def test_a_create_and_a_join_are_one_round_trip_each(process: Process) -> None:
    Table(process.client)
    with counted(process.proxy) as created:
        table = Table(process.client, join=False)
    body = {"name": "Bo", "invite": table.invite}
    with counted(process.proxy) as joined:
        process.client.post(f"/v1/games/{table.game}/join", json=body)
    for counts in (created, joined):
        assert counts.commands == ["XADD", "EVALSHA"]
        assert counts.trips == 1
        assert counts.folded == counts.encoded
        assert len(counts.folded) == counts.chained == 2
        assert counts.decoded == []


def test_a_turn_limit_costs_one_look_at_the_clock_of_the_store(process: Process) -> None:
    table = Table(process.client, {"turn_seconds": 60})
    with counted(process.proxy) as counts:
        table.move("north", "look")
    assert counts.commands == ["TIME", "EVALSHA"]
    assert counts.trips == 2


# The cache is behind: another process has moved.


def test_a_move_decided_on_an_old_table_is_decided_again_on_what_the_append_returned(process: Process, other: Process) -> None:
    table = Table(process.client)
    there = other.at(table)
    there.view("north")
    table.move("north", "look")
    table.move("north", "keep")
    with counted(other.proxy) as counts:
        answer = there.post("south", {"type": "look"})
    assert answer.status_code == 201
    assert counts.commands in (["XRANGE", "EVALSHA"], ["EVALSHA", "EVALSHA"])
    assert counts.trips == 2
    assert counts.folded == [5, 6, 7, 8]


def test_a_conflict_costs_one_more_append_and_the_body_is_read_once(process: Process, other: Process) -> None:
    table = Table(process.client, {"turn_seconds": 60})
    table.play_until("play")
    there = other.at(table)
    there.view("north")
    seat = table.turn()
    waiting = "north" if seat == "south" else "south"
    card = table.view(seat)["you"]["legal"][0]["card"][0]
    dispute(table, waiting)
    real, calls = bodies.move, []

    def read(body: dict[str, Any]) -> Any:
        calls.append(body)
        return real(body)

    with mock.patch.object(bodies, "move", read), counted(other.proxy) as counts:
        answer = there.post(seat, {"type": "play", "card": card})
    assert answer.status_code == 201, answer.json
    assert counts.commands == ["TIME", "EVALSHA", "EVALSHA"]
    assert len(calls) == 1


def dispute(table: Table, seat: str) -> None:
    """A dispute: an event that changes nothing of play."""
    headers = {**table.auth(seat), "Idempotency-Key": key()}
    body = {"claim": {"result": {"north": 1}}}
    answer = table.client.post(f"/v1/games/{table.game}/disputes", json=body, headers=headers)
    assert answer.status_code == 201, answer.json


def test_a_client_that_knows_a_later_version_causes_the_read_first(process: Process, other: Process) -> None:
    table = Table(process.client)
    there = other.at(table)
    there.view("north")
    etag = f'"{table.move("north", "look")["version"]}"'
    with counted(other.proxy) as counts:
        answer = there.post("north", {"type": "keep"}, **{"If-Match": etag})
    assert answer.status_code == 201
    assert counts.commands == ["XRANGE", "EVALSHA"]


def test_what_a_stream_has_read_is_in_the_cache_of_the_next_move(process: Process, other: Process) -> None:
    table = Table(process.client)
    there = other.at(table)
    view = there.view("north")
    table.move("north", "look")
    table.move("north", "keep")
    other.app.extensions["trickbook.news"].after(table.game, LogHead(view["version"], bytes.fromhex(view["head"])))
    with counted(other.proxy) as counts:
        assert there.post("south", {"type": "look"}).status_code == 201
    assert counts.commands == ["EVALSHA"]
    assert counts.folded == [8]


def test_every_refusal_of_an_old_table_is_decided_again_before_it_is_answered(process: Process, other: Process) -> None:
    table = Table(process.client, join=False)
    there = other.at(table)
    there.view("north")
    joined = process.client.post(f"/v1/games/{table.game}/join", json={"name": "Bo", "invite": table.invite})
    table.tokens["south"] = joined.json["token"]
    assert there.post("north", {"type": "look"}).status_code == 201  # 409 wrong_phase before the join
    there.move("north", "keep")
    assert table.post("south", {"type": "look"}).status_code == 201  # 401 before the join, 409 before the keep
    version = table.move("south", "pass")["version"]
    assert there.post("north", {"type": "keep"}, **{"If-Match": f'"{version}"'}).status_code == 201  # 412
    last = table.play_until("play")["version"]
    there.view()
    seat = table.turn()
    card = table.view(seat)["you"]["legal"][0]["card"][0]
    table.move(seat, "play", card=card)
    waiting = there.turn()
    assert last
    assert there.post(seat, {"type": "play", "card": card}).json["code"] == "not_your_turn"
    legal = table.view(waiting)["you"]["legal"][0]["card"][0]
    assert there.post(waiting, {"type": "play", "card": legal}).status_code == 201


def test_an_unknown_token_is_looked_for_in_the_log_before_it_is_refused(process: Process, other: Process) -> None:
    table = Table(process.client, join=False)
    there = other.at(table)
    there.view("north")
    joined = process.client.post(f"/v1/games/{table.game}/join", json={"name": "Bo", "invite": table.invite})
    table.tokens["south"] = there.tokens["south"] = joined.json["token"]
    with counted(other.proxy) as counts:
        answer = there.post("south", {"type": "resign"})
    assert answer.status_code == 201
    assert counts.commands == ["XRANGE", "XADD", "EVALSHA"]
    assert counts.trips == 2


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Authorization": "Bearer wrong"}, {"type": "look"}, 401),
        ({"Authorization": f"Bearer {OPERATOR}"}, {"type": "look"}, 403),
        ({"Idempotency-Key": "short"}, {"type": "look"}, 400),
        ({}, {"type": "keep"}, 409),
        ({"If-Match": '"3"'}, {"type": "look"}, 412),
        ({}, {"type": "fly"}, 422),
    ],
)
def test_a_refusal_costs_one_read_and_nothing_else(
    process: Process, headers: dict[str, str], body: dict[str, str], status: int
) -> None:
    table = Table(process.client)
    with counted(process.proxy) as counts:
        sent = {**table.auth("north"), "Idempotency-Key": key(), **headers}
        answer = table.client.post(f"/v1/games/{table.game}/moves", json=body, headers=sent)
    assert answer.status_code == status
    assert counts.commands == ["XRANGE"]


# Repeated keys


def test_the_last_key_of_each_seat_is_confirmed_by_one_read_of_its_entry(process: Process) -> None:
    table = Table(process.client)
    keys = {seat: key() for seat in SEATS}
    first = {"north": table.post("north", {"type": "look"}, keys["north"])}
    first["north"] = table.post("north", {"type": "keep"}, one := key())
    keys["north"] = one
    first["south"] = table.post("south", {"type": "look"}, keys["south"])
    sent = {"north": {"type": "keep"}, "south": {"type": "look"}}
    for seat in SEATS:
        with counted(process.proxy) as counts:
            again = table.post(seat, sent[seat], keys[seat])
        assert again.data == first[seat].data
        assert again.headers["Idempotency-Replayed"] == "true"
        assert counts.commands == ["XRANGE"]
        assert counts.folded == []


def test_an_older_key_is_found_in_the_log_and_folded(process: Process) -> None:
    table = Table(process.client)
    one = key()
    first = table.post("north", {"type": "look"}, one)
    table.move("north", "keep")
    with counted(process.proxy) as counts:
        again = table.post("north", {"type": "look"}, one)
    assert again.data == first.data
    assert counts.commands == ["XRANGE", "XRANGE"]


def test_a_key_that_another_process_used_is_answered_as_it_was_there(process: Process, other: Process) -> None:
    table = Table(process.client)
    there = other.at(table)
    there.view("north")
    one = key()
    first = table.post("north", {"type": "look"}, one)
    with counted(other.proxy) as counts:
        again = there.post("north", {"type": "look"}, one)
    assert again.data == first.data
    assert again.headers["Idempotency-Replayed"] == "true"
    assert counts.commands == ["EVALSHA"]


# What the decision leaves in the cache is what the log says.


@pytest.mark.parametrize("seed", range(4))
def test_the_table_that_was_decided_is_the_table_of_the_log(process: Process, start: Callable[[], Process], seed: int) -> None:
    rules = [{}, {"second_card": "seen", "exchange_max": 3}, {"turn_seconds": 60}, {"max_hands": 1}][seed]
    table, dice = Table(process.client, rules), random.Random(seed)
    fresh = start().games
    for _ in range(120):
        if table.turn() is None:
            break
        seat, move = chosen(table, dice)
        answer = table.post(seat, move)
        assert answer.status_code == 201, answer.json
        kept = process.games._cache.get(table.game)
        read = fresh.actual(table.game)
        fresh._cache.drop(table.game)
        assert kept is not None
        assert (kept.table, kept.at, kept.receipt, kept.requests) == (read.table, read.at, read.receipt, read.requests)
        for each in kept.last.values():
            same = read.last[each.asker]
            assert (each.commit, each.heads, each.after, each.before) == (same.commit, same.heads, same.after, same.before)
            assert [event.data for event in each.events] == [event.data for event in same.events]
