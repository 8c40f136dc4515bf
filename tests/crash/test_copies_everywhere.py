"""An older copy of the store, taken at each kind of place of a game, for the embedded store and for a named one.

The checker finds every game with two signed histories. Without a high-water file (the planted fault) it must find some.
"""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.base.high_water import FILE, read_file
from service.client.http import Client, ClientError
from tests.crash.service import Service
from tests.crash.tables import Table
from tests.kit.servers import Servers
from tests.kit.waiting import eventually

FURTHER = ("created", "joined", "moved", "ended")
"""What happened to a game after the copy was made."""


class Copies:
    """A service whose store can be put back."""

    def __init__(self, service: Service, copy: Callable[[], Path], restore: Callable[[Path], object]) -> None:
        self.service, self.copy, self.restore = service, copy, restore


@pytest.fixture(params=["embedded", "external"])
def copies(request: Any, tmp_path: Path) -> Iterator[Copies]:
    if request.param == "external":
        servers = Servers()
        server = servers.start()
        service = Service(tmp_path / "data", server.url, "--workers", "2")
        found = Copies(service, lambda: server.copy("older"), server.restore)
    else:
        servers = None
        service = Service(tmp_path / "data", None, "--workers", "2")
        store = service.data / "store"

        def copy() -> Path:
            service.stop()
            older = Path(shutil.copytree(store, tmp_path / "older"))
            service.start()
            return older

        def restore(older: Path) -> None:
            shutil.rmtree(store)
            shutil.copytree(older, store)

        found = Copies(service, copy, restore)
    service.start()
    yield found
    service.stop()
    if servers is not None:
        servers.end()


def forks(tables: dict[str, Table]) -> set[str]:
    """The tables of which two receipts, or a receipt and the log, give two heads at one seq: two histories are signed."""
    found = set()
    for name, table in tables.items():
        heads: dict[int, set[str]] = {}
        for receipt in table.receipts:
            heads.setdefault(receipt["seq"], set()).add(receipt["head"])
        try:
            lines = table.seats["north"].get(f"/v1/games/{table.game}/events?after=0")["events"]
        except ClientError as error:
            assert error.code in ("no_such_game", "history_lost")  # noqa: PT017  (nothing is left of the game)
            lines = []
        for line in lines:
            heads.setdefault(line["public"]["seq"], set()).add(line["head"])
        if any(len(each) > 1 for each in heads.values()):
            found.add(name)
    return found


def played(copies: Copies) -> tuple[dict[str, Table], Path]:
    """A table of each kind, and the copy that was made before they went further."""
    url = copies.service.url
    tables = {name: Table(url, seed, turn_seconds=3600) for seed, name in enumerate(("moved", "ended", "same", "over"))}
    waiting = Client(url)
    made = waiting.create("Ann", {"max_hands": 1})
    for table in tables.values():
        table.move()
        table.move()
    tables["over"].seats["south"].move(tables["over"].game, {"type": "resign"})
    copy = copies.copy()
    tables["created"] = Table(url)
    tables["joined"] = Table.joined(waiting, made)
    tables["moved"].move()
    tables["joined"].move()
    answer = tables["ended"].seats["south"].move(tables["ended"].game, {"type": "resign"})
    tables["ended"].receipts.append(answer["receipt"])
    eventually(lambda: all(in_file(copies.service, tables[name]) for name in FURTHER), 10)
    return tables, copy


def in_file(service: Service, table: Table) -> bool:
    place = read_file(service.data / FILE).get(table.game)
    return place is not None and place.version >= table.receipts[-1]["seq"]


def try_to_move(tables: dict[str, Table]) -> None:
    """Everybody plays on, twice, however the game was played before."""
    for seed, table in enumerate(tables.values()):
        table.reseed(seed + 100)
        for _ in range(2):
            try:
                table.move()
            except (ClientError, KeyError):  # refused, or nobody is on turn
                break


def test_whatever_had_gone_further_is_frozen_and_nothing_else(copies: Copies) -> None:
    service = copies.service
    tables, copy = played(copies)
    service.stop()
    copies.restore(copy)
    service.start()
    listed = service.run("history", "list")
    assert {name for name, table in tables.items() if table.game in listed} == set(FURTHER)
    assert Client(service.url).get("/readyz")["frozen"] == len(FURTHER)
    length = len(tables["same"].receipts)
    try_to_move(tables)
    assert len(tables["same"].receipts) == length + 2
    assert forks(tables) == set()
    for name in FURTHER:
        service.run("history", "accept-loss", tables[name].game, "--why", "no newer copy is left")
    assert eventually(lambda: Client(service.url).get("/readyz")["frozen"] == 0, 5)
    for name, verdict in (("moved", "ok"), ("ended", "ok"), ("joined", "ok")):
        assert Client(service.url).get(f"/v1/games/{tables[name].game}/audit")["verdict"] == verdict
    with pytest.raises(ClientError) as missing:
        tables["created"].view()
    assert missing.value.code == "no_such_game"
    service.stop()
    service.start()
    assert Client(service.url).get("/readyz")["frozen"] == 0


def test_without_the_file_the_checker_finds_forks(copies: Copies) -> None:
    """The planted fault: nothing is compared."""
    service = copies.service
    tables, copy = played(copies)
    service.stop()
    copies.restore(copy)
    (service.data / FILE).unlink()
    service.start()
    assert Client(service.url).get("/readyz")["frozen"] == 0
    try_to_move(tables)
    assert forks(tables) >= {"moved"}
