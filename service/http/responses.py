"""Writing answers: JSON, NDJSON, and the headers that every answer carries."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from flask import Response

from service.games import results
from service.games.commits import Committed
from service.http.request_reader import games

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"


def json(body: Any, status: int = 200) -> Response:
    """The body as JSON; the same value gives the same bytes."""
    return Response(msgspec.json.encode(body), status, content_type=JSON)


def ndjson(lines: Iterable[Any]) -> Response:
    """One JSON value a line."""
    return Response(b"".join(msgspec.json.encode(line) + b"\n" for line in lines), content_type=NDJSON)


def etag(version: int, head: str) -> str:
    """``"<version>.<head>"``, with the quotes."""
    return f'"{version}.{head}"'


def created(done: Committed, key: bytes, base: str) -> Response:
    """The answer to a create; `base` is the address that the invite's link begins with."""
    body = results.created(games().identity, done, games().hidden.table(done.after), key)
    if body.invite is not None:
        body = msgspec.structs.replace(body, invite_link=f"{base}/g/{body.game}#join={body.invite}")
    return _written(body, done)


def joined(done: Committed, key: bytes) -> Response:
    """The answer to a join."""
    return _written(results.joined(games().identity, done, games().hidden.table(done.after), key), done)


def moved(done: Committed) -> Response:
    """The answer to a move."""
    return _written(results.moved(done, games().hidden.table(done.after), results.asker(done)), done)


def disputed(done: Committed) -> Response:
    """The answer to a dispute opened or settled."""
    return _written(results.disputed(done, games().hidden.table(done.after), results.asker(done)), done)


def _written(body: results.Joined | results.Moved, done: Committed) -> Response:
    response = json(body, 201)
    response.headers["ETag"] = etag(body.view.version, body.view.head)
    if done.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return response
