"""The OpenAPI document is valid, covers every route, and every answer fits it."""

import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.api.players import Table


@pytest.fixture
def document(client: FlaskClient) -> Any:
    return client.get("/v1/openapi.json").json


def _validator(document: Any, schema: Any) -> Draft202012Validator:
    resource = Resource.from_contents(document, default_specification=DRAFT202012)
    registry: Any = Registry().with_resource("urn:doc", resource)

    def absolute(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: f"urn:doc{v}" if k == "$ref" and v.startswith("#") else absolute(v) for k, v in value.items()}
        return [absolute(item) for item in value] if isinstance(value, list) else value

    return Draft202012Validator(absolute(schema), registry=registry)


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
                    errors = list(_validator(document, content["schema"]).iter_errors(content["example"]))
                    assert not errors, (path, errors[0].message)
                    seen += 1
    assert seen >= 12


def _contents(operation: Any) -> Any:
    yield from operation.get("requestBody", {}).get("content", {}).values()
    for response in operation["responses"].values():
        yield from response.get("content", {}).values()


def test_every_answer_of_a_whole_game_fits_the_document(client: FlaskClient, document: Any) -> None:
    table = Table(client, {"target": 50})
    game = "/v1/games/{game}"
    schemas = {
        (path, status): response["content"]["application/json"]["schema"]
        for path, item in document["paths"].items()
        for operation in item.values()
        for status, response in operation["responses"].items()
        if "application/json" in response.get("content", {})
    }

    def fits(path: str, answer: Any) -> None:
        problems = _validator(document, schemas[path, str(answer.status_code)]).iter_errors(json.loads(answer.data))
        assert not [error.message for error in problems], path

    table.move("north", "double_nil")
    for phase in ("draft", "exchange", "bidding", "play", "ended"):
        table.play_until(phase, keep_bids=5)
        for seat in ("north", "south", None):
            fits(game, table.get("", seat))
            fits(f"{game}/events", table.get("/events", seat))
            fits(f"{game}/scoresheet", table.get("/scoresheet", seat))
            fits(f"{game}/replay", table.get("/replay", seat))
            fits(f"{game}/explain/{{position}}", table.get("/explain/1", seat))
    fits(f"{game}/audit", table.get("/audit"))
    for path in ("/v1/keys", "/v1/rules", "/healthz", "/readyz", "/version"):
        fits(path, client.get(path))
    problem = _validator(document, {"$ref": "#/components/schemas/Problem"})
    for answer in (client.get("/v1/games/0"), table.post("north", {"type": "x"}), client.get("/x"), client.delete("/v1/games")):
        assert not list(problem.iter_errors(answer.json))


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
