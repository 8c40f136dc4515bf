"""The real processes: what `serve` and `worker` start, what is left when they are killed, and that no move needs them."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from events.redis_client import connect
from service.base.settings import WORK_URL
from service.bots import random_move
from service.client.http import Client, ClientError
from service.jobs import verdicts
from service.runtime.ports import free_port
from service.runtime.server_process import ServerProcess
from tests.embedded.processes import ROOT, alive, children, command_of, kill, working_in
from tests.kit.servers import Server, Servers
from tests.kit.waiting import eventually
from tests.work.conftest import Shop
from tests.work.games import finished

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the children of a process in /proc")
SECRETS = {"TRICKBOOK_SECRET": bytes(32).hex(), "TRICKBOOK_SIGNING_KEY": bytes(range(32)).hex()}


@contextmanager
def trickbook(data: Path, *arguments: str, **more: str) -> "Iterator[subprocess.Popen[str]]":
    """A command; nothing it started may be left in the end."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TRICKBOOK_")}
    environment |= {"TRICKBOOK_DATA": str(data), "PYTHONPATH": str(ROOT), **more}
    command = [sys.executable, "-c", "from cli.main import main; main()", *arguments]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield process
    finally:
        family = [process.pid, *children(process.pid)]
        process.terminate()
        process.communicate(timeout=30)
        eventually(lambda: not any(map(alive, [*family, *working_in(data)])))


def jobs_of(process: "subprocess.Popen[str]") -> int:
    """The number of its child that does jobs, once it runs."""

    def found() -> list[int]:
        return [pid for pid in children(process.pid) if "service.runtime.worker_process" in command_of(pid)]

    (pid,) = eventually(found, 30)
    return int(pid)


def audited(shop: Shop, game: str) -> bool:
    return verdicts.kept(shop.work, game) is not None


def test_a_worker_alone_audits_what_has_ended_is_started_again_when_killed_and_ends_at_sigterm(
    shop: Shop, tmp_path: Path
) -> None:
    game = finished(shop.games)
    with trickbook(tmp_path / "data", "worker", "--no-follower", TRICKBOOK_REDIS_URL=shop.url, **SECRETS) as worker:
        eventually(lambda: audited(shop, game), 30)
        first = jobs_of(worker)
        kill([first])
        eventually(lambda: jobs_of(worker) != first, 30)
        another = finished(shop.games)
        shop.jobs.enqueue("audit", another)
        eventually(lambda: audited(shop, another), 30)
        last = jobs_of(worker)
        worker.terminate()
        _, said = worker.communicate(timeout=10)
        assert not alive(last)
    assert worker.returncode == 0
    assert "Traceback" not in said
    assert '"child_ended"' in said


def test_a_killed_worker_leaves_nothing_running(shop: Shop, tmp_path: Path) -> None:
    with trickbook(tmp_path / "data", "worker", TRICKBOOK_REDIS_URL=shop.url, **SECRETS) as worker:
        pid = jobs_of(worker)
        worker.kill()
        worker.wait(10)
        eventually(lambda: not alive(pid))


def test_a_worker_without_anything_to_do_says_so(tmp_path: Path) -> None:
    with trickbook(tmp_path / "data", "worker", "--no-jobs", "--no-follower") as worker:
        _, said = worker.communicate(timeout=20)
        assert worker.returncode == 2
        assert "--no-jobs" in said


