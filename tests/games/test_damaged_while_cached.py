"""A log that is damaged while a process has the game in its cache: the damage is named, and is no reason to freeze the game."""

import pytest

from events import keys
from events.redis_store import RedisStore
from tests.api.players import Table, key
from tests.games.conftest import Process
from tests.kit.stored_damage import DAMAGES, LAST, Damage

CACHED = [damage for damage in DAMAGES if damage.version <= LAST]
"""The damages that a game of seven events can have."""
SHORTER = {"an entry that is gone"}
"""Here it is the last entry, so what is left is intact: an older copy."""
BEFORE = {"no first entry", "a first entry of somebody else"}
"""Not in the last entry, which is all that is read to confirm its key."""
NO_PLACE = {
    "another head",
    "a head of another length",
    "no head",
    "an entry of somebody else",
    "an entry under another id",
    "a key of another type",
}
"""After these the append finds no place where the decision was made."""


@pytest.fixture
def table(process: Process) -> Table:
    """A game of seven events that the process has in its cache; north's last move was a keep."""
    table = Table(process.client)
    table.move("north", "look")
    return table


def dispute(table: Table) -> tuple[int, str]:
    headers = {**table.auth("south"), "Idempotency-Key": key()}
    body = {"claim": {"result": {"north": 1}}}
    answer = table.client.post(f"/v1/games/{table.game}/disputes", json=body, headers=headers)
    return answer.status_code, answer.json.get("code", "")


def post(table: Table, seat: str, move: str, one: str | None = None) -> tuple[int, str]:
    answer = table.post(seat, {"type": move}, one)
    return answer.status_code, answer.json.get("code", "")


def frozen(process: Process, table: Table) -> bool:
    return bool(store_of(process).client.exists(keys.frozen(table.game)))


def store_of(process: Process) -> RedisStore:
    store = process.games.store
    assert isinstance(store, RedisStore)
    return store


DAMAGED = (409, "log_damaged")
LOST = (409, "history_lost")


@pytest.mark.parametrize("damage", CACHED, ids=lambda damage: damage.name)
@pytest.mark.parametrize("ask", ["the last key", "a dispute", "a move"])
def test_a_damage_is_named_and_freezes_nothing(process: Process, table: Table, damage: Damage, ask: str) -> None:
    one = key()
    assert post(table, "north", "keep", one)[0] == 201
    damage.do(store_of(process), table.game)
    match ask:
        case "the last key":
            got, wanted = post(table, "north", "keep", one), (201, "") if damage.name in BEFORE else DAMAGED
        case "a dispute":
            got, wanted = dispute(table), DAMAGED
        case _:
            got, wanted = post(table, "south", "look"), DAMAGED if damage.name in NO_PLACE else (201, "")
    shorter = damage.name in SHORTER
    assert got == (LOST if shorter else wanted)
    assert frozen(process, table) == shorter


def test_an_entry_of_the_same_events_under_another_request_is_a_damage(process: Process, table: Table) -> None:
    one = key()
    post(table, "north", "keep", one)
    damage = Damage(
        "another request", CACHED[0].code, LAST, lambda entries: [(name, _asked(values)) for name, values in entries]
    )
    damage.do(store_of(process), table.game)
    assert post(table, "north", "keep", one) == DAMAGED
    assert not frozen(process, table)


def _asked(values: dict[bytes, bytes]) -> dict[bytes, bytes]:
    return {**values, b"by": b"{}"}


@pytest.mark.parametrize("damage", [damage for damage in CACHED if damage.name in NO_PLACE], ids=lambda damage: damage.name)
def test_an_older_copy_restored_in_place_of_a_damaged_log_is_still_noticed(
    process: Process, table: Table, damage: Damage
) -> None:
    store = store_of(process)
    older = store.client.dump(keys.stream(table.game))
    post(table, "north", "keep")
    damage.do(store, table.game)
    assert post(table, "south", "look") == DAMAGED
    store.client.restore(keys.stream(table.game), 0, older, replace=True)
    assert post(table, "south", "look") == LOST
    assert frozen(process, table)


def test_a_marker_of_a_frozen_game_that_cannot_be_read_is_a_damage(process: Process, table: Table) -> None:
    store_of(process).client.set(keys.frozen(table.game), "somebody else's")
    assert post(table, "north", "keep") == DAMAGED
