"""A WSGI app behind granian's RSGI interface: a request gets a thread when it is whole, and the thread is one of its lane.

The event loop of the worker reads bodies, so that a slow one holds no thread; it answers by itself what has no lane free.
"""

import asyncio
import io
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final
from wsgiref.types import WSGIApplication

import structlog

from service.http.lanes import Answer, Lane, LanePlan
from service.runtime.idle_connections import IdleConnections

_LONGEST_REST: Final = 0.5
"""Seconds."""

_NO_BODY: Final = frozenset({204, 304})

log = structlog.get_logger("trickbook.server")


class WsgiAdapter:
    """The RSGI app of a worker. All of it but `_respond` runs on the event loop."""

    def __init__(
        self, app: WSGIApplication, plan: LanePlan, connections: IdleConnections, when_running: Callable[[], None]
    ) -> None:
        """`when_running` is called when the event loop takes signals, just before the first request."""
        self._app = app
        self._plan = plan
        self._connections = connections
        self._when_running = when_running
        self._lanes = {name: _Threads(name, lane) for name, lane in plan.lanes.items()}
        self._loop: asyncio.AbstractEventLoop

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._when_running()

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        body = await self._body(scope.headers, protocol)
        if isinstance(body, Answer):
            _send(protocol, body)
            return
        plan, headers, client = self._plan, scope.headers, _without_scope(scope.client)
        lane = self._lanes[plan.lane(scope.method, scope.path, scope.query_string, headers.get("accept", ""))]
        address = plan.address(_host(client), ",".join(value for name, value in headers.items() if name == "x-forwarded-for"))
        refusal = lane.refusal(address, plan)
        if refusal is not None:
            _send(protocol, refusal)
            return
        self._connections.begin(client)
        lane.enter(address)
        answered = self._loop.create_future()
        try:
            lane.pool.submit(self._run, lane.rest, _environ(scope, client, body), protocol, answered)
            await answered
        finally:
            lane.leave(address)
            self._connections.end(client)

    async def _body(self, headers: Any, protocol: Any) -> bytes | Answer:
        """The whole body, cut at the plan's largest; empty where a larger one is announced. Else the answer to give."""
        most = self._plan.max_body
        length = headers.get("content-length")
        chunked = headers.get("transfer-encoding") is not None
        if not chunked and (length is None or length == "0" or not length.isdecimal() or int(length) > most):
            return b""
        try:
            async with asyncio.timeout(self._plan.body_seconds):
                if not chunked:
                    return bytes(await protocol())
                return await self._chunked(protocol)
        except TimeoutError:
            return self._plan.late
        except RuntimeError:  # granian's errors: the client has gone, or sent what is no chunk
            return self._plan.unreadable

    async def _chunked(self, protocol: Any) -> bytes | Answer:
        """A body of unknown length. granian gives an empty piece for the end, and one more before it for an error."""
        pieces, ended = bytearray(), False
        async for piece in protocol:
            if ended:
                return self._plan.unreadable
            ended = not piece
            pieces += piece
            if len(pieces) >= self._plan.max_body:
                return bytes(pieces[: self._plan.max_body])
        return bytes(pieces) if ended else self._plan.unreadable

    def _run(self, rest: float, environ: dict[str, Any], protocol: Any, answered: "asyncio.Future[None]") -> None:
        begun = time.thread_time()
        try:
            self._respond(environ, protocol)
        except Exception:
            log.exception("request_failed")
            _send(protocol, Answer(500, [], b""))
        finally:
            environ.clear()
            with suppress(RuntimeError):  # the loop has ended with the process
                self._loop.call_soon_threadsafe(_resolve, answered)
        if rest:
            time.sleep(min(rest * (time.thread_time() - begun), _LONGEST_REST))

    def _respond(self, environ: dict[str, Any], protocol: Any) -> None:
        status, headers = 500, list[tuple[str, str]]()

        def start(line: str, fields: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
            nonlocal status, headers
            status, headers = int(line.split(" ", 1)[0]), fields
            return _write

        pieces = self._app(environ, start)
        try:
            if environ["REQUEST_METHOD"] == "HEAD" or status in _NO_BODY:
                protocol.response_empty(status, headers)
            elif any(name.lower() == "content-length" for name, _ in headers):
                protocol.response_bytes(status, headers, b"".join(pieces))
            else:
                self._stream(protocol.response_stream(status, headers), pieces)
        finally:
            close = getattr(pieces, "close", None)
            if close is not None:
                close()

    def _stream(self, transport: Any, pieces: Iterable[bytes]) -> None:
        """Sends each piece when it is made; ends when the client has gone."""
        for piece in pieces:
            if piece:
                try:
                    asyncio.run_coroutine_threadsafe(_await(transport.send_bytes, piece), self._loop).result()
                except RuntimeError:  # granian's error for a closed connection
                    return


class _Threads:
    """The threads of a lane, and how many requests are in it: in all, and of each address where that is bounded."""

    def __init__(self, name: str, lane: Lane) -> None:
        self.pool = ThreadPoolExecutor(lane.threads, thread_name_prefix=name)
        self.rest = lane.rest
        self._room = lane.threads + lane.queue
        self._per_address = lane.per_address
        self._held = 0
        self._by_address: Counter[str] = Counter()

    def refusal(self, address: str, plan: LanePlan) -> Answer | None:
        """The answer where there is no room for a request of this address."""
        if self._per_address is not None and self._by_address[address] >= self._per_address:
            return plan.too_many
        return plan.full if self._held >= self._room else None

    def enter(self, address: str) -> None:
        self._held += 1
        if self._per_address is not None:
            self._by_address[address] += 1

    def leave(self, address: str) -> None:
        self._held -= 1
        if self._per_address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]


def _environ(scope: Any, client: str, body: bytes) -> dict[str, Any]:
    """The environment of PEP 3333. A header with an underscore is left out: it could pass for another one."""
    server, _, port = scope.server.rpartition(":")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": _host(client),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
    }
    for name, value in scope.headers.items():
        if "_" in name:
            continue
        key = "HTTP_" + name.upper().replace("-", "_")
        if key in environ:
            value = f"{environ[key]}{'; ' if name == 'cookie' else ','}{value}"
        environ[key] = value
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    length, kind = environ.pop("HTTP_CONTENT_LENGTH", None), environ.pop("HTTP_CONTENT_TYPE", None)
    if body or length is not None:
        environ["CONTENT_LENGTH"] = str(len(body)) if body else length
    if kind is not None:
        environ["CONTENT_TYPE"] = kind
    return environ


def _host(client: str) -> str:
    return client.rpartition(":")[0].strip("[]")


def _without_scope(client: str) -> str:
    """Without the interface of a link-local IPv6 address, which the kernel's tables do not give."""
    if "%" not in client:
        return client
    host, _, rest = client.partition("%")
    return host + rest[rest.index("]") :]


def _send(protocol: Any, answer: Answer) -> None:
    """Answers, unless there is an answer already or the client has gone."""
    with suppress(RuntimeError):
        protocol.response_bytes(*answer)


async def _await(send: Callable[[bytes], Awaitable[None]], piece: bytes) -> None:
    await send(piece)


def _resolve(answered: "asyncio.Future[None]") -> None:
    if not answered.done():
        answered.set_result(None)


def _write(piece: bytes) -> object:
    raise NotImplementedError("the app returns its body; nothing here writes it")
