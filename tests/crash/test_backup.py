"""A backup of a running service, restored into an empty directory or an empty store: every move is there, and play goes on."""

import gzip
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.client.http import Client, ClientError
from tests.crash.service import Service
from tests.crash.tables import Table
from tests.kit.servers import Servers


@pytest.fixture(params=["embedded", "external"])
def pair(request: Any, tmp_path: Path) -> Iterator[tuple[Service, Service]]:
    """A service that runs, and one on another directory that does not yet."""
    servers = Servers()
    stores = [None, None] if request.param == "embedded" else [servers.start().url, servers.start().url]
    places = [tmp_path / name / "data" for name in ("first", "second")]
    for place in places:
        place.parent.mkdir()
    first, second = (Service(place, store, "--workers", "1") for place, store in zip(places, stores, strict=True))
    first.start()
    yield first, second
    first.stop()
    second.stop()
    servers.end()


def moved(table: Table, url: str) -> None:
    """The players go to another address."""
    table.seats = {seat: Client(url, token=client.token) for seat, client in table.seats.items()}


def test_a_backup_is_restored_and_each_seat_names_the_head_once(pair: tuple[Service, Service], tmp_path: Path) -> None:
    first, second = pair
    table, over = Table(first.url), Table(first.url)
    over.seats["north"].move(over.game, {"type": "resign"})
    for _ in range(3):
        table.move()
    file = tmp_path / "t.backup"
    said = first.run("backup", "--to", str(file))
    assert "games: 2," in said
    assert "signing keys" in said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "exists" in first.run("backup", "--to", str(file), code=4)
    first.stop()

    said = second.run("restore", str(file))
    assert "games: 2," in said
    assert "Games that are not over: 1." in said
    assert "not an empty" in second.run("restore", str(file), code=4)
    for name in ("service-secret", "signing-key", "high-water"):
        assert stat.S_IMODE((second.data / name).stat().st_mode) == 0o600
    second.start()
    assert "HISTORY LOST" not in second.log.read_text()
    moved(table, second.url)
    for receipt in table.receipts:
        assert table.post(receipt) == "in_log"
    seats = set()
    while len(seats) < 2:
        view = table.view()
        if view["turn"] not in seats:
            with pytest.raises(ClientError) as refused:
                table.move()
            assert (refused.value.code, refused.value.status) == ("if_match_required", 428)
            with pytest.raises(ClientError):
                table.move(version=view["version"])
        table.move(etag=f'"{view["version"]}.{view["head"]}"')
        seats.add(view["turn"])
    table.move()
    assert second.run("audit", over.game)


def test_a_damaged_or_short_file_restores_nothing(pair: tuple[Service, Service], tmp_path: Path) -> None:
    first, second = pair
    Table(first.url)
    file = tmp_path / "t.backup"
    first.run("backup", "--to", str(file))
    whole, lines = file.read_bytes(), gzip.decompress(file.read_bytes())
    at = lines.index(b'"stream"') + 80
    changed = gzip.compress(lines[:at] + (b"B" if lines[at : at + 1] == b"A" else b"A") + lines[at + 1 :])
    for bad in (whole[: len(whole) // 2], changed, b"", gzip.compress(lines[: lines.rindex(b'{"end"')])):
        file.write_bytes(bad)
        second.run("restore", str(file), code=3)
        assert not second.data.exists()
        assert list(second.data.parent.glob(".data*")) == []


def test_a_copy_of_the_secrets_and_the_store_is_a_data_directory(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    first, second = Service(tmp_path / "first" / "data"), Service(tmp_path / "second" / "data")
    first.start()
    table = Table(first.url)
    first.stop()
    second.data.mkdir()
    for name in ("service-secret", "signing-key", "high-water"):
        shutil.copy(first.data / name, second.data / name)
    shutil.copytree(first.data / "store", second.data / "store")
    try:
        second.start()
        moved(table, second.url)
        table.move()
    finally:
        second.stop()
