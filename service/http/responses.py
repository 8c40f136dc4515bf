"""Writing answers: JSON, NDJSON, and the headers that every answer carries."""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
from flask import Response, request

from service.base.version import build
from service.games import results
from service.games.commits import Committed
from service.games.result_types import Joined, Moved
from service.http import request_reader
from service.http.request_reader import games

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"


def json(body: Any, status: int = 200) -> Response:
    """The body as JSON; the same value gives the same bytes."""
    return Response(msgspec.json.encode(body), status, content_type=JSON)


def ndjson(lines: Iterable[Any]) -> Response:
    """One JSON value a line."""
    return Response(b"".join(msgspec.json.encode(line) + b"\n" for line in lines), content_type=NDJSON)


def raw(body: bytes) -> Response:
    """JSON that is ready."""
    return Response(body, content_type=JSON)


def answer_tag(version: int, *parts: str) -> str:
    """The ETag of an answer that is made of a log, for this address: `parts` name the log, the viewer and the names in it."""
    whole = "\0".join((build(), request.full_path, *parts))
    return f'"{version}.{hashlib.sha256(whole.encode()).hexdigest()[:32]}"'


def conditional(tag: str, body: Callable[[], bytes], *, storable: bool) -> Response:
    """The JSON of `body`, or 304 where the client has what `tag` names; a `storable` answer may be kept by the browser."""
    response = Response(status=304) if tag in request_reader.known_tags() else raw(body())
    response.headers["ETag"] = tag
    if storable:
        response.headers["Cache-Control"] = "private, no-cache"
    return response


def digest(value: Any) -> str:
    """The SHA-256 of a value of plain parts, in hex."""
    return hashlib.sha256(msgspec.msgpack.encode(value)).hexdigest()


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


def _written(body: Joined | Moved, done: Committed) -> Response:
    response = json(body, 201)
    response.headers["ETag"] = etag(body.view.version, body.view.head)
    if done.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return response
