"""The benchmark of many event streams on one process: what they cost those who move and those who ask whether it lives.

Two servers on one store, each one process: one holds the streams, the other holds none and is the floor. Half of the
moves are made in games whose players have a stream each, half in games that nobody watches.
"""

import os
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from cli.benchmarks.http import BenchClient, Game, at_once
from cli.benchmarks.measuring import Figure, Waits, figure, waits
from service.base.settings import CREATE_LIMIT, DATA, REDIS_URL, THREADS, TRUSTED_PROXIES
from service.runtime.server_process import ServerProcess

STREAMS: Final = 400
_A_GAME: Final = 2  # each player has the table open
_MOVERS: Final = 4
_MOVES: Final = 200
_OPENING_SECONDS: Final = 60.0


def streams(store_url: str, directory: Path, runs: int, count: int = STREAMS) -> Iterator[Figure | Waits]:
    """Moves a second and the time of ``/healthz`` on a process with `count` streams, beside one with none.

    Raises `service.runtime.server.CannotServe`, and `AssertionError` where not all streams open.
    """
    environment = {
        **os.environ,
        REDIS_URL: store_url,
        CREATE_LIMIT: "0",
        DATA: str(directory),
        THREADS: str(max(2 * count, 16)),
        TRUSTED_PROXIES: "127.0.0.1",
    }
    with ExitStack() as stack:
        held, free = (stack.enter_context(_server(directory, environment, count)) for _ in range(2))
        games = [Game(held.url) for _ in range(-(-count // _A_GAME))]
        watching = stack.enter_context(Streams(held.url, games, count))
        for name, watched in (("2 in each game", True), ("none in these games", False)):
            movers = games[:_MOVERS] if watched else [Game(held.url) for _ in range(_MOVERS)]
            others = [Game(free.url) for _ in movers]  # now, for a connection that nobody uses is closed after a while
            with _asking(held.url) as asked, _asking(free.url) as asked_free:
                yield figure(
                    f"moves beside {count} streams, {name}",
                    "moves",
                    lambda movers=movers: at_once([game.step for game in movers], _MOVES),  # type: ignore[misc]
                    "no stream",
                    lambda others=others: at_once([game.step for game in others], _MOVES),  # type: ignore[misc]
                    runs,
                )
            yield waits(f"/healthz beside {count} streams, {name}", asked, asked_free)
        watching.require_alive()


class Streams:
    """Open event streams that are read and thrown away by one thread. A context manager that closes them."""

    def __init__(self, url: str, games: list[Game], count: int) -> None:
        parts = urlsplit(url)
        self._address = (str(parts.hostname), parts.port or 80)
        self._selector = selectors.DefaultSelector()
        self._ended = False
        self.received = 0
        self._sockets = [self._open(games[number // _A_GAME], number) for number in range(count)]
        self._thread = threading.Thread(target=self._drain, name="bench-streams", daemon=True)
        self._thread.start()

    def _open(self, game: Game, number: int) -> socket.socket:
        stream = socket.create_connection(self._address, timeout=_OPENING_SECONDS)
        seat = ("north", "south")[number % 2]
        place = number // _A_GAME
        stream.sendall(
            (
                f"GET /v1/games/{game.id}/events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n"
                f"Authorization: Bearer {game.tokens[seat]}\r\nX-Forwarded-For: 10.1.{place // 256}.{place % 256}\r\n\r\n"
            ).encode()
        )
        first = stream.recv(65536)
        if not first.startswith(b"HTTP/1.1 200"):
            raise AssertionError(f"stream {number} was answered {first[:200]!r}")
        stream.setblocking(False)
        self._selector.register(stream, selectors.EVENT_READ)
        return stream

    def _drain(self) -> None:
        while not self._ended:
            for key, _ in self._selector.select(0.2):
                stream: socket.socket = key.fileobj  # type: ignore[assignment]  # what was registered
                raw = stream.recv(65536)
                self.received += len(raw)
                if not raw:
                    self._selector.unregister(stream)

    def require_alive(self) -> None:
        """Raises `AssertionError` when one was closed meanwhile."""
        left = len(self._selector.get_map())
        if left != len(self._sockets):
            raise AssertionError(f"{len(self._sockets) - left} streams were closed during the benchmark")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended = True
        self._thread.join()
        for stream in self._sockets:
            stream.close()


@contextmanager
def _asking(url: str) -> Iterator[list[float]]:
    """Asks for ``/healthz`` again and again while the block runs; the list has how long each took, in ms."""
    took: list[float] = []
    ended = threading.Event()

    def ask() -> None:
        wire = BenchClient(url)
        while not ended.wait(_PAUSE_SECONDS):
            begun = time.perf_counter()
            wire.get("/healthz")
            took.append((time.perf_counter() - begun) * 1000)

    thread = threading.Thread(target=ask, name="bench-healthz", daemon=True)
    thread.start()
    try:
        yield took
    finally:
        ended.set()
        thread.join()


_PAUSE_SECONDS: Final = 0.02


def _server(directory: Path, environment: dict[str, str], count: int) -> ServerProcess:
    return ServerProcess.start(
        "service.runtime.web_process:create_from_environment",
        log=directory / "bench.log",
        env=environment,
        workers=1,
        threads=max(2 * count, 16),
    )