def test_serve_has_games_audited_by_a_child_and_takes_it_along_when_it_is_killed(tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port("127.0.0.1")
    with trickbook(data, "serve", "--port", str(port), TRICKBOOK_LOG="debug") as serving:
        north = Client(f"http://127.0.0.1:{port}")
        made = eventually(lambda: _created(north), 30)
        south = Client(f"http://127.0.0.1:{port}")
        south.join(made["game"], "Bo", made["invite"])
        north.move(made["game"], {"type": "resign"})
        pid = jobs_of(serving)
        with _work_server(data) as work:
            eventually(lambda: verdicts.kept(work, made["game"]), 90)
        serving.kill()
        serving.wait(10)
        eventually(lambda: not alive(pid) and not working_in(data), 20)


def test_serve_without_a_worker_starts_none(shop: Shop, tmp_path: Path) -> None:
    port = free_port("127.0.0.1")
    options = ("serve", "--no-worker", "--workers", "1", "--port", str(port))
    with trickbook(tmp_path / "data", *options, TRICKBOOK_REDIS_URL=shop.url, **SECRETS) as serving:
        eventually(lambda: _created(Client(f"http://127.0.0.1:{port}")), 30)
        assert len(children(serving.pid)) == 1


@pytest.mark.parametrize("away", ["gone", "standing still"])
def test_a_whole_game_is_played_with_the_work_server_away(away: str, redis_url: str, servers: Servers, tmp_path: Path) -> None:
    work = servers.start()
    environment = {"TRICKBOOK_REDIS_URL": redis_url, WORK_URL: work.url, "TRICKBOOK_DATA": str(tmp_path / "data")}
    environment |= {"TRICKBOOK_SECRET": bytes(range(32)).hex(), "TRICKBOOK_SIGNING_KEY": bytes(range(1, 33)).hex()}
    work.kill() if away == "gone" else work.pause()
    with ServerProcess.start(
        "service.runtime.web_process:create_from_environment", log=tmp_path / "log", env=environment
    ) as server:
        north, south = Client(server.url), Client(server.url)
        made = north.create("Ann", {"max_hands": 1})
        south.join(made["game"], "Bo", made["invite"])
        seats, chance, view = {"north": north, "south": south}, random.Random(1), north.view(made["game"])
        while view["phase"] != "ended":
            mover = seats[view["turn"]]
            view = mover.move(made["game"], random_move(mover.view(made["game"]), chance))["view"]
        told = north.get("/readyz")
        assert told["status"] == "ready", "a balancer must not take out what accepts moves"
        assert work.url in told["lists"]
        with pytest.raises(ClientError, match="did not answer"):
            north.get("/v1/games")
        work.start() if away == "gone" else work.resume()
        north.create("Ann")
    with work.client() as client:
        assert list(client.scan_iter("LIMITS:*")), "creates are counted on the work server"


def test_a_worker_waits_for_a_work_server_that_is_away(shop: Shop, servers: Servers, tmp_path: Path) -> None:
    game, work = finished(shop.games), servers.start()
    work.kill()
    more = {"TRICKBOOK_REDIS_URL": shop.url, WORK_URL: work.url, **SECRETS}
    with trickbook(tmp_path / "data", "worker", **more) as worker:
        assert worker.stderr is not None
        for line in worker.stderr:
            if "work_server_unreachable" in line:
                break
        pid = jobs_of(worker)
        work.start()
        with connect(work.url) as client:
            eventually(lambda: verdicts.kept(client, game), 30)
        _again(work)
        with connect(work.url) as client:
            eventually(lambda: client.exists("trickbook:{rq}:cron_schedulers"), 40)
        assert jobs_of(worker) == pid


def test_a_wrong_address_of_the_work_server_is_named_without_its_password(tmp_path: Path) -> None:
    for command in ("worker", "serve"):
        with trickbook(tmp_path / "data", command, **{WORK_URL: "http://:geheim@db"}) as process:
            _, said = process.communicate(timeout=20)
            assert process.returncode == 2
            assert WORK_URL in said
            assert "geheim" not in said


def _created(client: Client) -> dict[str, str] | None:
    try:
        return client.create("Ann")
    except ClientError:
        return None


@contextmanager
def _work_server(data: Path) -> "Iterator[object]":
    from service.embedded import EmbeddedStore

    with EmbeddedStore.open(data) as store, connect(store.url) as client:
        yield client


def _again(server: Server) -> None:
    server.kill()
    server.start()
