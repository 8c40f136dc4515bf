"""The methods of the HTTP API, for bots, the demo and the command line: one token, and answers whose form was checked.

What an answer says is checked by `service.client.player`.
"""

import io
import json
import math
import re
import uuid
from typing import Any, BinaryIO, Final, NoReturn

from events.record import MAX_BYTES, MAX_LINE
from service.client import TIMEOUT
from service.client.transport import MAX_JSON, Answer, ClientError, Transport, UnexpectedAnswer, media_type, whole

__all__ = ["MAX_WAIT", "Client", "ClientError", "UnexpectedAnswer"]

MAX_WAIT: Final = 25
MAX_DEPTH: Final = 32
"""Nesting of an answer; those of the API have at most 8."""
_TRIES: Final = 5
_LONGEST_DETAIL: Final = 1000
_JSON: Final = ("application/json", "application/problem+json")
_NDJSON: Final = "application/x-ndjson"
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")
_KINDS: Final = {"": "no media type", "text/html": "a web page (text/html)"}


class Client:
    """One seat, or a spectator without a token, at the service of `base` (``http://host:port``).

    `timeout` are the seconds for each whole answer; a wait for news comes on top. Every method raises `ClientError` for a
    refusal or where the service cannot be reached, and `UnexpectedAnswer` for what is no answer of the API.
    """

    def __init__(self, base: str, token: str | None = None, timeout: float = TIMEOUT) -> None:
        self.token = token
        self._timeout = timeout
        self._transport = Transport(base, timeout)

    @property
    def base(self) -> str:
        """The address of the service."""
        return self._transport.base

    @base.setter
    def base(self, base: str) -> None:
        self._transport = Transport(base, self._timeout)

    def create(self, name: str, rules: dict[str, Any] | None = None, key: str | None = None, **more: Any) -> dict[str, Any]:
        """Makes a game and takes its token."""
        body = {"name": name, **({"rules": rules} if rules else {}), **more}
        return self._seated(self._post("/v1/games", body, key or str(uuid.uuid4()), None, "a new game"))

    def join(self, game: str, name: str, invite: str, key: str | None = None, **more: Any) -> dict[str, Any]:
        """Takes the other seat and its token; `key` is for a request that is sent again after a crash."""
        body = {"name": name, "invite": invite, **more}
        return self._seated(self._post(f"/v1/games/{game}/join", body, key or str(uuid.uuid4()), None, "a seat at the game"))

    def move(
        self, game: str, move: dict[str, Any], key: str | None = None, version: int | None = None, etag: str | None = None
    ) -> dict[str, Any]:
        """Makes a move, repeated with the same key until it is known what became of it.

        With `version`, or with a whole `etag`, only on that place.
        """
        expected = etag if etag is not None or version is None else f'"{version}"'
        return self._post(f"/v1/games/{game}/moves", move, key or str(uuid.uuid4()), expected, "the answer to a move")

    def dispute(self, game: str, dispute: dict[str, Any], key: str) -> dict[str, Any]:
        """Opens a dispute, repeated with the same key until it is known what became of it."""
        return self._post(f"/v1/games/{game}/disputes", dispute, key, None, "the answer to a dispute")

    def compare_receipt(self, game: str, receipt: dict[str, Any]) -> str:
        """What the log says of a receipt: `in_log`, `history_lost` or `loss_accepted`.

        Raises `ClientError` for a forged one.
        """
        answer = self._post(f"/v1/games/{game}/receipts", receipt, str(uuid.uuid4()), None, "a comparison")
        return str(answer.get("outcome"))

    def view(self, game: str, known: dict[str, Any] | None = None, wait: int = 0) -> dict[str, Any]:
        """The view; with the `known` one and `wait` seconds, as soon as there is a newer one, else the known one."""
        headers = {"If-None-Match": _etag(known)} if known else {}
        path = f"/v1/games/{game}?wait={wait}" if wait else f"/v1/games/{game}"
        answer = self._request("GET", path, None, headers, wait)
        return known if answer.status == 304 and known is not None else self._read(answer, "a game's view")

    def events(self, game: str, after: int) -> dict[str, Any]:
        """A page of the events after a version, as the API gives them."""
        return self._read(self._request("GET", f"/v1/games/{game}/events?after={after}"), "a list of events")

    def get(self, path: str) -> dict[str, Any]:
        """Any answer in JSON."""
        return self._read(self._request("GET", path), "a JSON object")

    def record(self, game: str) -> BinaryIO:
        """The portable record of a game as an open file that is still being sent; reading it may raise `ClientError` too.

        It ends after 64 MiB and a line, so that a reader of records meets its own limit first.
        """
        headers = {"Accept": f"{_NDJSON}, application/json", **self._authorization()}
        transport, path = self._transport, f"/v1/games/{game}/record"
        response, body = transport.open("GET", path, None, headers, limit=MAX_BYTES + MAX_LINE)
        kind = media_type(response)
        if response.status == 200 and kind == _NDJSON:
            return io.BufferedReader(body)
        with body:
            body.limit = MAX_JSON
            answer = whole(response, body)
        if answer.kind in _JSON:
            self._read(answer, "a game's record")
            kind = "a JSON object"
        self._judge(answer, "a game's record")
        raise self._unexpected(answer, _KINDS.get(kind, kind), "a game's record")

    def _seated(self, answer: dict[str, Any]) -> dict[str, Any]:
        token = answer.get("token")
        if isinstance(token, str):
            self.token = token
        return answer

    def _post(self, path: str, body: dict[str, Any], key: str, expected: str | None, wanted: str) -> dict[str, Any]:
        raw = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        if expected is not None:
            headers["If-Match"] = expected
        for again in range(_TRIES):
            last = again == _TRIES - 1
            try:
                answer = self._request("POST", path, raw, headers)
            except UnexpectedAnswer:
                raise
            except ClientError:
                if last:
                    raise
                continue
            if answer.status != 503 or last:
                return self._read(answer, wanted)
        raise AssertionError("not reached")

    def _request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None, wait: int = 0
    ) -> Answer:
        return self._transport.send(method, path, body, {**(headers or {}), **self._authorization()}, wait)

    def _authorization(self) -> dict[str, str]:
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}

    def _read(self, answer: Answer, wanted: str) -> dict[str, Any]:
        """The object of an answer. Raises `ClientError` for a refusal, `UnexpectedAnswer` for what is no object in JSON."""
        self._judge(answer, wanted)
        if answer.kind not in _JSON:
            raise self._unexpected(answer, _KINDS.get(answer.kind, answer.kind), wanted)
        try:
            value = decoded(answer.data)
        except ValueError as error:
            raise self._unexpected(answer, str(error), wanted) from None
        if not isinstance(value, dict):
            raise self._unexpected(answer, "null" if value is None else f"a JSON {_JSON_NAMES[type(value)]}", wanted)
        return value

    def _judge(self, answer: Answer, wanted: str) -> None:
        """Raises for an answer that is no success."""
        if 200 <= answer.status < 300:
            return
        if answer.status < 400:
            where = f" to {answer.location}" if answer.location else ""
            raise self._unexpected(answer, f"with a redirect ({answer.status}){where}", wanted)
        try:
            problem = decoded(answer.data) if answer.kind in _JSON else None
        except ValueError:
            problem = None
        code, detail = (problem.get("code"), problem.get("detail")) if isinstance(problem, dict) else (None, None)
        if not isinstance(code, str) or not isinstance(detail, str) or not _CODE.match(code):
            text = f"{self._transport.name} answered {answer.status} without a reason that can be read, instead of {wanted}"
            raise ClientError("unreadable", text, answer.status)
        raise ClientError(code, detail[:_LONGEST_DETAIL], answer.status)

    def _unexpected(self, answer: Answer, what: str, wanted: str) -> UnexpectedAnswer:
        verb = "answered" if what.startswith("with ") else "answered with"
        text = f"{self._transport.name} {verb} {what} instead of {wanted}"
        return UnexpectedAnswer("unexpected_answer", text, answer.status, answer.evidence())


def _etag(view: dict[str, Any]) -> str:
    """The ETag that the service gives a view; that of a frozen game says so."""
    return f'"{view["version"]}.{view["head"]}{".frozen" if "frozen" in view else ""}"'


_JSON_NAMES: Final = {list: "array", str: "string", bool: "boolean", int: "number", float: "number"}


def decoded(data: bytes) -> Any:
    """The value of a JSON text (RFC 8259). Raises `ValueError`, whose message names what it is instead."""
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise ValueError(f"JSON nested deeper than {MAX_DEPTH}") from None
    except ValueError:
        raise ValueError("something that is not JSON") from None
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for each in level if isinstance(each, dict | list) for item in _items(each)]
        if not level:
            return value
    raise ValueError(f"JSON nested deeper than {MAX_DEPTH}")


def _items(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number
