"""Requests and answers over HTTP/1.1, with an end to every one of them: a deadline for the whole answer, a limit on its
decoded bytes, no redirect followed, and the identity or gzip encoding alone.
"""

import http.client
import io
import socket
import threading
import time
import zlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec
import urllib3

from service.client import TIMEOUT

MAX_JSON: Final = 8 * 1024 * 1024
"""Decoded bytes of an answer in JSON."""
_CONNECT_SECONDS: Final = 5.0
_SILENCE_SECONDS: Final = 35.0
_PIECE: Final = 64 * 1024
_EVIDENCE: Final = 16_000
_current = threading.local()


class ClientError(Exception):
    """The service refused, or could not be reached; `code` is the problem's code (RFC 9457), or ``unreachable``, ``too_slow``
    or ``unreadable``. `status` is that of the answer, 0 without one."""

    def __init__(self, code: str, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class UnexpectedAnswer(ClientError):
    """An answer that is not one of the API: a redirect, another media type or encoding, no JSON object, too large.

    `evidence` is the beginning of it.
    """

    def __init__(self, code: str, message: str, status: int = 0, evidence: str = "") -> None:
        super().__init__(code, message, status)
        self.evidence = evidence[:_EVIDENCE]


class Answer(msgspec.Struct, frozen=True):
    """A whole answer: `kind` is its media type, `data` its decoded body, `location` where a redirect points."""

    status: int
    kind: str
    data: bytes
    location: str = ""

    def evidence(self) -> str:
        """What is kept of an answer that cannot be right."""
        return f"{self.status} {self.kind} {self.location}\n{self.data[:_EVIDENCE].decode('utf-8', 'replace')}"


class _TimedSocket(io.RawIOBase):
    """A socket's bytes until a moment of the monotonic clock. Raises `TimeoutError`."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock, self._until = sock, until
        self._file = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("the whole answer took too long")
        self._sock.settimeout(min(left, _SILENCE_SECONDS))
        count: int | None = self._file.readinto(buffer)
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


class _TimedFiles:
    """A socket as `http.client` needs it for an answer: something that makes a file."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedSocket(self._sock, _current.until))


class _TimedResponse(http.client.HTTPResponse):
    """An answer read under the deadline of the request of this thread."""

    def __init__(self, sock: socket.socket, *args: Any, **named: Any) -> None:
        super().__init__(_TimedFiles(sock), *args, **named)  # type: ignore[arg-type]


class _Connection(urllib3.connection.HTTPConnection):
    response_class = _TimedResponse


class _TLSConnection(urllib3.connection.HTTPSConnection):
    response_class = _TimedResponse


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


class Body(io.RawIOBase):
    """The decoded bytes of an answer as they come. Raises `ClientError` past the deadline, `UnexpectedAnswer` past `limit`."""

    def __init__(self, transport: "Transport", response: urllib3.BaseHTTPResponse, until: float, limit: int) -> None:
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding not in ("identity", "gzip", "x-gzip", ""):
            response.close()
            text = f"{transport.name} answered in the encoding {encoding[:40]!r}, which was not requested and is not supported"
            raise UnexpectedAnswer("unsupported_encoding", text, response.status, f"Content-Encoding: {encoding}")
        self._transport, self._response, self._until, self.limit = transport, response, until, limit
        self._gzip = zlib.decompressobj(wbits=31) if "gzip" in encoding else None
        self._size = self._received = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._piece(len(buffer)) if self._gzip is None else self._decoded(len(buffer))
        self._size += len(piece)
        if self._size > self.limit:
            raise self._unexpected("too_large", f"more than {self.limit // 1024 // 1024} MiB")
        buffer[: len(piece)] = piece
        return len(piece)

    def _decoded(self, size: int) -> bytes:
        assert self._gzip is not None
        try:
            while not self._gzip.eof:
                waiting = self._gzip.unconsumed_tail or self._piece(_PIECE)
                if not waiting:
                    raise self._unexpected("unreadable", "a gzip stream that was cut off")
                if piece := self._gzip.decompress(waiting, size):
                    return piece
        except zlib.error:
            raise self._unexpected("unreadable", "a damaged gzip stream") from None
        if self._gzip.unused_data or self._piece(1):
            raise self._unexpected("unreadable", "a gzip stream with something after its end")
        return b""

    def _piece(self, size: int) -> bytes:
        """Bytes as they were sent."""
        try:
            _current.until = self._until
            piece = self._response.read(size, decode_content=False)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise self._transport.failed(error, self._until) from None
        self._received += len(piece)
        if self._received > self.limit:
            raise self._unexpected("too_large", f"more than {self.limit // 1024 // 1024} MiB")
        return piece

    def _unexpected(self, code: str, what: str) -> UnexpectedAnswer:
        self._response.close()
        return UnexpectedAnswer(code, f"{self._transport.name} sent {what}", self._response.status, what)

    def close(self) -> None:
        if not self.closed:
            self._response.close()
        super().close()


class Transport:
    """The connections to the service at `base` (``http://host:port``). `timeout` is in seconds, for each whole answer."""

    def __init__(self, base: str, timeout: float = TIMEOUT) -> None:
        self.base = base.rstrip("/")
        self.timeout = timeout
        limits = urllib3.Timeout(connect=min(_CONNECT_SECONDS, timeout), read=_SILENCE_SECONDS)
        self._pools = urllib3.PoolManager(maxsize=4, retries=False, timeout=limits)
        self._pools.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}

    @property
    def name(self) -> str:
        """The service as a message calls it."""
        return f"The service at {self.base}"

    def send(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], wait: int = 0) -> Answer:
        """A request and its whole answer, of at most `MAX_JSON` bytes; `wait` are seconds that the service may take on top.
        Raises `ClientError`."""
        return whole(*self.open(method, path, body, headers, wait))

    def open(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], wait: int = 0, limit: int = MAX_JSON
    ) -> tuple[urllib3.BaseHTTPResponse, Body]:
        """A request, the head of its answer and its body, which is still to come. Raises `ClientError`."""
        _current.until = until = time.monotonic() + self.timeout + wait
        sent = {"Accept": "application/json", "Accept-Encoding": "identity", **headers}
        try:
            response = self._sent(method, path, body, sent)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise self.failed(error, until) from None
        return response, Body(self, response, until, limit)

    def _sent(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        """The head of the answer. A read is sent again, once, where the connection was closed before an answer began: the
        service may close an idle connection just as it is used again (RFC 9112 §9.3.1). Nothing else is repeated here."""
        for again in (method == "GET", False):
            try:
                return self._pools.request(
                    method,
                    self.base + path,
                    body=body,
                    headers=headers,
                    redirect=False,
                    preload_content=False,
                    decode_content=False,
                )
            except urllib3.exceptions.ProtocolError:
                if not again:
                    raise
        raise AssertionError("not reached")

    def failed(self, error: Exception, until: float) -> ClientError:
        """Why there is no answer, in a sentence."""
        if time.monotonic() >= until:
            return ClientError("too_slow", f"{self.name} did not finish its answer within {self.timeout:g} s")
        return ClientError("unreachable", f"{self.base} cannot be reached: {type(error).__name__}")


def whole(response: urllib3.BaseHTTPResponse, body: Body) -> Answer:
    """The answer once its body has come, and its connection is free for the next request. Raises `ClientError`."""
    data = body.readall()
    response.release_conn()
    return Answer(response.status, media_type(response), data, response.headers.get("Location", "")[:400])


def media_type(response: urllib3.BaseHTTPResponse) -> str:
    """The media type of an answer, without its parameters."""
    return str(response.headers.get("Content-Type", "")).partition(";")[0].strip().lower()[:80]
