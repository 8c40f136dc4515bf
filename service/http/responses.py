"""Writing answers: JSON, NDJSON, and the headers that every answer carries."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from flask import Response

from service.games.handler import Reply

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"


def json(body: Any, status: int = 200) -> Response:
    """The body as JSON; the same value gives the same bytes."""
    return Response(msgspec.json.encode(body), status, content_type=JSON)


def ndjson(lines: Iterable[Any]) -> Response:
    """One JSON value a line."""
    return Response(b"".join(msgspec.json.encode(line) + b"\n" for line in lines), content_type=NDJSON)


def etag(view: dict[str, Any]) -> str:
    """``"<version>.<head>"`` of a view, with the quotes."""
    return f'"{view["version"]}.{view["head"]}"'


def answer(found: Reply) -> Response:
    """The answer to a create, a join or a move."""
    response = json(found.body, 201)
    response.headers["ETag"] = etag(found.body["view"])
    if found.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return response
