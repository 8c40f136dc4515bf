"""Records from elsewhere (record.md §1): read over HTTP like our own games, marked in every answer, never moved in."""

from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from events import keys, record
from events.redis_store import RedisStore
from service.games.importing import import_record
from tests.api.players import Table, key

RECORD = Path(__file__).parents[1] / "cases/record-3.ndjson"
GAME = "t5v2y1v62d4bqtz8"
READINGS = ("", "/events", "/scoresheet", "/replay", "/explain/1.5.2", "/audit")


@pytest.fixture
def imported(store: RedisStore) -> Any:
    with RECORD.open("rb") as file:
        read = record.read(file)
    import_record(store, read, replace=True, dry_run=False)
    yield GAME
    store.client.delete(keys.imported(GAME))


def test_every_answer_about_an_imported_game_says_so(client: FlaskClient, imported: str) -> None:
    for path in READINGS:
        answer = client.get(f"/v1/games/{imported}{path}")
        assert answer.status_code == 200, (path, answer.json)
        assert answer.json["imported"] is True
        assert answer.headers["Trickbook-Imported"] == "true"
    assert client.get(f"/v1/games/{imported}/audit").json["verdict"] == "ok"
    assert client.get(f"/v1/games/{imported}/replay?hand=9").status_code == 404


def test_the_record_comes_back_byte_for_byte(client: FlaskClient, imported: str) -> None:
    assert client.get(f"/v1/games/{imported}/record").data == RECORD.read_bytes()


def test_nothing_is_moved_in_an_imported_game(client: FlaskClient, imported: str) -> None:
    for path, body in (("moves", {"type": "look"}), ("join", {"name": "Bo", "invite": "x"})):
        headers = {"Authorization": "Bearer x", "Idempotency-Key": key()}
        answer = client.post(f"/v1/games/{imported}/{path}", json=body, headers=headers)
        assert (answer.status_code, answer.json["code"]) == (403, "not_allowed")


def test_an_imported_game_is_not_disputed_here(client: FlaskClient, imported: str) -> None:
    headers = {"Authorization": "Bearer x", "Idempotency-Key": key()}
    for path, body in (("disputes", {"claim": {"result": {"north": 1}}}), ("disputes/1/settlement", {"verdict": "upheld"})):
        answer = client.post(f"/v1/games/{imported}/{path}", json=body, headers=headers)
        assert (answer.status_code, answer.json["code"]) == (403, "not_allowed")
    for path in ("disputes", "disputes/1"):
        assert client.get(f"/v1/games/{imported}/{path}", headers=headers).json["code"] == "not_allowed"


def test_an_imported_game_is_not_listed(store: RedisStore, imported: str) -> None:
    assert imported not in set(store.games())


def test_a_record_of_our_own_game_is_compared_and_never_written_over_it(
    client: FlaskClient, store: RedisStore, table: Table
) -> None:
    table.post("north", {"type": "resign"})
    import io

    raw = table.get("/record").data
    read = record.read(io.BytesIO(raw))
    assert import_record(store, read, replace=True, dry_run=False).outcome == "ours_the_same"
    forged = record.read(io.BytesIO(raw.replace(b'"name":"Ann"', b'"name":"Eve"')))
    done = import_record(store, forged, replace=True, dry_run=False)
    assert (done.outcome, done.version) == ("ours_differs", 2)
    assert store.imported(table.game) is None
    assert table.get("/record").data == raw


def test_another_record_of_the_same_game_is_kept_only_when_asked(store: RedisStore, imported: str) -> None:
    lines = RECORD.read_bytes().splitlines(keepends=True)
    import io

    shorter = record.read(io.BytesIO(b"".join(lines[:40])))
    assert import_record(store, shorter, replace=False, dry_run=False).outcome == "differs"
    assert import_record(store, shorter, replace=True, dry_run=True).outcome == "replaced"
    assert store.imported(imported) == RECORD.read_bytes()
    assert import_record(store, shorter, replace=True, dry_run=False).outcome == "replaced"
    assert store.imported(imported) != RECORD.read_bytes()
