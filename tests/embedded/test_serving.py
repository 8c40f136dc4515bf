"""The service takes a port that is free, ends quickly and whole, and outlives the death of its workers."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.runtime.ports import CannotServe, check_address
from service.runtime.server_process import ServerProcess
from tests.embedded.processes import ROOT, alive, children, kill
from tests.kit.waiting import eventually

APP = "tests.embedded.app:make"
ENV = {"PYTHONPATH": str(ROOT)}
QUICKLY = 12  # s; a tenth of it on an idle machine, and less than half of what the waiting requests would take


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess.start(APP, log=tmp_path / "log", workers=2, threads=16, env=ENV) as started:
        processes = [started.pid, *workers(started)]
        yield started
        processes += children(started.pid)
    eventually(lambda: not any(map(alive, processes)))


def test_a_taken_port_is_named_before_anything_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CannotServe, match=rf"Port {port} on 127\.0\.0\.1 is taken.*--port"):
            check_address("127.0.0.1", port)


def test_a_second_service_does_not_share_the_port_of_the_first(server: ServerProcess, tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match=f"Port {server.port} .* is taken"):
        ServerProcess.start(APP, log=tmp_path / "second", port=server.port, env=ENV)


@pytest.mark.parametrize(("host", "why"), [("no-such-host.invalid", "There is no host"), ("192.0.2.1", "not an address of")])
def test_a_host_that_is_not_ours_is_named(host: str, why: str) -> None:
    with pytest.raises(CannotServe, match=why):
        check_address(host, 0)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130), (signal.SIGHUP, 0)])
def test_a_signal_ends_everything_and_waiting_requests_are_answered(
    server: ServerProcess, number: signal.Signals, code: int
) -> None:
    waiting = Request(server, "/wait")
    began = time.monotonic()
    os.killpg(server.pid, number) if number == signal.SIGINT else os.kill(server.pid, number)  # Ctrl-C reaches all
    assert server.wait() == code
    assert waiting.answer() == b"ending"
    assert time.monotonic() - began < QUICKLY
    assert server.last_words() == ""


@pytest.mark.parametrize("end", [os.kill, os.killpg], ids=["the main process", "all of them"])
def test_a_request_under_way_is_finished(server: ServerProcess, end: Callable[[int, int], None]) -> None:
    slow = Request(server, "/slow")
    end(server.pid, signal.SIGTERM)
    assert server.wait() == 0
    assert slow.answer() == b"done"


def test_a_request_that_hears_nothing_does_not_hold_up_the_end(server: ServerProcess) -> None:
    Request(server, "/deaf")
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < QUICKLY


def test_no_worker_outlives_a_killed_main_process(server: ServerProcess, tmp_path: Path) -> None:
    orphans = workers(server)
    began = time.monotonic()
    kill([server.pid])
    with ServerProcess.start(APP, log=tmp_path / "second", port=server.port, workers=2, env=ENV):
        assert time.monotonic() - began < QUICKLY
    assert not any(map(alive, orphans))


def test_killed_workers_are_replaced_again_and_again(server: ServerProcess) -> None:
    for _ in range(3):
        before = workers(server)
        kill(before)
        eventually(lambda before=before: len(children(server.pid)) == 2 and children(server.pid) != before)  # type: ignore[misc]
        eventually(server.answers)


def test_waiting_requests_leave_room_for_others(server: ServerProcess) -> None:
    waiting = [Request(server, "/wait") for _ in range(12)]
    assert server.answers()
    assert server.stop() == 0
    assert [one.answer() for one in waiting] == [b"ending"] * 12


def test_an_app_that_cannot_be_made_ends_the_service_with_its_sentence(tmp_path: Path) -> None:
    with pytest.raises(CannotServe) as refused:
        ServerProcess.start("tests.embedded.app:broken", log=tmp_path / "log", workers=2, env=ENV)
    assert str(refused.value) == "The service did not start. The store is on the moon."


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_service_ends_with_its_owner(tmp_path: Path, how: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.embedded.owner", str(tmp_path / "log")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as owner:
        assert owner.stdout is not None
        service = int(owner.stdout.readline())
        processes = [service, *eventually(lambda: children(service))]
        owner.send_signal(how)
        owner.wait(20)
    eventually(lambda: not any(map(alive, processes)))


class Request:
    """One under way, in a thread; made when the service has taken it up."""

    def __init__(self, server: ServerProcess, path: str) -> None:
        self._answer: bytes | None = None
        self._connection = http.client.HTTPConnection(server.host, server.port, timeout=30)
        self._connection.request("GET", path)
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()
        assert urllib.request.urlopen(f"{server.url}/healthz").status == 200

    def _wait(self) -> None:
        try:
            self._answer = self._connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            pass
        finally:
            self._connection.close()

    def answer(self) -> bytes | None:
        self._thread.join(30)
        return self._answer


def workers(server: ServerProcess) -> list[int]:
    """Its two workers."""
    eventually(lambda: len(children(server.pid)) == 2)
    return children(server.pid)
