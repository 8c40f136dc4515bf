"""A server between a browser and the service that passes everything on and keeps every byte of every answer."""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

_HOP = {"connection", "transfer-encoding", "keep-alive", "content-length"}


class Recorder:
    """Listens on a port of its own; `url` is where the pages are."""

    def __init__(self, host: str, port: int) -> None:
        self._received: dict[str, bytearray] = {}
        self._lock = threading.Lock()
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, host, port))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def received(self) -> str:
        """Everything the browser got so far, but for the files the pages are made of."""
        with self._lock:
            return "\n".join(bytes(body).decode() for path, body in self._received.items() if not path.startswith("/static/"))

    def keep(self, path: str, chunk: bytes) -> None:
        """Some bytes of an answer."""
        with self._lock:
            self._received.setdefault(path, bytearray()).extend(chunk)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(recorder: Recorder, host: str, port: int) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *told: Any) -> None:
            pass

        def _pass_on(self) -> None:
            self.path = self.path.removeprefix(f"http://{self.headers['Host']}")  # of a browser that takes us for its proxy
            recorder.asked.append(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            connection = http.client.HTTPConnection(host, port, timeout=60)
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
            try:
                connection.request(self.command, self.path, body or None, headers)
                answer = connection.getresponse()
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in _HOP:
                        self.send_header(name, value)
                self.send_header("Connection", "close")
                self.end_headers()
                while chunk := answer.read1(65536):
                    recorder.keep(self.path, chunk)
                    self.wfile.write(chunk)
                    self.wfile.flush()
            except (OSError, http.client.HTTPException):
                self.close_connection = True  # the browser or the service has gone
            finally:
                connection.close()

        do_GET = do_POST = _pass_on  # noqa: N815 - the names that http.server asks for

    return Handler
