"""serve, demo, doctor and bench as an operator meets them: real processes, real stores, exit codes."""

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.benchmarks import floor_app
from service.runtime.compose import open_identity, open_store
from service.runtime.ports import free_port
from tests.kit.servers import Servers
from tests.kit.waiting import eventually

Run = Callable[..., Any]


def environment(data: Path, **more: str) -> dict[str, str]:
    found = {name: value for name, value in os.environ.items() if not name.startswith("TRICKBOOK_")}
    return {**found, "TRICKBOOK_DATA": str(data), "COLUMNS": "80", **more}


def start(data: Path, *arguments: str, **more: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", "from cli.main import main; main()", *arguments]
    return subprocess.Popen(command, env=environment(data, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(data: Path, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    with start(data, *arguments, **more) as process:
        out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def test_the_demo_plays_replays_audits_and_ends_with_the_audits_exit_code(tmp_path: Path) -> None:
    done = run(tmp_path / "data", "demo", "--once", "--port", str(free_port("127.0.0.1")))
    assert done.returncode == 0, done.stderr
    for text in ("Draft", "Play", "Score", "verdict: OK", "data lives in", "trickbook replay"):
        assert text in done.stdout, text
    assert "moves over HTTP" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_demo_goes_on_serving_until_ctrl_c(tmp_path: Path) -> None:
    port = free_port("127.0.0.1")
    with start(tmp_path / "data", "demo", "--port", str(port)) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if "Serving until Ctrl-C" in line:
                break
        assert answers(port)
        listed = run(tmp_path / "data", "games", "--format", "json")
        assert [game["phase"] for game in json.loads(listed.stdout)] == ["ended"]
        demo.send_signal(signal.SIGINT)
        demo.communicate(timeout=20)
    assert demo.returncode in (0, 130)
    assert not answers(port)


def test_a_taken_port_is_said_so_with_exit_5(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(tmp_path / "data", "serve", "--port", str(port))
    assert done.returncode == 5
    assert f"Port {port}" in done.stderr
    assert "--port" in done.stderr


def test_a_second_serve_on_a_directory_names_the_first_and_exits_5(tmp_path: Path) -> None:
    port = free_port("127.0.0.1")
    with start(tmp_path / "data", "serve", "--port", str(port)) as serving:
        try:
            eventually(lambda: answers(port), 20)
            second = run(tmp_path / "data", "serve", "--port", str(free_port("127.0.0.1")))
            beside = run(tmp_path / "data", "doctor")
        finally:
            serving.terminate()
            serving.communicate(timeout=20)
    assert second.returncode == 5
    assert str(serving.pid) in second.stderr
    assert beside.returncode == 0
    assert f"process {serving.pid} on 127.0.0.1 port {port}" in beside.stdout
    assert serving.returncode == 0


@pytest.mark.parametrize(
    ("variable", "value", "word"),
    [
        ("TRICKBOOK_OPERATOR_TOKEN", "short", "at least 32"),
        ("TRICKBOOK_CREATE_LIMIT", "many", "whole number"),
        ("TRICKBOOK_TRUSTED_PROXIES", "nobody", "addresses"),
        ("TRICKBOOK_PUBLIC_URL", "example.org", "http"),
        ("TRICKBOOK_SECRET", "1234", "64 lower-case hex digits"),
    ],
)
def test_a_wrong_setting_stops_the_start_and_is_named_but_not_printed(
    tmp_path: Path, variable: str, value: str, word: str
) -> None:
    done = run(tmp_path / "data", "serve", "--port", str(free_port("127.0.0.1")), **{variable: value})
    assert done.returncode == 2
    assert variable in done.stderr
    assert word in done.stderr
    assert "1234" not in done.stderr


def test_the_secrets_are_made_once_and_are_private(tmp_path: Path) -> None:
    data = tmp_path / "data"
    port = free_port("127.0.0.1")
    made = []
    for _ in range(2):
        with start(data, "serve", "--port", str(port)) as serving:
            eventually(lambda: answers(port), 20)
            serving.terminate()
            serving.communicate(timeout=20)
        made.append([(data / name).read_text() for name in ("service-secret", "signing-key")])
    assert made[0] == made[1]
    for name in ("service-secret", "signing-key"):
        assert (data / name).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("name", "variable"), [("service-secret", "secret"), ("signing-key", "key")])
def test_a_store_with_games_of_another_secret_or_key_stops_the_start(tmp_path: Path, name: str, variable: str) -> None:
    data, port = tmp_path / "data", free_port("127.0.0.1")
    with start(data, "serve", "--port", str(port)) as serving:
        eventually(lambda: answers(port), 20)
        serving.terminate()
        serving.communicate(timeout=20)
    (data / name).write_text("ab" * 32 + "\n")
    done = run(data, "serve", "--port", str(port))
    assert done.returncode == 5
    assert "another" in done.stderr
    assert variable in done.stderr
    assert "abababab" not in done.stderr
    (data / name).chmod(0o644)
    done = run(data, "serve", "--port", str(port))
    assert done.returncode == 2
    assert "chmod 600" in done.stderr


def test_doctor_finds_nothing_wrong_on_a_fresh_directory(tmp_path: Path) -> None:
    done = run(tmp_path / "data", "doctor")
    assert done.returncode == 0, done.stdout
    assert "fsync" in done.stdout
    assert "WRONG" not in done.stdout


def test_doctor_names_each_wrong_setting_with_the_command_that_mends_it(servers: Servers, tmp_path: Path) -> None:
    server = servers.start("--appendfsync", "everysec", "--maxmemory-policy", "allkeys-lru")
    done = run(tmp_path / "data", "doctor", "--format", "json", TRICKBOOK_REDIS_URL=server.url)
    assert done.returncode == 1
    wrong = {check["name"]: check for check in json.loads(done.stdout) if not check["ok"]}
    assert set(wrong) == {"appendfsync", "maxmemory-policy", "durability"}
    with server.client() as admin:
        for check in wrong.values():
            if check["remedy"].startswith("CONFIG SET"):
                admin.execute_command(*check["remedy"].split(",")[0].split())
    assert run(tmp_path / "data", "doctor", TRICKBOOK_REDIS_URL=server.url).returncode == 0


@pytest.mark.parametrize(
    ("command", "checks"), [("config|get", {"settings of the store"}), ("smembers", {"history"}), ("time", {"clock"})]
)
def test_doctor_names_a_permission_that_is_missing_and_goes_on(
    servers: Servers, tmp_path: Path, command: str, checks: set[str]
) -> None:
    server = servers.start()
    with server.client() as admin:
        admin.execute_command("ACL", "SETUSER", "some", "on", ">word", "~*", "&*", "+@all", f"-{command}")
    url = server.url.replace("unix://", "unix://some:word@")
    done = run(tmp_path / "data", "doctor", "--format", "json", TRICKBOOK_REDIS_URL=url)
    found = json.loads(done.stdout)
    wrong = [check for check in found if not check["ok"]]
    assert {check["name"] for check in wrong} == checks
    assert all(check["remedy"] == f"allow it: ACL SETUSER … +{command}" for check in wrong)
    assert {"store", "clock", "history", "identity", "service"} <= {check["name"] for check in found}


def test_doctor_is_right_after_a_rotation(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with open_store({}, data) as opened:
        open_identity({}, data, opened.store)
    assert run(data, "keys", "--rotate").returncode == 0
    done = run(data, "doctor")
    assert done.returncode == 0, done.stdout
    assert "the key was rotated: the store takes the new one at the next start of serve" in done.stdout
    (data / "retired-keys").unlink()
    done = run(data, "doctor")
    assert done.returncode == 1
    assert "the store's games have another key" in done.stdout


def test_doctor_says_what_to_do_about_a_store_that_is_not_there(tmp_path: Path) -> None:
    done = run(tmp_path / "data", "doctor", TRICKBOOK_REDIS_URL="redis://:geheim@127.0.0.1:1")
    assert done.returncode == 1
    assert "remedy:" in done.stdout
    assert "geheim" not in done.stdout + done.stderr


def test_doctor_finds_a_secret_that_others_may_read(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert run(data, "games").returncode == 0
    (data / "service-secret").write_text("ab" * 32)
    (data / "service-secret").chmod(0o644)
    done = run(data, "doctor")
    assert done.returncode == 1
    assert "chmod 600" in done.stdout
    assert "abab" not in done.stdout


def benched(data: Path, *arguments: str) -> list[dict[str, Any]]:
    done = run(data, "bench", "--runs", "1", "--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_the_floor_of_the_http_benchmark_does_not_move() -> None:
    """Ratios of different versions compare with the same thing. Change the floor only with all figures that rest on it."""
    frozen = "10b4d60e10dab13a69149dd8a4c34984084b10f42ef91eb76eb70e29900b3bb3"
    assert hashlib.sha256(Path(floor_app.__file__).read_bytes()).hexdigest() == frozen


def test_bench_gives_each_figure_beside_its_floor(tmp_path: Path) -> None:
    figures = benched(tmp_path / "data", "--only", "core", "--only", "store", "--only", "http")
    assert len(figures) == 5
    figures += benched(tmp_path / "data", "--only", "bulk")
    for figure in figures:
        assert figure["rate"] > 0
        assert figure["floor"] > 0
        assert figure["ratio"] == pytest.approx(figure["floor"] / figure["rate"], abs=0.01)
    assert "times the floor" in run(tmp_path / "data", "bench", "--runs", "1", "--only", "core").stdout


def test_bench_says_what_open_streams_cost_moves_and_signs_of_life(tmp_path: Path) -> None:
    figures = benched(tmp_path / "data", "--only", "streams", "--streams", "6")
    assert [figure["name"].partition(" ")[0] for figure in figures] == ["moves", "/healthz"] * 2
    for moves, healthz in (figures[:2], figures[2:]):
        assert moves["ratio"] == pytest.approx(moves["floor"] / moves["rate"], abs=0.01)
        assert 0 < healthz["half"] <= healthz["most"]


def test_a_serve_on_a_named_store_needs_no_embedded_one(redis_url: str, tmp_path: Path) -> None:
    port = free_port("127.0.0.1")
    secrets = {"TRICKBOOK_SECRET": bytes(range(32)).hex(), "TRICKBOOK_SIGNING_KEY": bytes(range(1, 33)).hex()}
    with start(tmp_path / "data", "serve", "--port", str(port), TRICKBOOK_REDIS_URL=redis_url, **secrets) as serving:
        eventually(lambda: answers(port), 20)
        serving.send_signal(signal.SIGINT)
        _, err = serving.communicate(timeout=20)
    assert serving.returncode == 130
    assert "Traceback" not in err
    assert not (tmp_path / "data" / "store" / "appendonlydir").exists()
