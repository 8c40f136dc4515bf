"""Names the operator has hidden: shown nowhere, in no answer that is for people; the bytes of the log stay as they are."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from events.journal import Note
from events.memory import MemoryStore
from events.store import BadEntry, Unreachable
from events.types import Names
from projections.hiding import HIDDEN, hidden_by
from projections.verify.viewing import differs
from service.base.entropy import Csprng
from service.base.settings import Settings
from service.games.handler import Games
from service.games.importing import import_record
from service.games.redaction import REFRESH_SECONDS, HiddenNames
from service.http.app import create_app
from service.operations.operator_actions import hide_name
from tests.api.conftest import IDENTITY, OPERATOR, Clock
from tests.api.players import Table, key
from tests.kit.random_games import random_game


class Counting(MemoryStore):
    """Counts how often the journal is read; it answers with `fault` while there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.fault: Exception | None = None

    def notes(self, after: int = 0) -> tuple[Note, ...]:
        self.reads += 1
        if self.fault is not None:
            raise self.fault
        return super().notes(after)


class Process:
    """An app on the store, whose clock for the journal the test moves, in seconds."""

    def __init__(self, store: MemoryStore) -> None:
        self.seconds = 100.0
        self.games = Games(store, IDENTITY, Clock(), Csprng())
        self.games.hidden = HiddenNames(store, lambda: self.seconds)
        app = create_app(self.games, Settings(create_limit=0, operator_token=OPERATOR))
        self.client: FlaskClient = app.test_client()


@pytest.fixture
def store() -> Counting:
    return Counting()


@pytest.fixture
def process(store: Counting) -> Process:
    return Process(store)


def shown(process: Process, table: Table) -> dict[str, str]:
    """Every answer that is for people, as text."""
    asked = {
        "view": table.get(),
        "own view": table.get("", "south"),
        "replay": table.get("/replay"),
        "explain": table.get("/explain/v2"),
        "scoresheet": table.get("/scoresheet"),
    }
    if table.view()["phase"] == "ended":
        asked["audit"] = table.get("/audit")
    for name, answer in asked.items():
        assert answer.status_code == 200, name
    return {name: answer.get_data(as_text=True) for name, answer in asked.items()}


def test_a_hidden_name_is_in_no_answer_for_people_and_in_the_bytes_as_before(process: Process, store: Counting) -> None:
    table = Table(process.client, {"max_hands": 1})
    table.play_out()
    before, bytes_before = shown(process, table), [table.get(path).data for path in ("/record", "/events")]
    assert [name for name, text in before.items() if '"Ann' in text] == ["view", "own view", "replay", "explain"]
    hide_name(store, "Ann", "rude")
    process.seconds += REFRESH_SECONDS
    after = shown(process, table)
    assert not any("Ann" in text for text in after.values())
    assert after == {name: text.replace("Ann", HIDDEN) for name, text in before.items()}
    assert [table.get(path).data for path in ("/record", "/events")] == bytes_before
    hide_name(store, "Ann", "a mistake", undo=True)
    process.seconds += REFRESH_SECONDS
    assert shown(process, table) == before


def test_a_repeated_key_gets_the_first_answer_but_for_names_hidden_since(process: Process, store: Counting) -> None:
    table = Table(process.client)
    once = key()
    first = table.post("north", {"type": "look"}, once)
    hide_name(store, "Bo", "rude")
    process.seconds += REFRESH_SECONDS
    again = table.post("north", {"type": "look"}, once)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.data == first.data.replace(b'"name":"Bo"', b'"name":"(hidden)"')
    assert again.data != first.data
    assert again.json is not None
    assert again.json["receipt"] == (first.json or {})["receipt"]
    hide_name(store, "Bo", "a mistake", undo=True)
    process.seconds += REFRESH_SECONDS
    assert table.post("north", {"type": "look"}, once).data == first.data


def test_create_and_join_answer_with_the_hidden_name_as_well(process: Process, store: Counting) -> None:
    for name in ("Ann", "Bo"):
        hide_name(store, name, "rude")
    table = Table(process.client)
    assert table.created["view"]["seats"]["north"]["name"] == HIDDEN
    assert {seat["name"] for seat in table.view()["seats"].values()} == {HIDDEN}


