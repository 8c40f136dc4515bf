"""A damage of a stored log has one code and one position in command, bulk run, job and HTTP; other routes refuse the log."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from cli.main import run
from events import keys
from events.redis_store import RedisStore
from projections.audit.codes import Code
from service.base.entropy import Csprng
from service.games.handler import Games
from service.jobs import verdicts
from service.runtime.server_process import ServerProcess
from tests.api.conftest import IDENTITY, OPERATOR, Clock
from tests.api.players import key
from tests.kit.stored_damage import DAMAGES, Damage, Deleted, played
from tests.work.conftest import Shop

CASES = Path(__file__).parents[1] / "cases"
READS = ("", "/events", "/scoresheet", "/replay", "/explain/v1", "/record", "/disputes", "/disputes/1")
Damaged = list[tuple[Damage, str, str]]


@pytest.fixture(scope="module")
def damaged(redis_url: str, server: ServerProcess) -> Iterator[Damaged]:
    """A finished game for each damage, damaged, with its id and north's token."""
    store = RedisStore(redis_url)
    games = Games(store, IDENTITY, Clock(), Csprng())
    made = []
    for damage in DAMAGES:
        game, token = played(games)
        damage.do(store, game)
        made.append((damage, game, token))
    yield made
    for _, game, _ in made:
        store.client.delete(keys.stream(game))
    store.close()


