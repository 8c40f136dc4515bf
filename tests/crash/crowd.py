"""A crowd in a process of its own: slow bodies, idle connections that come back, streams and waits, from ten addresses.

`python -m tests.crash.crowd PORT GAME '{"slow": 2000, …}'` prints a line of JSON with its counts about once a second until
its standard input closes.
"""

import json
import re
import resource
import selectors
import socket
import sys
import time
from collections import Counter, deque
from typing import Any, Final

ADDRESSES: Final = [f"127.0.0.{10 + number}" for number in range(10)]
_IP_BIND_ADDRESS_NO_PORT: Final = 24
_ETAG: Final = re.compile(rb'(?i)\r\netag: ("[^"]+")')
_BYTE_SECONDS: Final = 0.5
_AGAIN_SECONDS: Final = 1.0
"""A stream or a wait that was refused, or a wait that was answered, is asked for again after this time."""

_REPORT_SECONDS: Final = 1.0


class Member:
    """One of the crowd, with the connection it has now."""

    def __init__(self, kind: str, address: str, request: bytes) -> None:
        self.kind = kind
        self.address = address
        self.request = request
        self.wire: socket.socket | None = None
        self.asked = False
        self.connected = False
        self.held = False
        """Whether this is a stream that is open."""


class Crowd:
    """All of them, in one loop."""

    def __init__(self, port: int, game: str, sizes: dict[str, int]) -> None:
        self._server = ("127.0.0.1", port)
        self._selector = selectors.DefaultSelector()
        self._due: deque[tuple[float, Member]] = deque()
        self._bytes: deque[tuple[float, Member]] = deque()
        self._new: deque[Member] = deque()
        self.counts: Counter[str] = Counter()
        requests = {
            "slow": f"POST /v1/games/{game}/moves HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            "Content-Length: 1000\r\n\r\n{",
            "idle": "",
            "stream": f"GET /v1/games/{game}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n",
            "wait": f"GET /v1/games/{game}?wait=25 HTTP/1.1\r\nHost: x\r\n\r\n",
        }
        proxied = sizes.pop("proxied", 0)
        for kind, size in sizes.items():
            for number in range(size):
                text = requests[kind]
                if proxied and kind in ("stream", "wait"):
                    text = text[:-2] + f"X-Forwarded-For: 10.{kind == 'wait'}.{number // 1000}.{number // 4 % 250}\r\n\r\n"
                if kind == "idle" and number % 2:
                    text = "GET /healthz HTTP/1.1\r\nHost:"
                self._new.append(Member(kind, ADDRESSES[number % len(ADDRESSES)], text.encode()))

    def run(self) -> None:
        self._selector.register(sys.stdin, selectors.EVENT_READ)
        report = time.monotonic()
        while True:
            for _ in range(min(len(self._new), 200)):
                self._connect(self._new.popleft())
            for key, _ in self._selector.select(0 if self._new else 0.05):
                if key.data is None:
                    return
                self._ready(key.data)
            now = time.monotonic()
            while self._due and self._due[0][0] <= now:
                self._ask(self._due.popleft()[1])
            while self._bytes and self._bytes[0][0] <= now:
                self._one_byte(self._bytes.popleft()[1])
            if now >= report:
                report = now + _REPORT_SECONDS
                print(json.dumps({**self.counts, "open": len(self._selector.get_map()) - 1}), flush=True)

    def _connect(self, member: Member) -> None:
        wire = socket.socket()
        wire.setblocking(False)
        wire.setsockopt(socket.IPPROTO_IP, _IP_BIND_ADDRESS_NO_PORT, 1)
        wire.bind((member.address, 0))
        try:
            wire.connect(self._server)
        except BlockingIOError:
            pass
        except OSError:
            self.counts["no_connection"] += 1
            wire.close()
            self._new.append(member)
            return
        member.wire, member.asked, member.connected = wire, False, False
        self._selector.register(wire, selectors.EVENT_WRITE, member)

    def _ready(self, member: Member) -> None:
        wire = member.wire
        if wire is None:
            return
        if not member.connected:
            member.connected = True
            self.counts[f"{member.kind}_connected"] += 1
            self._selector.modify(wire, selectors.EVENT_READ, member)
            self._ask(member)
            return
        try:
            raw = wire.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            raw = b""
        if not raw:
            self._closed(member)
        elif raw.startswith(b"HTTP/1.1 "):
            status = raw[9:12].decode()
            self.counts[f"{member.kind}_{status}"] += 1
            if member.kind == "stream" and status == "200":
                member.held = True
                self.counts["stream_held"] += 1
            if member.kind == "wait" and (tag := _ETAG.search(raw)) is not None:
                first = member.request.partition(b"If-None-Match")[0].removesuffix(b"\r\n\r\n").removesuffix(b"\r\n")
                member.request = first + b"\r\nIf-None-Match: " + tag[1] + b"\r\n\r\n"  # after this version it waits
            if member.kind == "wait" or (member.kind == "stream" and status != "200"):
                self._due.append((time.monotonic() + _AGAIN_SECONDS, member))

    def _ask(self, member: Member) -> None:
        if member.wire is None or not member.request:
            return
        if self._send(member, member.request) and b"If-None-Match" in member.request:
            self.counts["wait_again"] += 1
        if member.kind == "slow":
            self._bytes.append((time.monotonic() + _BYTE_SECONDS, member))

    def _one_byte(self, member: Member) -> None:
        if member.wire is not None and self._send(member, b" "):
            self._bytes.append((time.monotonic() + _BYTE_SECONDS, member))

    def _send(self, member: Member, raw: bytes) -> bool:
        assert member.wire is not None
        try:
            member.wire.send(raw)
        except OSError:
            self._closed(member)
            return False
        return True

    def _closed(self, member: Member) -> None:
        assert member.wire is not None
        self.counts[f"{member.kind}_closed"] += 1
        self.counts["stream_held"] -= member.held
        member.held = False
        self._selector.unregister(member.wire)
        member.wire.close()
        member.wire = None
        self._new.append(member)


def main(arguments: list[str]) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    sizes: dict[str, Any] = json.loads(arguments[2])
    Crowd(int(arguments[0]), arguments[1], sizes).run()


if __name__ == "__main__":
    main(sys.argv[1:])
