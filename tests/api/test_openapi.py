"""The OpenAPI document is valid, covers every route, and every answer fits it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from openapi_spec_validator import validate

from events import keys, record
from events.redis_store import RedisStore
from projections.across.models import MODELS
from service.base import names
from service.base.entropy import Csprng
from service.base.settings import Settings
from service.games.handler import Games
from service.games.importing import import_record
from service.http.app import create_app
from service.http.routes import assets
from service.readmodels.lists import Lists
from service.readmodels.model_store import ReadModelStore
from service.readmodels.rebuild import rebuild
from tests.api.conftest import IDENTITY, OPERATOR, Clock
from tests.api.described import DescribedClient, faults
from tests.api.players import Table, key
from tests.api.test_imported import GAME as IMPORTED
from tests.api.test_imported import RECORD


@pytest.fixture
def document(client: FlaskClient) -> Any:
    return client.get("/v1/openapi.json").json


def test_the_document_is_valid_openapi_3_1(document: Any) -> None:
    assert document["openapi"].startswith("3.1")
    validate(document)


def test_every_route_is_described_and_nothing_else(client: FlaskClient, document: Any) -> None:
    routes = {
        (re.sub(r"<(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in client.application.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    described = {(path, method) for path, item in document["paths"].items() for method in item}
    assert routes == described


def test_every_example_fits_its_schema(document: Any) -> None:
    seen = 0
    for path, item in document["paths"].items():
        for operation in item.values():
            for content in _contents(operation):
                if "example" in content:
                    assert not faults(content["schema"], content["example"]), (
                        path,
                        faults(content["schema"], content["example"])[0],
                    )
                    seen += 1
    assert seen >= 12


def _contents(operation: Any) -> Any:
    yield from operation.get("requestBody", {}).get("content", {}).values()
    for response in operation["responses"].values():
        yield from response.get("content", {}).values()


@pytest.fixture
def described(store: RedisStore, clock: Clock) -> Iterator[DescribedClient]:
    """A client of an app with every part, on rows of a game that is listed."""
    books = ReadModelStore(store)
    settings = Settings(create_limit=0, operator_token=OPERATOR)
    app = create_app(Games(store, IDENTITY, clock, Csprng()), settings, kept_lists=Lists(store, books, IDENTITY))
    app.test_client_class = DescribedClient
    client: Any = app.test_client()
    with RECORD.open("rb") as file:
        import_record(store, record.read(file), replace=True, dry_run=False)
    yield client
    store.client.delete(keys.imported(IMPORTED))


def _listed(client: DescribedClient, store: RedisStore) -> None:
    """A rated game that has ended, in the lists."""
    operator = {"Authorization": f"Bearer {OPERATOR}"}
    asked = {"name": "Ann", "opponent_name": "Bo", "rated": True, "listed": True}
    made: Any = client.post("/v1/games", json=asked, headers=operator).json
    joined: Any = client.post(f"/v1/games/{made['game']}/join", json={"name": "Bo", "invite": made["invite"]}).json
    sent = {"Authorization": f"Bearer {joined['token']}", "Idempotency-Key": key()}
    client.post(f"/v1/games/{made['game']}/moves", json={"type": "resign"}, headers=sent)
    for model in MODELS:
        rebuild(store, ReadModelStore(store), model)


def test_every_answer_of_every_route_fits_the_document(described: DescribedClient, store: RedisStore, document: Any) -> None:
    client = described
    client.get("/readyz")
    table = Table(client, {"target": 50})
    operator = {"Authorization": f"Bearer {OPERATOR}"}
    table.move("north", "double_nil")
    for phase in ("draft", "exchange", "bidding", "play", "ended"):
        table.play_until(phase, keep_bids=5)
        for seat in ("north", "south", None):
            _read(table, seat)
    receipt = table.get("", "north").json["receipt"]
    for kept in (receipt, receipt | {"signature": "A" * 86}, {}):
        client.post(f"/v1/games/{table.game}/receipts", json=kept)
    for sent in ({"claim": {"result": {"south": 999, "winner": "south"}}, "position": "1.5.2", "note": "No!"}, {"claim": 5}):
        client.post(f"/v1/games/{table.game}/disputes", json=sent, headers={"Idempotency-Key": key(), **table.auth("north")})
    for who in (operator, table.auth("south"), {}):
        for path in ("/disputes", "/disputes/1", "/disputes/2", "/audit", "/record"):
            client.get(f"/v1/games/{table.game}{path}", headers=who)
        settled = {"verdict": "rejected", "reason": "The plays make it what is recorded."}
        address = f"/v1/games/{table.game}/disputes/1/settlement"
        client.post(address, json=settled, headers={"Idempotency-Key": key(), **who})
        client.get("/metrics", headers=who)
        client.get("/v1/games?status=open&limit=1", headers=who)
    for path in ("", "/events", "/scoresheet", "/replay?at=1.5", "/explain/1.5.2", "/audit", "/record", "/disputes"):
        client.get(f"/v1/games/{IMPORTED}{path}")
        client.get(f"/v1/games/0000000000000000{path}")
        client.get(f"/v1/games/{table.game}{path.partition('?')[0]}?unknown=1")
    _listed(client, store)
    for path in (
        "/v1/games?player=Bo&limit=1",
        "/v1/games?after=!",
        "/v1/players/Ann",
        "/v1/players/Nobody",
        "/v1/leaderboard",
    ):
        client.get(path)
    for path in ("/v1/keys", "/v1/rules", "/v1/openapi.json", "/docs", "/docs.css", "/healthz", "/readyz", "/version", "/"):
        client.get(path)
    for path in ("", "/replay", "/score"):
        client.get(f"/g/{table.game}{path}")
        client.get(f"/g/0000000000000000{path}", headers={"Accept": "text/html"})
    for path in ("/static/style.css", f"/static/{assets.version()}/style.css", "/static/none.css"):
        client.get(path)
    again = {"Idempotency-Key": key()}
    assert [client.post("/v1/games", json={"name": "Ann"}, headers=again).status_code for _ in range(2)] == [201, 201]
    client.post("/v1/games", json={"name": " "})
    client.post(f"/v1/games/{table.game}/join", json={"name": "Cy", "invite": "x"})
    expected = {
        (method, path, int(status), media)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        for status, answer in operation["responses"].items()
        if status in ("200", "201")
        for media in answer["content"]
    }
    answered = {(*where[:3], "*/*" if where[1].startswith("/static/") else where[3]) for where in client.seen}
    assert not expected - answered
    assert ("get", "/v1/games/{game}", 304, "") in {(*where[:3], "") for where in client.seen}


def _read(table: Table, seat: str | None) -> None:
    view = table.get("", seat)
    table.get("", seat, **{"If-None-Match": view.headers["ETag"]})
    for accept in ("application/json", "application/x-ndjson", "text/event-stream", "text/html"):
        table.get("/events", seat, Accept=accept)
    table.get("/events", seat, Accept="text/event-stream", **{"Last-Event-ID": "999999"})
    for path in (
        "/events?after=3",
        "/scoresheet",
        "/replay",
        "/replay?at=1.5",
        "/explain/1",
        "/explain/9.9",
        "/audit",
        "/record",
    ):
        table.get(path, seat)
    table.post(seat, {"type": "bid", "tricks": 14})
    table.post(seat, {"type": "bid", "tricks": 3}, **{"If-Match": '"1"'})


def test_every_parameter_and_header_says_what_it_may_be(document: Any) -> None:
    parameters = [one for item in document["paths"].values() for op in item.values() for one in op["parameters"]]
    headers = document["components"]["headers"].values()
    assert len(parameters) > 40
    for schema in (one["schema"] for one in (*parameters, *headers)):
        assert {"pattern", "enum"} & set(schema) or {"minimum", "maximum"} <= set(schema), schema
        assert "type" in schema or "enum" in schema
    assert not [one for one in parameters if "example" in one and faults(one["schema"], one["example"])]


@given(st.text(max_size=30))
def test_the_pattern_of_a_name_lets_every_name_pass(text: str) -> None:
    name = names.entered(text)
    assert name is None or re.search(names.PATTERN.replace(r"\Z", "$"), name)


@pytest.mark.parametrize("text", [" Ann", "Ann ", "A  B", "", "A" * 25, "A/B", "(hidden)", "A\nB", "a@b", "a:b"])
def test_the_pattern_of_a_name_refuses_what_is_none(text: str) -> None:
    assert names.entered(text) is None
    assert not re.search(names.PATTERN, text)


def test_the_examples_that_are_moves_are_taken_by_the_schemas(document: Any) -> None:
    body = document["paths"]["/v1/games/{game}/moves"]["post"]["requestBody"]["content"]["application/json"]
    kinds = {
        document["components"]["schemas"][ref["$ref"].rsplit("/", 1)[1]]["properties"]["type"]["const"]
        for ref in body["schema"]["oneOf"]
    }
    assert kinds == {"reveal", "look", "double_nil", "keep", "pass", "exchange", "bid", "play", "resign", "claim_timeout"}


def test_the_page_shows_every_operation_and_asks_no_other_host(client: FlaskClient, document: Any) -> None:
    answer = client.get("/docs")
    assert answer.status_code == 200
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'self'")
    for path, item in document["paths"].items():
        assert path in answer.text
        for operation in item.values():
            assert operation["summary"].replace("&", "&amp;").replace("'", "&#39;") in answer.text
    assert not re.findall(r"(?:src|href)=[\"'](?:https?:)?//", answer.text)
    for anchor in re.findall(r'href="#([^"]+)"', answer.text):
        assert f'id="{anchor}"' in answer.text
    assert client.get("/docs.css").mimetype == "text/css"
