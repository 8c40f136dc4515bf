"""A store that fills up, evicts, writes late or still loads: the operator is warned, and running games go on."""

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from events.redis_store import RedisStore
from service.client.http import Client, ClientError
from service.operations import store_state
from service.operations.open_store import OpenStore
from service.operations.store_state import LEAST_DISK, StoreState
from service.runtime.ports import free_port
from service.runtime.server_process import ServerProcess
from tests.cli.test_operating import answers, start
from tests.embedded.processes import ROOT
from tests.kit.servers import Server, Servers
from tests.kit.waiting import eventually

TROUBLES: dict[str, tuple[dict[str, str], str, bool]] = {
    "everysec": ({"appendfsync": "everysec"}, "durability_everysec", False),
    "evicting": ({"maxmemory-policy": "allkeys-lru"}, "eviction", True),
    "full": ({"maxmemory": "1"}, "memory_full", True),
}
"""The settings of the store, the warning, and whether new games are refused."""

SOUND = {"appendfsync": "always", "maxmemory-policy": "noeviction", "maxmemory": "0"}


@pytest.fixture(scope="module")
def store_server() -> Iterator[Server]:
    servers = Servers()
    yield servers.start()
    servers.end()


@pytest.fixture(scope="module")
def service(store_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    root = tmp_path_factory.mktemp("service")
    environment = {"TRICKBOOK_DATA": str(root / "data"), "TRICKBOOK_REDIS_URL": store_server.url, "TRICKBOOK_CREATE_LIMIT": "0"}
    factory = "service.runtime.web_process:create_from_environment"
    with ServerProcess.start(factory, log=root / "log", env=environment) as running:
        yield running


def withstands(url: str, server: Server, trouble: str) -> None:
    """A running game goes on, the warning is there, new games are refused where they must be; all is well afterwards."""
    settings, code, refused = TROUBLES[trouble]
    north, south = Client(url), Client(url)
    made = north.create("Ann", {"max_hands": 1})
    south.join(made["game"], "Bo", made["invite"])
    with server.client() as admin:
        for name, value in settings.items():
            admin.config_set(name, value)
        try:
            eventually(lambda: code in _warnings(north), 6)
            assert north.get("/readyz")["new_games"] is not refused
            for _ in range(6):
                turn = north.view(made["game"])["turn"]
                seat = north if turn == "north" else south
                seat.move(made["game"], {"type": seat.view(made["game"])["you"]["legal"][0]["type"]})
            assert _created(url) is not refused
        finally:
            for name, value in SOUND.items():
                admin.config_set(name, value)
    eventually(lambda: not _warnings(north), 6)
    assert _created(url)


def _warnings(client: Client) -> list[str]:
    return [warning["code"] for warning in client.get("/readyz").get("warnings", [])]


def _created(url: str) -> bool:
    try:
        Client(url).create("Cy")
    except ClientError as error:
        if (error.code, error.status) != ("no_new_games", 503):
            raise
        return False
    return True


@pytest.mark.parametrize("trouble", TROUBLES)
def test_running_games_go_on_and_the_operator_is_warned(service: ServerProcess, store_server: Server, trouble: str) -> None:
    withstands(service.url, store_server, trouble)


def test_a_service_that_does_not_look_is_caught(servers: Servers, tmp_path: Path) -> None:
    server = servers.start()
    environment = {"TRICKBOOK_DATA": str(tmp_path / "data"), "TRICKBOOK_REDIS_URL": server.url, "PYTHONPATH": str(ROOT)}
    with (
        ServerProcess.start("tests.crash.faulty_app:blind_to_the_store", log=tmp_path / "log", env=environment) as running,
        pytest.raises(AssertionError),
    ):
        withstands(running.url, server, "evicting")


def test_a_first_answer_is_given_again_where_new_games_are_refused(service: ServerProcess, store_server: Server) -> None:
    client, key = Client(service.url), "0f8b8ce5-0f2b-4a4e-8a43-8b7d6b1c0a11"
    made = client.create("Ann", key=key)
    with store_server.client() as admin:
        admin.config_set("maxmemory-policy", "allkeys-lru")
        try:
            eventually(lambda: not _created(service.url), 6)
            assert Client(service.url).create("Ann", key=key)["token"] == made["token"]
        finally:
            admin.config_set("maxmemory-policy", "noeviction")


class Disk(NamedTuple):
    total: int
    used: int
    free: int


@pytest.mark.parametrize(
    ("disk", "warned", "refused"),
    [
        (Disk(100 * 2**30, 79 * 2**30, 21 * 2**30), False, False),
        (Disk(100 * 2**30, 80 * 2**30, 20 * 2**30), True, False),
        (Disk(40 * 2**30, 32 * 2**30, 8 * 2**30), True, True),
        (Disk(40 * 2**30, 31 * 2**30, 7 * 2**30), True, True),  # the rest is reserved for root, as df counts
    ],
)
def test_the_disk_is_watched(redis_url: str, monkeypatch: pytest.MonkeyPatch, disk: Disk, warned: bool, refused: bool) -> None:
    assert disk.free >= LEAST_DISK or refused
    monkeypatch.setattr(store_state.shutil, "disk_usage", lambda path: disk)
    with OpenStore(RedisStore(redis_url), None) as opened:
        found = {concern.code: concern.refuses_new_games for concern in StoreState(opened).concerns()}
    assert found == ({"disk_full": refused} if warned else {})


def test_serve_waits_for_a_store_that_loads_its_data(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--key-load-delay", "1000")
    with server.client() as admin, admin.pipeline(transaction=False) as many:
        for number in range(12 * 1024):
            many.set(f"something to load {number}", "")
        many.execute()
        admin.config_set("appendfsync", "everysec")
    server.stop()
    server.start(wait=False)
    eventually(lambda: server.ping().startswith(b"-LOADING"))
    assert _health_check("LOADING Redis is loading the dataset in memory", tmp_path) != 0
    port = free_port("127.0.0.1")
    with start(tmp_path / "data", "serve", "--port", str(port), "--workers", "1", TRICKBOOK_REDIS_URL=server.url) as serving:
        assert serving.stderr is not None
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.extend(serving.stderr or ()), daemon=True)
        reader.start()
        try:
            eventually(lambda: answers(port), 40)
        finally:
            serving.terminate()
            serving.wait(20)
            reader.join(20)
    assert any("Waiting for the store: it has loaded" in line for line in lines), lines
    assert _health_check("PONG", tmp_path) == 0


def _health_check(answer: str, tmp_path: Path) -> int:
    """The exit code of compose's health check where valkey-cli prints `answer`; it ends with 0 for an error as well."""
    kind, command = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["store"]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    stand_in = tmp_path / "valkey-cli"
    stand_in.write_text(f'#!/bin/sh\necho "{answer}"\n')
    stand_in.chmod(0o755)
    return subprocess.run(["/bin/sh", "-c", command], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, check=False).returncode
