"""A proxy between client and server that loses, holds and cuts exactly what a test tells it to.

It reads whole requests and whole replies, so it knows which reply belongs to which request; nothing in it is timed.
"""

import contextlib
import socket
import threading
from collections import deque
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

_SHAPES: Final = {b"*": 1, b"~": 1, b">": 1, b"%": 2, b"|": 2}


def frame(reader: Any) -> bytes:
    """The bytes of one value of the protocol (RESP2 or RESP3). Raises `EOFError` at the end."""
    line: bytes = reader.readline()
    if not line.endswith(b"\r\n"):
        raise EOFError
    kind = line[:1]
    if kind in b"$=!":
        size = int(line[1:])
        if size < 0:
            return line
        body: bytes = reader.read(size + 2)
        if len(body) < size + 2:
            raise EOFError
        return line + body
    if kind in _SHAPES:
        return line + b"".join(frame(reader) for _ in range(max(0, int(line[1:])) * _SHAPES[kind]))
    return line


class Held:
    """A request that has come in and is not passed on before `release`."""

    def __init__(self) -> None:
        self.arrived = threading.Event()
        self.executed = threading.Event()
        self._released = threading.Event()

    def release(self) -> None:
        """Passes it on, whether or not its sender is still there. Returns when the server has answered it."""
        self._released.set()
        assert self.executed.wait(10), "the server never answered the request that was held"

    def wait(self) -> None:
        self.arrived.set()
        self._released.wait()


class Proxy:
    """Listens in `directory` (or on TCP) and passes everything on to the server's socket but for what it was told."""

    def __init__(self, directory: Path, upstream: Path, *, tcp: bool = False) -> None:
        self._upstream = str(upstream)
        self._path = None if tcp else directory / "p"
        self._lock = threading.Lock()
        self._links: set[_Link] = set()
        self._threads: list[threading.Thread] = []
        self._plans: dict[str, deque[str | Held]] = {}
        self._refusing = False
        self.received: list[str] = []
        """The name of every command that came in, in order."""
        if self._path is None:
            self._listener = socket.create_server(("127.0.0.1", 0))
            self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"
        else:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(str(self._path))
            self._listener.listen(128)
            self.url = f"unix://{quote(str(self._path))}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def swallow_reply(self, command: str) -> None:
        """The next `command` is executed; its reply never comes."""
        self._plan(command, "swallow reply")

    def swallow_request(self, command: str) -> None:
        """The next `command` never reaches the server, and no reply comes."""
        self._plan(command, "swallow request")

    def cut_at_reply(self, command: str) -> None:
        """The next `command` is executed, then the connection is cut instead of the reply."""
        self._plan(command, "cut at reply")

    def hold_request(self, command: str) -> Held:
        """The next `command` is not passed on before its release."""
        held = Held()
        self._plan(command, held)
        return held

    def cut(self) -> None:
        """Cuts every connection that is open now."""
        with self._lock:
            links = list(self._links)
        for link in links:
            link.cut()

    def refuse(self) -> None:
        """From now on no connection lives, old or new."""
        self._refusing = True
        self.cut()

    def accept(self) -> None:
        """Connections are let through again."""
        self._refusing = False

    def count(self, command: str) -> int:
        """How often `command` came in."""
        with self._lock:
            return self.received.count(command)

    def close(self) -> None:
        self._refusing = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join(10)
        self._listener.close()
        self.cut()
        with self._lock:
            plans = [step for steps in self._plans.values() for step in steps]
        for step in plans:
            if isinstance(step, Held):
                step._released.set()
        for thread in self._threads:
            thread.join(10)

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _plan(self, command: str, step: "str | Held") -> None:
        with self._lock:
            self._plans.setdefault(command, deque()).append(step)

    def take(self, command: str) -> "str | Held":
        """Notes a command that came in; what is to be done with it."""
        with self._lock:
            self.received.append(command)
            steps = self._plans.get(command)
            return steps.popleft() if steps else "pass"

    def forget(self, link: "_Link") -> None:
        with self._lock:
            self._links.discard(link)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                if self._refusing:
                    raise ConnectionRefusedError
                server.connect(self._upstream)
            except OSError:
                client.close()
                server.close()
                continue
            link = _Link(self, client, server)
            with self._lock:
                self._links.add(link)
            for run in (link.requests, link.replies):
                thread = threading.Thread(target=run, daemon=True)
                self._threads.append(thread)
                thread.start()


class _Link:
    """One client's connection and the one to the server that belongs to it."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy, self._client, self._server = proxy, client, server
        self._open = 2
        self._changed = threading.Condition()
        self._due: deque[str | Held] = deque()

    def cut(self) -> None:
        for end in (self._client, self._server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def requests(self) -> None:
        try:
            with self._client.makefile("rb") as reader:
                while True:
                    raw = frame(reader)
                    step = self._proxy.take(raw.split(b"\r\n")[2].decode().upper())
                    if step == "swallow request":
                        continue
                    if isinstance(step, Held):
                        step.wait()
                    with self._changed:
                        self._due.append(step)
                    self._server.sendall(raw)
        except (OSError, EOFError, ValueError):
            # The client has gone; what it sent is still executed, as by a server that had it in its buffer.
            with self._changed:
                self._changed.wait_for(lambda: not self._due, timeout=10)
            self.cut()
        finally:
            self._end()

    def replies(self) -> None:
        try:
            with self._server.makefile("rb") as reader:
                while True:
                    raw = frame(reader)
                    step = "pass" if raw.startswith(b">") else self._due[0]
                    if step == "cut at reply":
                        self.cut()
                    elif step != "swallow reply":
                        with contextlib.suppress(OSError):  # the client has gone: the other replies are still read
                            self._client.sendall(raw)
                    if isinstance(step, Held):
                        step.executed.set()
                    if not raw.startswith(b">"):
                        with self._changed:
                            self._due.popleft()
                            self._changed.notify_all()
        except (OSError, EOFError, ValueError):
            with self._changed:
                self._due.clear()
                self._changed.notify_all()
            self.cut()
        finally:
            self._end()

    def _end(self) -> None:
        with self._changed:
            self._open -= 1
            last = self._open == 0
        if last:
            self._client.close()
            self._server.close()
            self._proxy.forget(self)
