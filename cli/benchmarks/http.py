"""The benchmark over HTTP: moves a second with one game and with many, beside the floor in the same run.

One POST a move and nothing else: the client knows both hands from the answers, so it need not ask for a view.
"""

import http.client
import json
import os
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from cli.benchmarks.floor_app import STREAM
from cli.benchmarks.measuring import Figure, figure
from projections.play import playable
from service.base.settings import CREATE_LIMIT, REDIS_URL
from service.runtime.server_process import ServerProcess

MANY: Final = 16
_MOVES: Final = 300


class BenchClient:
    """One kept-alive connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)

    def get(self, path: str) -> None:
        """Asks for what must be there."""
        self._ask("GET", path, None, {}, http.client.OK)

    def post(self, path: str, body: dict[str, Any], token: str | None = None) -> dict[str, Any]:
        """Writes something; the answer. Raises `AssertionError` for any other than 201."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        answer: dict[str, Any] = json.loads(self._ask("POST", path, json.dumps(body), headers, http.client.CREATED))
        return answer

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str], wanted: int) -> bytes:
        try:
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
            raw = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise AssertionError(f"{path} was not answered: {error!r}") from None
        if response.status != wanted:
            raise AssertionError(f"{path} answered {response.status}: {raw[:200]!r}")
        return raw


class Game:
    """One game, both seats in one hand; each step is one POST."""

    def __init__(self, url: str, rules: dict[str, Any] | None = None) -> None:
        self._wire = BenchClient(url)
        self._rules = rules or {}
        self._begin()

    def _begin(self) -> None:
        made = self._wire.post("/v1/games", {"name": "Ann", "rules": self._rules})
        joined = self._wire.post(f"/v1/games/{made['game']}/join", {"name": "Bo", "invite": made["invite"]})
        self.id = made["game"]
        self._path = f"/v1/games/{self.id}/moves"
        self.tokens = {"north": made["token"], "south": joined["token"]}
        self._hands: dict[str, list[str]] = {"north": [], "south": []}
        self._looked: set[str] = set()
        self._view = joined["view"]

    @property
    def ended(self) -> bool:
        """Whether play has ended; the next step begins another game."""
        return bool(self._view["phase"] == "ended")

    def step(self) -> None:
        view = self._view
        if self.ended:
            self._begin()
            view = self._view
        seat = view["turn"]
        if view["phase"] == "draft" and view["draft"]["stock"] == 52:
            self._looked = set()
        move = self._move(seat)
        self._view = self._wire.post(self._path, move, self.tokens[seat])["view"]
        self._hands[seat] = self._view["you"]["hand"]

    def _move(self, seat: str) -> dict[str, Any]:
        view = self._view
        match view["phase"]:
            case "draft" if seat not in self._looked:
                self._looked.add(seat)
                return {"type": "look"}
            case "draft":
                return {"type": "keep"}
            case "bidding":
                return {"type": "bid", "tricks": 5}
        cards = view["trick"]["cards"]
        led = cards[0]["card"] if cards else None
        hand: Any = tuple(self._hands[seat])
        return {"type": "play", "card": playable(hand, led, view["spades_broken"])[0]}


def moves(store_url: str, directory: Path, runs: int) -> Iterator[Figure]:
    """Moves a second with 1 and with 16 games at once. Raises `service.runtime.server.CannotServe`."""
    environment = {**os.environ, REDIS_URL: store_url, CREATE_LIMIT: "0", "TRICKBOOK_DATA": str(directory)}
    with (
        _server("service.runtime.web_process:create_from_environment", directory, environment) as real,
        _server("cli.benchmarks.floor_app:create", directory, environment) as floor,
    ):
        for count in (1, MANY):
            games = [Game(real.url) for _ in range(count)]
            wires = [BenchClient(floor.url) for _ in range(count)]
            name = "moves over HTTP, 1 game" if count == 1 else f"moves over HTTP, {count} games"
            yield figure(
                name,
                "moves",
                lambda games=games: at_once([game.step for game in games]),  # type: ignore[misc]
                "Flask + schema + XADD",
                lambda wires=wires: at_once([_floor_step(wire) for wire in wires]),  # type: ignore[misc]
                runs,
            )


def _floor_step(wire: BenchClient) -> Any:
    return lambda: wire.post("/floor", {"tricks": 5})


def at_once(steps: list[Any], moves: int = _MOVES) -> int:
    """So many steps in all, one thread for each."""
    each = max(moves // len(steps), 1)

    def run(step: Any) -> None:
        for _ in range(each):
            step()

    if len(steps) == 1:
        run(steps[0])
    else:
        with ThreadPoolExecutor(len(steps)) as pool:
            list(pool.map(run, steps))
    return each * len(steps)


def _server(factory: str, directory: Path, environment: dict[str, str]) -> ServerProcess:
    return ServerProcess.start(factory, log=directory / "bench.log", env=environment, workers=2)


def clean(client: Any) -> None:
    """Removes what the floor wrote."""
    client.delete(STREAM)
