"""Connections without a whole request: bounded for each address and in all, the oldest given up first.

The server accepts connections itself and asks nobody, so a thread looks at them some times a second. A connection with a
request that is being answered, and so a wait and a stream, is never touched.
"""

import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import structlog

from service.runtime.descriptors import ClientSockets

_CALM_SECONDS: Final = 0.25
_BUSY_SECONDS: Final = 0.05
_BATCH: Final = 256  # the interpreter lock is held while so many are shut down

log = structlog.get_logger("trickbook.connections")


class Idle(NamedTuple):
    """A connection without a whole request: its descriptor, what it counts under (None: a trusted proxy), since when."""

    number: int
    address: bytes
    group: str | None
    since: float


def surplus(idle: Iterable[Idle], per_address: int, total: int) -> list[Idle]:
    """Those to give up, the oldest of each address first, so that no more than `total` stay.

    Where all together are too many, the bound of an address falls until they fit: whoever has few keeps them longest.
    Trusted proxies share half of the total, and what the others leave of the rest; they have no other bound.
    """
    by_group: defaultdict[str | None, list[Idle]] = defaultdict(list)
    for connection in sorted(idle, key=lambda connection: connection.since, reverse=True):
        by_group[connection.group].append(connection)
    proxied = by_group.pop(None, [])
    bound, room = per_address, total - min(len(proxied), total // 2)
    while bound > 1 and sum(min(len(group), bound) for group in by_group.values()) > room:
        bound = bound * 3 // 4
    kept = [connection for group in by_group.values() for connection in group[:bound]]
    kept.sort(key=lambda connection: connection.since, reverse=True)
    beyond = [connection for group in by_group.values() for connection in group[bound:]]
    return beyond + kept[room:] + proxied[total - len(kept[:room]) :]


class _Seen(NamedTuple):
    address: bytes
    name: str | None  # None: no client
    group: str | None
    since: float


class IdleConnections:
    """Which connections have a request now, and the thread that gives up the surplus of the others."""

    def __init__(self, per_address: int, total: int, group: Callable[[str], str | None]) -> None:
        """`group` tells what a host counts under, None for a trusted proxy."""
        self._per_address = per_address
        self._total = total
        self._group = group
        self._answering: dict[str, int] = {}
        self._ended: dict[str, float] = {}
        self._seen: dict[int, _Seen] = {}
        self._given_up = 0

    def begin(self, client: str) -> None:
        """A whole request of `client` ("host:port") is being answered."""
        self._answering[client] = self._answering.get(client, 0) + 1

    def end(self, client: str) -> None:
        """It has been answered; the connection is idle from now on."""
        left = self._answering[client] - 1
        if left:
            self._answering[client] = left
        else:
            del self._answering[client]
            self._ended[client] = time.monotonic()

    def start(self, port: int, highest: int) -> None:
        """Looks from a thread as long as the process lives; `highest` as in `ClientSockets`. Does nothing but on Linux."""
        if sys.platform == "linux":
            sockets = ClientSockets(port, highest)
            threading.Thread(target=self._run, args=(sockets,), name="idle-connections", daemon=True).start()

    def _run(self, sockets: ClientSockets) -> None:
        while True:
            try:
                many = self.look(sockets)
            except Exception:  # nobody else bounds them
                log.exception("idle_connections_failed")
                many = False
            time.sleep(_BUSY_SECONDS if many else _CALM_SECONDS)

    def look(self, sockets: ClientSockets) -> bool:
        """Gives up the surplus; whether there are so many that the next look should come soon."""
        now = time.monotonic()
        self._seen = {number: self._known(sockets, number, address, now) for number, address in sockets.addresses()}
        clients = {seen.name for seen in self._seen.values()}
        for client in list(self._ended):
            if client not in clients:
                self._ended.pop(client, None)
        if len(self._seen) <= min(self._per_address, self._total):
            return False
        given_up = surplus(
            (
                Idle(number, seen.address, seen.group, max(seen.since, self._ended.get(seen.name, 0.0)))
                for number, seen in self._seen.items()
                if seen.name is not None and seen.name not in self._answering
            ),
            self._per_address,
            self._total,
        )
        for start in range(0, len(given_up), _BATCH):
            self._given_up += sum(sockets.shut(one.number, one.address) for one in given_up[start : start + _BATCH])
            time.sleep(0)
        return True

    def _known(self, sockets: ClientSockets, number: int, address: bytes, now: float) -> _Seen:
        before = self._seen.get(number)
        if before is not None and before.address == address:
            return before
        client = sockets.client(number, address)
        if client is None:
            return _Seen(address, None, None, now)
        host, port = client
        return _Seen(address, client_name(host, port), self._group(host), now)


def client_name(host: str, port: int) -> str:
    """A client as the server names it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
