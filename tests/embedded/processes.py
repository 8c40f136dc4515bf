"""Looking at the processes of an embedded store, and users of it in processes of their own that really die."""

import contextlib
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType

from tests.kit.waiting import eventually

ROOT = Path(__file__).parents[2]


def command_of(pid: int) -> str:
    """Its command line; empty when it has gone or waits to be buried."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def working_in(directory: Path) -> list[int]:
    """The living processes whose working directory is in `directory`: its store, and its keeper."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if (entry / "cwd").readlink().is_relative_to(directory) and command_of(int(entry.name)):
                found.append(int(entry.name))
    return found


def keepers(directory: Path) -> list[int]:
    return [pid for pid in working_in(directory) if "keeper.py" in command_of(pid)]


def stores(directory: Path) -> list[int]:
    return [pid for pid in working_in(directory) if "keeper.py" not in command_of(pid)]


def children(pid: int) -> list[int]:
    """The living children of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(int(entry.name))
    return found


def alive(pid: int) -> bool:
    """Also while its last thread is on its way out: until then its files, and so its locks, are open."""
    process = Path(f"/proc/{pid}")
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z" or len(
            list((process / "task").iterdir())
        ) > 1
    except OSError:
        return False


def kill(pids: list[int], how: signal.Signals = signal.SIGKILL) -> None:
    """Returns when they are gone."""
    for pid in pids:
        os.kill(pid, how)
    eventually(lambda: not any(map(alive, pids)))


class User:
    """A user of the store in a process of its own (tests/embedded/user.py)."""

    def __init__(self, directory: Path, *, open_now: bool = True) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.embedded.user", str(directory)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if open_now:
            self.opened()

    def opened(self) -> None:
        assert self.hear() == "open"

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def says_something(self, seconds: float) -> bool:
        """Whether it does within so many seconds."""
        assert self.process.stdout is not None
        return bool(select.select([self.process.stdout], [], [], seconds)[0])

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def ask(self, word: str) -> str:
        self.tell(word)
        return self.hear()

    def end(self, how: str) -> None:
        """By a signal's name, or a word that the program knows. Returns when the process has ended."""
        if how.startswith("SIG"):
            self.process.send_signal(signal.Signals[how])
        else:
            self.tell(how)
        self.process.wait(20)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(20)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()

    def __enter__(self) -> "User":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