def test_what_is_decided_and_kept_in_memory_has_the_real_name(process: Process, store: Counting) -> None:
    hide_name(store, "Ann", "rude")
    table = Table(process.client)
    table.move("north", "look")
    hide_name(store, "Ann", "a mistake", undo=True)
    process.seconds += REFRESH_SECONDS
    assert table.view()["seats"]["north"]["name"] == "Ann"


def test_a_rematch_of_hidden_names_keeps_the_seats_for_the_real_ones(process: Process, store: Counting) -> None:
    table = Table(process.client)
    table.move("north", "resign")
    for name in ("Ann", "Bo"):
        hide_name(store, name, "rude")
    process.seconds += REFRESH_SECONDS
    headers = {"Idempotency-Key": key(), **table.auth("south")}
    again = process.client.post("/v1/games", json={"after": table.game}, headers=headers)
    assert again.status_code == 201, again.json
    assert again.json is not None
    assert again.json["view"]["seats"]["north"]["name"] == HIDDEN
    assert process.games.actual(again.json["game"]).table.open.names == Names("Bo", "Ann")
    assert process.games.live(again.json["game"]).table.open.names == Names(HIDDEN, HIDDEN)
    replay = process.client.get(f"/v1/games/{again.json['game']}/replay").get_data(as_text=True)
    assert HIDDEN in replay
    other_name = process.client.post("/v1/games", json={"after": table.game, "name": "Eve"}, headers=table.auth("south"))
    assert other_name.status_code == 422
    assert "Bo" not in other_name.get_data(as_text=True)
    raw = process.client.get(f"/v1/games/{again.json['game']}/events").get_data(as_text=True)
    assert HIDDEN not in raw


def test_moves_do_not_read_the_journal(process: Process, store: Counting) -> None:
    table = Table(process.client)
    table.play_until("play")
    assert store.reads == 1
    process.seconds += REFRESH_SECONDS
    table.view()
    table.view()
    assert store.reads == 2


def test_a_journal_that_cannot_be_read_stops_no_move_and_shows_no_name_again(process: Process, store: Counting) -> None:
    hide_name(store, "Ann", "rude")
    table = Table(process.client)
    for fault in (Unreachable("gone"), BadEntry("strange")):
        store.fault = fault
        process.seconds += REFRESH_SECONDS
        assert table.view()["seats"]["north"]["name"] == HIDDEN
    table.move("north", "look")


def test_at_first_nobody_is_shown_while_the_store_does_not_say_who_is_hidden(store: Counting) -> None:
    process = Process(store)
    store.fault = Unreachable("gone")
    with pytest.raises(Unreachable):
        process.games.hidden.names()
    store.fault = None
    assert process.games.hidden.names() == frozenset()
    damaged = Process(store)
    store.fault = BadEntry("strange")
    assert damaged.games.hidden.name("Ann") == "Ann"


def test_names_in_records_from_elsewhere_are_hidden_too(process: Process, store: Counting) -> None:
    game = random_game(3, {"max_hands": 1})
    import_record(store, game.record(), replace=False, dry_run=False)
    hide_name(store, "Ann", "rude")
    for path in ("", "/replay", "/explain/v2", "/scoresheet"):
        answer = process.client.get(f"/v1/games/{game.record().header.game}{path}")
        assert answer.status_code == 200
        assert "Ann" not in answer.get_data(as_text=True), path
    assert b"Ann" in process.client.get(f"/v1/games/{game.record().header.game}/record").data


def test_the_journal_says_what_is_hidden_last() -> None:
    def note(kind: str, name: str | None) -> Note:
        return Note(kind, 1, "why", name=name)

    notes = [
        note("hide", "A"),
        note("hide", "B"),
        note("unhide", "A"),
        note("hide", "C"),
        note("later", "D"),
        note("end", None),
    ]
    assert hidden_by(notes) == {"B", "C"}
    assert hidden_by(notes[2:], frozenset({"A"})) == {"C"}


def test_a_player_who_compares_views_with_events_takes_a_hidden_name_and_no_other() -> None:
    right: dict[str, Any] = {"seats": {"north": {"name": "Ann", "total": 0}}}
    for name, wrong in (("Ann", None), (HIDDEN, None), ("Eve", "seats"), ("", "seats")):
        assert differs({"seats": {"north": {"name": name, "total": 0}}}, right) == wrong


def test_an_empty_seat_has_no_name_to_hide(process: Process, store: Counting) -> None:
    store.note(Note("hide", 1, "by another program", name=""))
    table = Table(process.client, join=False)
    assert list(table.view()["seats"]) == ["north"]
