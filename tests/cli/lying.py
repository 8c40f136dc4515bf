"""A service that lies on the wire: a real HTTP server between a command and the real service, which changes what it likes."""

import gzip
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import msgspec

Json = dict[str, Any]
_HOP: Final = ("transfer-encoding", "connection", "content-length", "date", "server")


class Reply(msgspec.Struct):
    """An HTTP answer; `drip` are the seconds between two of its bytes."""

    status: int = 200
    body: bytes = b""
    kind: str = "application/json"
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    drip: float = 0.0

    @property
    def value(self) -> Any:
        """The body as JSON; None for another one."""
        return json.loads(self.body) if self.kind in ("application/json", "application/problem+json") and self.body else None


def as_json(value: Any, status: int = 200) -> Reply:
    """A value as an answer."""
    return Reply(status, json.dumps(value).encode())


def problem(code: str, detail: str, status: int = 409) -> Reply:
    """A refusal (RFC 9457)."""
    return Reply(status, json.dumps({"code": code, "detail": detail, "status": status}).encode(), "application/problem+json")


REDIRECT: Final = Reply(302, b"", "text/html", {"Location": "http://elsewhere.test/\x7f"})
UNEXPECTED: Final[dict[str, tuple[Reply, str]]] = {
    "array": (as_json([]), "array"),
    "null": (as_json(None), "null"),
    "number": (as_json(7), "number"),
    "brackets": (Reply(body=b"[" * 100_000 + b"]" * 100_000), "nested deeper"),
    "deep object": (Reply(body=b'{"a":' * 900 + b"1" + b"}" * 900), "nested deeper"),
    "infinity": (Reply(body=b'{"version":1e999}'), "not JSON"),
    "not a number": (Reply(body=b'{"version":NaN}'), "not JSON"),
    "no UTF-8": (Reply(body=b'{"a":"\xff"}'), "not JSON"),
    "cut": (Reply(body=b'{"version":'), "not JSON"),
    "nothing": (Reply(body=b""), "not JSON"),
    "redirect": (REDIRECT, "a redirect (302)"),
    "page": (Reply(body=b"<html>VERIFIED</html>", kind="text/html"), "a web page"),
    "text": (Reply(body=b"{}", kind="text/plain"), "text/plain"),
    "brotli": (Reply(body=b"{}", headers={"Content-Encoding": "br"}), "encoding 'br'"),
    "gzip bomb": (Reply(body=gzip.compress(bytes(40 << 20), 1), headers={"Content-Encoding": "gzip"}), "more than 8 MiB"),
    "no gzip": (Reply(body=b"{}", headers={"Content-Encoding": "gzip"}), "damaged gzip"),
    "cut gzip": (Reply(body=gzip.compress(b"{}")[:-9], headers={"Content-Encoding": "gzip"}), "cut off"),
}
"""Answers that are none of the API, and what the sentence about them says."""

Lie = Callable[[str, str, Callable[[], Reply]], Reply]


class LyingService:
    """`lie` gets method, path and a function that asks the true service; it gives the answer. `asked` are the requests, each
    as method, path and headers."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.lie: Lie = lambda method, path, true: true()
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.ended = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                service._answer(self)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that hung up has seen enough."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length", 0))
        body = handler.rfile.read(length) if length else None
        sent = dict(handler.headers)
        self.asked.append((handler.command, handler.path, sent))
        reply = self.lie(handler.command, handler.path, lambda: self._true(handler.command, handler.path, body, sent))
        try:
            self._write(handler, reply)
        except OSError:  # the client has seen enough
            handler.close_connection = True

    def _write(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        headers = {"Content-Type": reply.kind, "Content-Length": str(len(reply.body)), **reply.headers}
        handler.send_response_only(reply.status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if not reply.drip:
            handler.wfile.write(reply.body)
        for byte in reply.body if reply.drip else b"":
            handler.wfile.write(bytes([byte]))
            if self.ended.wait(reply.drip):
                return

    def _true(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Reply:
        kept = {name: value for name, value in headers.items() if name.lower() not in ("host", "connection", "content-length")}
        request = urllib.request.Request(self.upstream + path, body, kept, method=method)
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                status, raw, found = answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            status, raw, found = error.code, error.read(), error.headers
        more = {name: value for name, value in found.items() if name.lower() not in (*_HOP, "content-type")}
        return Reply(status, raw, found.get("Content-Type", "").partition(";")[0], more)


@contextmanager
def lying(upstream: str) -> Iterator[LyingService]:
    """A lying service in front of a true one, ended with the block."""
    service = LyingService(upstream)
    try:
        yield service
    finally:
        service.close()


def seconds_of(act: Callable[[], Any]) -> tuple[Any, float]:
    """What an act gives and how long it took."""
    begun = time.monotonic()
    return act(), time.monotonic() - begun
