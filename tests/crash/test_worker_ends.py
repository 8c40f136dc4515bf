"""`trickbook worker` ends at the first SIGTERM to its group, at whatever moment it comes.

`TRICKBOOK_WORKER_ROUNDS=100 pytest tests/crash/test_worker_ends.py` makes as many rounds as one likes; CI makes a few.
"""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.embedded.processes import ROOT
from tests.kit.waiting import eventually

ROUNDS = int(os.environ.get("TRICKBOOK_WORKER_ROUNDS", "6"))
SEED = int(os.environ.get("TRICKBOOK_WORKER_SEED", "12"))
LONGEST_SECONDS = 1.6
"""From the start of the process; it works after about half of this."""

WORKER = "from cli.main import main; main()"
DEAF = "import signal; wait = signal.sigwait; signal.sigwait = lambda which: (wait(which), wait(which))[1]; " + WORKER
"""The first signal is lost, as when a handler is never run."""


def ends(program: str, directory: Path, after: float | None, seconds: float) -> bool:
    """Whether a worker ends within `seconds` of a SIGTERM to its group, sent `after` seconds or once it works."""
    directory.mkdir()
    log = directory / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-c", program, "worker"],
            cwd=ROOT,
            env={**os.environ, "TRICKBOOK_DATA": str(directory / "data")},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        if after is None:
            eventually(lambda: b"Trickbook works" in log.read_bytes(), 30)
        else:
            threading.Event().wait(after)
        os.killpg(process.pid, signal.SIGTERM)
        code = process.wait(seconds)
        assert code in (0, -signal.SIGTERM), log.read_text()
        assert "Traceback" not in log.read_text(), log.read_text()
        eventually(lambda: not group(process.pid), 20)
    except subprocess.TimeoutExpired:
        return False
    else:
        return True
    finally:
        for pid in group(process.pid):
            os.kill(pid, signal.SIGKILL)
        process.wait(20)


def group(leader: int) -> list[int]:
    """The living processes of a process group."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, number = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(number) == leader and state != "Z":
            found.append(int(entry.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks at process groups in /proc")
def test_a_worker_ends_at_the_first_signal_to_its_group(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    for number in range(ROUNDS):
        after = chance.choice([None, chance.random() * LONGEST_SECONDS])
        assert ends(WORKER, tmp_path / str(number), after, 30), f"round {number}, after {after} s"


@pytest.mark.skipif(sys.platform != "linux", reason="looks at process groups in /proc")
def test_a_worker_that_misses_the_first_signal_is_noticed(tmp_path: Path) -> None:
    assert not ends(DEAF, tmp_path / "deaf", None, 3)
