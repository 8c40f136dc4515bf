"""A client of the HTTP API, for bots, the demo and the command line: it knows one token and what the answers say."""

import json
import uuid
from typing import Any, Final

import urllib3

MAX_WAIT: Final = 25
_TRIES: Final = 5


class ClientError(Exception):
    """The service refused, or could not be reached; `code` is the problem's code, or ``unreachable``."""

    def __init__(self, code: str, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class Client:
    """One seat, or a spectator without a token, at the service of `base` (``http://host:port``)."""

    def __init__(self, base: str, token: str | None = None) -> None:
        self.base = base.rstrip("/")
        self.token = token
        self._pool = urllib3.PoolManager(maxsize=4, retries=False, timeout=urllib3.Timeout(connect=5, read=MAX_WAIT + 10))

    def create(self, name: str, rules: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """Makes a game and takes its token."""
        body = {"name": name, **({"rules": rules} if rules else {}), **more}
        return self._seated(self._post("/v1/games", body, str(uuid.uuid4())))

    def join(self, game: str, name: str, invite: str, key: str | None = None, **more: Any) -> dict[str, Any]:
        """Takes the other seat and its token; `key` is for who asks again after a crash."""
        body = {"name": name, "invite": invite, **more}
        return self._seated(self._post(f"/v1/games/{game}/join", body, key or str(uuid.uuid4())))

    def move(
        self, game: str, move: dict[str, Any], key: str | None = None, version: int | None = None, etag: str | None = None
    ) -> dict[str, Any]:
        """Makes a move, repeated with the same key until it is known what became of it.

        With `version`, or with a whole `etag`, only on that place.
        """
        expected = etag if etag is not None or version is None else f'"{version}"'
        return self._post(f"/v1/games/{game}/moves", move, key or str(uuid.uuid4()), expected)

    def dispute(self, game: str, dispute: dict[str, Any], key: str) -> dict[str, Any]:
        """Opens a dispute, repeated with the same key until it is known what became of it."""
        return self._post(f"/v1/games/{game}/disputes", dispute, key)

    def view(self, game: str, known: dict[str, Any] | None = None, wait: int = 0) -> dict[str, Any]:
        """The view; with the `known` one and `wait` seconds, as soon as there is a newer one, else the known one."""
        headers = {"If-None-Match": f'"{known["version"]}.{known["head"]}"'} if known else {}
        response = self._request("GET", f"/v1/games/{game}?wait={wait}" if wait else f"/v1/games/{game}", headers=headers)
        return known if response.status == 304 and known is not None else self._read(response)

    def get(self, path: str) -> dict[str, Any]:
        """Any answer in JSON."""
        return self._read(self._request("GET", path))

    def raw(self, path: str) -> bytes:
        """Any answer as it came."""
        response = self._request("GET", path)
        if response.status >= 400:
            self._read(response)
        return response.data

    def _seated(self, answer: dict[str, Any]) -> dict[str, Any]:
        self.token = answer["token"]
        return answer

    def _post(self, path: str, body: dict[str, Any], key: str, expected: str | None = None) -> dict[str, Any]:
        raw = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        if expected is not None:
            headers["If-Match"] = expected
        for again in range(_TRIES):
            last = again == _TRIES - 1
            try:
                response = self._request("POST", path, raw, headers)
            except ClientError:
                if last:
                    raise
                continue
            if response.status != 503 or last:
                return self._read(response)
        raise AssertionError("not reached")

    def _request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> urllib3.BaseHTTPResponse:
        sent = {"Accept": "application/json", **(headers or {})}
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}"
        try:
            return self._pool.request(method, self.base + path, body=body, headers=sent)
        except urllib3.exceptions.HTTPError as error:
            raise ClientError("unreachable", f"{self.base} cannot be reached: {type(error).__name__}") from None

    def _read(self, response: urllib3.BaseHTTPResponse) -> dict[str, Any]:
        try:
            answer = json.loads(response.data)
        except ValueError:
            raise ClientError("unreadable", f"{self.base} answered {response.status} with no JSON", response.status) from None
        if response.status >= 400:
            raise ClientError(answer.get("code", "unknown"), answer.get("detail", "no reason was given"), response.status)
        found: dict[str, Any] = answer
        return found
