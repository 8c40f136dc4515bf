"""An older copy of the store under a restarted service: the games that had gone further are frozen, all others go on."""

import json
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.base.high_water import read_file
from service.client.http import Client, ClientError
from service.client.player import Player
from service.client.witness import Suspicion
from tests.crash.service import Service
from tests.crash.tables import Table
from tests.kit.servers import Server, Servers
from tests.kit.waiting import eventually

VERIFIER = Path(__file__).parents[2] / "service/http/static/verify-node.mjs"


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    found = Servers()
    yield found
    found.end()


@pytest.fixture
def served(servers: Servers, tmp_path: Path) -> Iterator[tuple[Service, Server]]:
    server = servers.start()
    service = Service(tmp_path / "data", server.url, "--workers", "1")
    service.start()
    yield service, server
    service.stop()


def written(service: Service, table: Table) -> bool:
    """Whether the high-water file has the last receipt of the table."""
    place = read_file(service.data / "high-water").get(table.game)
    return place is not None and place.version == table.receipts[-1]["seq"]


def test_an_older_copy_under_a_restarted_service_is_named_and_freezes_what_had_gone_further(
    served: tuple[Service, Server],
) -> None:
    service, server = served
    still, further = Table(service.url, turn_seconds=3600), Table(service.url, turn_seconds=3600)
    for _ in range(4):
        still.move()
        further.move()
    copy = server.copy("older")
    for _ in range(3):
        further.move()
    eventually(lambda: written(service, further) and written(service, still), 10)
    service.stop()
    server.restore(copy)
    service.start()

    said = service.log.read_text()
    assert "HISTORY LOST" in said
    assert f"game {further.game}: version {further.receipts[-1]['seq']} was acknowledged, its log ends at" in said
    assert still.game not in said
    assert Client(service.url).get("/readyz")["frozen"] == 1

    frozen = further.view()
    assert frozen["frozen"] == {"version": further.receipts[-1]["seq"]}
    assert not frozen.keys() & {"turn", "deadline"}
    assert frozen["you"]["legal"] == []
    with pytest.raises(ClientError) as refused:
        further.seats["north"].move(further.game, {"type": "keep"})
    assert refused.value.code == "history_lost"
    assert "deadline" in still.view()
    still.move()
    found = {check["name"]: check for check in json.loads(service.run("doctor", "--format", "json", code=1))}
    for name in ("history", "high water"):
        assert not found[name]["ok"]
        assert further.game in found[name]["found"]
        assert still.game not in found[name]["found"]


def test_a_copy_put_under_a_running_service_is_compared_before_the_next_command(served: tuple[Service, Server]) -> None:
    service, server = served
    table = Table(service.url)
    copy = server.copy("older")
    table.move()
    eventually(lambda: written(service, table), 10)
    server.restore(copy)
    assert eventually(lambda: service.answers() and Client(service.url).get("/readyz")["frozen"], 20) == 1


def test_a_receipt_that_the_log_lacks_freezes_the_game_and_a_forged_one_does_not(served: tuple[Service, Server]) -> None:
    service, server = served
    table = Table(service.url)
    copy = server.copy("older")
    table.move()
    service.stop()
    (service.data / "high-water").unlink()
    server.restore(copy)
    service.start()
    assert "frozen" not in table.view()
    last = table.receipts[-1]
    for forged in (last | {"seq": last["seq"] + 1}, last | {"head": "0" * 64}, last | {"signature": "A" * 86}):
        with pytest.raises(ClientError) as refused:
            table.post(forged)
        assert refused.value.code == "bad_receipt"
    assert table.post(table.receipts[0]) == "in_log"
    assert "frozen" not in table.view()
    assert table.post(last) == "history_lost"
    assert eventually(lambda: table.view().get("frozen"), 5) == {"version": last["seq"]}


def test_an_end_is_in_the_file_before_it_is_delivered(served: tuple[Service, Server]) -> None:
    service, _ = served
    table = Table(service.url)
    answer = table.seats["south"].move(table.game, {"type": "resign"})
    assert read_file(service.data / "high-water")[table.game].version == answer["version"]


def test_a_loss_that_is_accepted_ends_the_game_with_a_note_that_both_verifiers_report(
    served: tuple[Service, Server], tmp_path: Path
) -> None:
    service, server = served
    table = Table(service.url)
    table.move()
    copy = server.copy("older")
    table.move()
    table.move()
    eventually(lambda: written(service, table), 10)
    service.stop()
    server.restore(copy)
    service.start()
    lost = table.receipts[-1]["seq"]
    assert table.game in service.run("history", "list")
    service.run("history", "accept-loss", table.game, "--why", "the disk died")
    view = eventually(lambda: (found := table.view()).get("result") and found, 5)
    assert view["result"]["reason"] == "abandoned"
    assert eventually(lambda: "frozen" not in table.view(), 5)
    assert table.post(table.receipts[-1]) == "loss_accepted"
    assert Client(service.url).get("/readyz")["frozen"] == 0
    audit = Client(service.url).get(f"/v1/games/{table.game}/audit")
    assert (audit["verdict"], [note["code"] for note in audit["notes"]]) == ("ok", ["loss_accepted"])
    assert str(lost) in audit["notes"][0]["message"]
    service.run("export", table.game, "--to", str(tmp_path / "out"))
    (record,) = (tmp_path / "out").iterdir()
    pin = Client(service.url).get("/v1/keys")["keys"][0]["id"]
    assert "loss_accepted" in service.run("verify", str(record), "--server-key", pin)
    second = subprocess.run(
        ["node", str(VERIFIER), str(record), "--server-key", pin], capture_output=True, text=True, timeout=60, check=False
    )
    assert "loss_accepted" in second.stdout, second.stdout + second.stderr
    service.stop()
    service.start()
    assert Client(service.url).get("/readyz")["frozen"] == 0, "the note is known at the next start"


def test_who_waits_sees_at_once_that_the_game_is_frozen(served: tuple[Service, Server]) -> None:
    service, server = served
    table = Table(service.url)
    copy = server.copy("older")
    table.move()
    known = table.view()
    eventually(lambda: written(service, table), 10)
    with ThreadPoolExecutor(1) as waiting:
        shown = waiting.submit(table.seats["north"].view, table.game, known, 25)
        server.restore(copy)
        begun = time.monotonic()
        assert shown.result(30)["frozen"] == {"version": known["version"]}
    assert time.monotonic() - begun < 20  # before the wait was over
    assert table.view()["version"] < known["version"]


def test_a_client_that_is_shown_an_older_table_proves_it(served: tuple[Service, Server]) -> None:
    """The file is gone with its disk: the first player who comes back freezes the game for both."""
    service, server = served
    north, south = Player(service.url), Player(service.url)
    made = north.create("Ann", {"max_hands": 1})
    south.join(north.game, "Bo", made["invite"])
    copy = server.copy("older")
    north.refresh(0)
    north.move({"type": "resign"})
    service.stop()
    (service.data / "high-water").unlink()
    server.restore(copy)
    service.start()
    with pytest.raises(Suspicion) as suspicion:
        north.refresh(0)
    assert suspicion.value.code == "went_back"
    assert Client(service.url).view(north.game)["frozen"] == {"version": north.view["version"]}