def _sent(server: ServerProcess, path: str, token: str | None = None, body: Any = None) -> tuple[int, Any]:
    """Status and JSON body of a request to the real server."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": key()}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server.url + path, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.loads(answer.readline())
    except urllib.error.HTTPError as error:
        raw = error.read()
        return error.code, json.loads(raw) if "json" in error.headers["Content-Type"] else raw


def _first(answer: Any) -> tuple[str, str]:
    assert answer["verdict"] == "bad"
    return answer["findings"][0]["code"], answer["findings"][0]["position"]


def test_four_audits_give_every_damage_the_same_code_and_position(
    damaged: Damaged, server: ServerProcess, redis_url: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRICKBOOK_REDIS_URL", redis_url)
    wanted = {game: (str(damage.code), damage.position) for damage, game, _ in damaged}
    names = {game: damage.name for damage, game, _ in damaged}
    found: dict[str, dict[str, tuple[str, str]]] = {"http": {}, "command": {}, "bulk": {}, "job": {}}
    for game in wanted:
        status, answer = _sent(server, f"/v1/games/{game}/audit")
        assert status == 200, (names[game], answer)
        found["http"][game] = _first(answer)
        assert run(["audit", game, "--format", "ndjson"]) == 3
        found["command"][game] = _first(json.loads(capfd.readouterr().out))
        assert run(["audit", game]) == 3, names[game]
        assert "verdict: BAD" in capfd.readouterr().out
    assert run(["audit", *wanted, "--format", "ndjson"]) == 3
    for line in capfd.readouterr().out.splitlines():
        answer = json.loads(line)
        found["bulk"][answer["game"]] = _first(answer)
    shop = Shop(redis_url)
    for game in wanted:
        shop.jobs.enqueue("audit", game)
    shop.do_all()
    for game in wanted:
        verdict = verdicts.kept(shop.work, game)
        assert verdict is not None, names[game]
        assert verdict.verdict == "bad"
        found["job"][game] = (verdict.codes[0], verdict.first)
    shop.close()
    for way, those in found.items():
        wrong = {names[game]: (those.get(game), right) for game, right in wanted.items() if those.get(game) != right}
        assert wrong == {}, way


def test_every_other_route_refuses_a_damaged_log_as_log_damaged(damaged: Damaged, server: ServerProcess) -> None:
    for damage, game, token in damaged:
        if isinstance(damage, Deleted):
            continue
        answers = [_sent(server, f"/v1/games/{game}{path}", token) for path in READS]
        answers.append(_sent(server, f"/v1/games/{game}/moves", token, {"type": "look"}))
        answers.append(_sent(server, f"/v1/games/{game}/join", None, {"name": "Bo", "invite": "x"}))
        answers.append(_sent(server, f"/v1/games/{game}/disputes", token, {"claim": {"result": {"north": 1}}}))
        for status, answer in answers:
            assert (status, answer["code"]) == (409, "log_damaged"), damage.name
            assert f"/v1/games/{game}/audit" in answer["detail"]
        assert _sent(server, f"/g/{game}")[0] == 409


def test_a_log_without_its_last_entries_can_be_read_up_to_there_and_takes_no_move(
    damaged: Damaged, server: ServerProcess
) -> None:
    (game, token), *_ = [(game, token) for damage, game, token in damaged if isinstance(damage, Deleted)]
    status, answer = _sent(server, f"/v1/games/{game}", token)
    assert (status, answer["version"]) == (200, 10)
    status, answer = _sent(server, f"/v1/games/{game}/moves", token, {"type": "keep"})
    assert (status, answer["code"]) == (409, "history_lost")


@pytest.mark.parametrize("command", ["show", "replay", "events", "explain", "export", "games", "rebuild"])
def test_no_command_falls_over_a_damaged_log(
    damaged: Damaged, redis_url: str, command: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRICKBOOK_REDIS_URL", redis_url)
    for damage, game, _ in damaged[:1] if command in ("games", "rebuild") else damaged:
        arguments = {"games": [], "rebuild": ["games"], "explain": [game, "v1"]}.get(command, [game])
        code = run([command, *arguments])
        out, err = capfd.readouterr()
        assert code in ((0,) if command in ("games", "rebuild") else (0, 3, 5)), (damage.name, out, err)
        assert "Traceback" not in out + err
        assert "fault of ours" not in err


def test_a_server_that_knew_the_game_before_never_answers_500(server: ServerProcess, redis_url: str) -> None:
    store = RedisStore(redis_url)
    games = Games(store, IDENTITY, Clock(), Csprng())
    for damage in DAMAGES:
        game, token = played(games)
        assert _sent(server, f"/v1/games/{game}", token)[0] == 200
        damage.do(store, game)
        for path in (*READS, "/audit"):
            status, answer = _sent(server, f"/v1/games/{game}{path}", token)
            assert status in (200, 404, 409), (damage.name, path, answer)
        status, answer = _sent(server, f"/v1/games/{game}/audit", token)
        assert (status, _first(answer)) == (200, (damage.code, damage.position)), damage.name
        store.client.delete(keys.stream(game))
    store.close()


def test_everybody_may_know_where_a_game_that_goes_on_is_damaged_and_no_more(
    make_app: Callable[..., Flask], store: RedisStore, clock: Clock
) -> None:
    for damage in DAMAGES:
        if damage.version > 10:
            continue
        game, token = played(Games(store, IDENTITY, clock, Csprng()), resign=False)
        damage.do(store, game)
        client = make_app().test_client()
        for seat in (None, token):
            headers = {"Authorization": f"Bearer {seat}"} if seat else {}
            told = client.get(f"/v1/games/{game}/audit", headers=headers)
            assert (told.status_code, _first(told.json)) == (200, (damage.code, damage.position)), damage.name
            assert {Code(one["code"]).stage for one in told.json["findings"]} <= {"bytes", "chain", "receipts", "seals"}
        whole = client.get(f"/v1/games/{game}/audit", headers={"Authorization": f"Bearer {OPERATOR}"})
        assert _first(whole.json) == (damage.code, damage.position)
        store.client.delete(keys.stream(game))


def test_nothing_is_written_after_a_damage(make_app: Callable[..., Flask], store: RedisStore, clock: Clock) -> None:
    for damage in DAMAGES:
        game, token = played(Games(store, IDENTITY, clock, Csprng()), resign=False)
        damage.do(store, game)
        before = store.client.dump(keys.stream(game))
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key()}
        answer = make_app().test_client().post(f"/v1/games/{game}/moves", json={"type": "resign"}, headers=headers)
        if damage.version <= 10:
            assert (answer.status_code, answer.json["code"]) == (409, "log_damaged"), damage.name
            assert store.client.dump(keys.stream(game)) == before
        store.client.delete(keys.stream(game))


# Records from elsewhere -------------------------------------------------------------------------------------------------


def _edited(number: int, change: Callable[[bytes], bytes]) -> Callable[[list[bytes]], bytes]:
    def edited(lines: list[bytes]) -> bytes:
        lines[number] = change(lines[number])
        return b"".join(lines)

    return edited


RECORDS: dict[str, tuple[Code, str, Callable[[list[bytes]], bytes]]] = {
    "nothing": (Code.NOT_CANONICAL, "v1", lambda lines: b""),
    "no record at all": (Code.NOT_CANONICAL, "v1", lambda lines: b"\xff\n"),
    "a header alone that does not end": (Code.NOT_CANONICAL, "v1", lambda lines: lines[0][:-1]),
    "a line that is no JSON": (Code.NOT_CANONICAL, "v9", _edited(9, lambda line: b"nonsense\n")),
    "a file that was cut in a line": (Code.NOT_CANONICAL, "v20", lambda lines: b"".join(lines[:21])[:-3]),
    "a file that was cut between lines": (Code.COMMIT_CUT, "v19", lambda lines: b"".join(lines[:20])),
    "an event that is gone": (Code.EVENT_MISSING, "v9", _edited(9, lambda line: b"")),
    "an unknown type": (Code.NOT_AN_EVENT, "v9", _edited(9, lambda line: line.replace(b'"type":"', b'"type":"un'))),
    "another name": (Code.HEAD_MISMATCH, "v89", _edited(2, lambda line: line.replace(b'"name":"', b'"name":"X'))),
    "another salt": (Code.SEAL_MISMATCH, "v8", _edited(8, lambda line: re.sub(rb'"salt":"..', b'"salt":"00', line))),
    "an event that cannot happen": (Code.HEAD_MISMATCH, "v89", _edited(8, lambda line: line.replace(b"north", b"south"))),
    "another game": (Code.NOT_AN_ENTRY, "v1", _edited(0, lambda line: line.replace(b"t5v2", b"t5v3"))),
    "a receipt that cannot be read": (Code.BAD_RECEIPT, "v89", lambda lines: b"".join(lines) + b'{"receipt":{}}\n'),
}


@pytest.fixture
def keep(store: RedisStore) -> Iterator[Callable[[bytes], str]]:
    """Puts the bytes in the place of an imported record; the id they are kept under."""
    game = "t5v2y1v62d4bqtz8"

    def put(raw: bytes) -> str:
        store.keep_import(game, raw, replace=True)
        return game

    yield put
    store.client.delete(keys.imported(game))


@pytest.mark.parametrize("name", RECORDS)
def test_a_damaged_record_from_elsewhere_is_a_finding_and_its_other_routes_refuse_it(
    name: str,
    keep: Callable[[bytes], str],
    client: FlaskClient,
    redis_url: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code, position, change = RECORDS[name]
    game = keep(change((CASES / "record-3.ndjson").read_bytes().splitlines(keepends=True)))
    answer = client.get(f"/v1/games/{game}/audit")
    assert (answer.status_code, answer.json["imported"]) == (200, True)
    assert (code, position) in {(one["code"], one["position"]) for one in answer.json["findings"]}, answer.json["findings"]
    monkeypatch.setenv("TRICKBOOK_REDIS_URL", redis_url)
    first = _first(answer.json)
    capfd.readouterr()
    assert run(["audit", game, "--format", "ndjson"]) == 3
    assert _first(json.loads(capfd.readouterr().out)) == first
    assert run(["audit", game, game, "--format", "ndjson"]) == 3
    assert {_first(json.loads(line)) for line in capfd.readouterr().out.splitlines()} == {first}
    for path in ("", "/events", "/scoresheet", "/replay", "/explain/1.5.2", "/record"):
        refused = client.get(f"/v1/games/{game}{path}")
        if code is Code.BAD_RECEIPT:  # the game itself is whole
            assert refused.status_code == 200
            continue
        assert (refused.status_code, refused.json["code"]) == (409, "log_damaged"), path
    assert client.get(f"/g/{game}").status_code == (200 if code is Code.BAD_RECEIPT else 409)


def test_the_document_names_the_answer_to_a_damaged_log(client: FlaskClient) -> None:
    paths = client.get("/v1/openapi.json").json["paths"]
    reads = {path: item["get"] for path, item in paths.items() if path.startswith("/v1/games/{game}") and "get" in item}
    assert len(reads) == 9
    for path, operation in reads.items():
        assert ("409" in operation["responses"]) == (not path.endswith("/audit")), path
