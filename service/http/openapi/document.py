"""The OpenAPI document of this version, made from the table of operations."""

from functools import cache
from typing import Any, Final

import msgspec
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from service.base.version import VERSION
from service.http import problems
from service.http.openapi.examples import examples
from service.http.openapi.operations import COMMON, OPERATIONS, Answer, Body, Operation
from service.http.openapi.parameters import HEADERS
from service.http.openapi.schemas import Schema, answer_schemas, move_schema, portable, reference
from service.http.problems import Problem
from service.http.responses import JSON, NDJSON
from service.http.stream import MEDIA_TYPE as STREAM

_OF_PROBLEMS: Final = {401: ("WWW-Authenticate",), 405: ("Allow",), 429: ("Retry-After",), 503: ("Retry-After",)}
_SECURITY: Final[dict[bool, list[dict[str, list[str]]]]] = {True: [{"token": []}], False: [{}, {"token": []}]}


@cache
def document() -> dict[str, Any]:
    """The document, OpenAPI 3.1."""
    spec = APISpec(
        title="Trickbook",
        version=VERSION,
        openapi_version="3.1.0",
        info={"description": "Two-player Spades on the record.", "license": {"name": "MIT", "identifier": "MIT"}},
        plugins=[MarshmallowPlugin(schema_name_resolver=_body_name)],
        servers=[{"url": "/"}],
    )
    spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    for name, schema in answer_schemas().items():
        spec.components.schema(name, schema)
    for name, header in HEADERS.items():
        spec.components.header(name, header)
    for status, title in problems.TITLES.items():
        content = {problems.MEDIA_TYPE: {"schema": reference(Problem)}}
        headers = _headers((*COMMON, *_OF_PROBLEMS.get(status, ())))
        spec.components.response(f"Problem{status}", {"description": title, "headers": headers, "content": content})
    move, shown = move_schema(spec), examples()
    for one in OPERATIONS:
        spec.path(path=one.path, operations={one.method: _operation(one, shown, move)})
    found: dict[str, Any] = portable(spec.to_dict())
    return found


def _body_name(schema: Any) -> str:
    """The name of a schema of requests: what is claimed in one is not what is answered."""
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Schema") + "Body"


def _operation(one: Operation, shown: dict[str, Any], move: Schema) -> dict[str, Any]:
    found: dict[str, Any] = {"summary": one.summary, "parameters": list(one.parameters)}
    if one.token is not None:
        found["security"] = _SECURITY[one.token]
    if one.body is not None:
        example = shown[one.body_example] if isinstance(one.body_example, str) else one.body_example
        content = {JSON: {"schema": _body(one.body, move), "example": example}}
        found["requestBody"] = {"required": True, "content": content}
    answers: dict[str, Any] = {}
    for answer in one.answers:
        described = answers.setdefault(str(answer.status), {"description": answer.text, "headers": {}, "content": {}})
        described["headers"] |= _headers((*COMMON, *answer.headers))
        if answer.media:
            described["content"][answer.media] = _content(answer, shown)
    refused = {str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in sorted(one.problems)}
    return {**found, "responses": {**answers, **refused}}


def _body(body: Body, move: Schema) -> Any:
    """The schema of a body: of an answer that is sent back its reference, else what the plugin reads."""
    if body == "move":
        return move
    return reference(body) if issubclass(body, msgspec.Struct) else body


def _headers(names: tuple[str, ...]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _content(answer: Answer, shown: dict[str, Any]) -> dict[str, Any]:
    """Of lines and frames the schema of each is given as ``x-itemSchema``, which is ``itemSchema`` in OpenAPI 3.2."""
    example = {"example": shown[answer.example]} if answer.example else {}
    if answer.kind is None:
        return example
    if answer.media in (NDJSON, STREAM):
        return {"schema": {"type": "string"}, "x-itemSchema": reference(answer.kind), **example}
    return {"schema": reference(answer.kind), **example}
