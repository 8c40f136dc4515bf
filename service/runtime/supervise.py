"""The processes that work beside the service: started by `serve`, `worker` and `demo`, started again when they die, ended
with their parent on every way it can end. It knows their names and nothing of what they do.
"""

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import structlog

CHILDREN: Final[Mapping[str, str]] = {"jobs": "service.runtime.worker_process", "follower": "service.runtime.follower_process"}
"""Each by its module, whose `run(environment)` works until SIGTERM. One that is not there is left out."""

END_SECONDS: Final = 5.0
"""What a child has to end its work in hand; then it is killed, and what it left is found again."""

_ROOT: Final = Path(__file__).parents[2]
_START: Final = "import sys; sys.path.append(sys.argv[1]); from service.runtime.child_process import main; main(*sys.argv[2:])"
_LOOK_SECONDS: Final = 0.1
_PAUSES: Final = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)  # before a child that died young is started again
_YOUNG_SECONDS: Final = 10.0

log = structlog.get_logger("trickbook.children")


def known() -> tuple[str, ...]:
    """The children there are."""
    return tuple(name for name, module in CHILDREN.items() if _is_there(module))


class Children:
    """A few of them; a context manager that ends them.

    They are started from one thread that lives as long as they do: where the kernel tells a child of its parent's end,
    it tells of the end of the thread that started it.
    """

    def __init__(
        self,
        names: Sequence[str],
        environment: Mapping[str, str],
        *,
        delay: float = 0.0,
        log_file: Path | None = None,
        table: Mapping[str, str] = CHILDREN,
    ) -> None:
        """Starts nothing yet. The first start is `delay` seconds after `start`; what they print goes to `log_file`, or
        where we print."""
        self._running = {name: _Child(name, table[name]) for name in names}
        self._environment = dict(environment)
        self._delay = delay
        self._log_file = log_file
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="children", daemon=True)

    def start(self) -> Self:
        """Returns at once."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Ends them; returns when they have ended, within some `END_SECONDS`."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(END_SECONDS + 5)

    def pids(self) -> dict[str, int]:
        """The numbers of those that run now."""
        return {name: child.process.pid for name, child in self._running.items() if child.process is not None}

    def _run(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # children inherit it: Ctrl-C is for us alone
        now = time.monotonic()
        for child in self._running.values():
            child.due = now + self._delay
        while not self._stopping.wait(_LOOK_SECONDS):
            for child in self._running.values():
                child.look(self._start)
        self._end()

    def _start(self, module: str) -> "subprocess.Popen[bytes]":
        # With descriptors left open (ours close on exec by themselves) and nothing else asked for, it is posix_spawn: a
        # fork of this process at the same moment, as servers make them, cannot keep the start waiting.
        command = [sys.executable, "-P", "-c", _START, str(_ROOT), module, str(os.getpid())]
        if self._log_file is None:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=self._environment, close_fds=False)
        with self._log_file.open("ab") as output:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=self._environment, close_fds=False
            )

    def _end(self) -> None:
        alive = [child.process for child in self._running.values() if child.process is not None]
        for process in alive:
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGCONT)
        end = time.monotonic() + END_SECONDS
        for process in alive:
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


class _Child:
    """One of them: its process while it runs, else when it is due to be started."""

    def __init__(self, name: str, module: str) -> None:
        self.name = name
        self.process: subprocess.Popen[bytes] | None = None
        self.due = 0.0
        self._module = module
        self._since = 0.0
        self._deaths = 0

    def look(self, start: Callable[[str], "subprocess.Popen[bytes]"]) -> None:
        """Notices that it has ended, or starts it when it is due."""
        now = time.monotonic()
        if self.process is None:
            if now >= self.due:
                self.process, self._since = start(self._module), now
        elif (code := self.process.poll()) is not None:
            self.process = None
            self._deaths = self._deaths + 1 if now - self._since < _YOUNG_SECONDS else 0
            pause = _PAUSES[min(self._deaths, len(_PAUSES) - 1)]
            self.due = now + pause
            log.warning("child_ended", child=self.name, code=code, again_in_seconds=pause)


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its package is not there either
        return False
