"""What works beside the service is started again when it dies, ends with its parent, and outlives nothing."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.runtime import supervise
from service.runtime.supervise import Children
from tests.embedded.processes import ROOT, alive, kill
from tests.embedded.processes import children as children_of
from tests.kit.waiting import eventually

Start = Callable[..., Children]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    made.mkdir()
    return made


@pytest.fixture
def start(notes: Path, tmp_path: Path) -> Iterator[Start]:
    started: list[Children] = []

    def make(**environment: str) -> Children:
        table = {"one": "tests.embedded.child"}
        full = {**os.environ, "NOTES": str(notes), "PYTHONPATH": str(ROOT), **environment}
        started.append(Children(["one"], full, log_file=tmp_path / "log", table=table).start())
        return started[-1]

    yield make
    for one in started:
        one.stop()
    eventually(lambda: not any(alive(pid) for pid in pids(notes)))


def pids(notes: Path) -> list[int]:
    return [int(path.name) for path in notes.iterdir()]


def test_a_child_that_is_killed_is_started_again(start: Start, notes: Path) -> None:
    start()
    (first,) = eventually(lambda: pids(notes))
    kill([first])
    eventually(lambda: len(pids(notes)) == 2)


def test_a_child_that_dies_at_once_is_started_again_more_and_more_seldom(
    start: Start, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervise, "_PAUSES", (0.0, 0.01, 600.0))
    start(HOW="die")
    eventually(lambda: len(pids(notes)) == 2)
    time_to_notice = time.monotonic() + 0.5
    eventually(lambda: time.monotonic() > time_to_notice)
    assert len(pids(notes)) == 2


def test_a_child_that_does_not_hear_is_killed_in_the_end(start: Start, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise, "END_SECONDS", 0.2)
    running = start(HOW="deaf")
    eventually(lambda: pids(notes))
    running.stop()
    assert not any(map(alive, pids(notes)))


def test_a_child_that_stands_still_is_ended_all_the_same(start: Start, notes: Path) -> None:
    running = start()
    (pid,) = eventually(lambda: pids(notes))
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    running.stop()
    assert not alive(pid)
    assert time.monotonic() - began < supervise.END_SECONDS


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_children_end_with_their_parent(notes: Path, how: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.embedded.parent", str(notes)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as parent:
        eventually(lambda: len(pids(notes)) == 2)
        if how == signal.SIGINT:
            os.killpg(parent.pid, how)  # Ctrl-C reaches the children too, and must not be their end
        else:
            parent.send_signal(how)
        parent.wait(20)
    eventually(lambda: not any(map(alive, pids(notes))))


@pytest.mark.skipif(sys.platform != "linux", reason="looks in /proc")
def test_ctrl_c_is_for_the_parent_alone(start: Start, notes: Path) -> None:
    start()
    (pid,) = eventually(lambda: pids(notes))
    status = Path(f"/proc/{pid}/status").read_text()
    blocked = next(line.split()[1] for line in status.splitlines() if line.startswith("SigBlk"))
    assert int(blocked, 16) == 1 << (signal.SIGINT - 1), "SIGINT, and SIGTERM not"


def test_a_child_whose_module_is_not_there_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"jobs": "service.runtime.worker_process", "none": "service.nowhere.run", "other": "service.work.nothing"}
    monkeypatch.setattr(supervise, "CHILDREN", there)
    assert supervise.known() == ("jobs",)


def test_a_start_is_not_kept_waiting_by_a_fork_at_the_same_moment() -> None:
    """With a descriptor that tells whether the program was found, it would wait for the forked process to end."""
    assert subprocess._USE_POSIX_SPAWN or sys.platform != "linux"  # type: ignore[attr-defined]


def test_the_parent_itself_has_no_children_left_after_the_end(start: Start, notes: Path) -> None:
    running = start()
    eventually(lambda: pids(notes))
    running.stop()
    assert not set(children_of(os.getpid())) & set(pids(notes))
