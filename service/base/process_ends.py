"""How a process of ours ends with its parent, on every way its parent can end.

Standard library only and nothing at import: the keeper of the embedded store imports it in a bare interpreter.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_PARENT_POLL_SECONDS = 0.25
_SETTLE_SECONDS = 0.2


def can_follow_parent() -> bool:
    """Whether the kernel sends a signal when the parent ends; elsewhere a thread has to look."""
    return sys.platform == "linux"


def signal_when_parent_ends(signum: int, parent: int) -> None:
    """Ask the kernel to send `signum` to this process when its parent `parent` (a pid) ends.

    The signal comes when the *thread* that created this process ends, so create it from one that lives as long as
    its process. It survives exec, not fork. Does nothing where the kernel has no such thing.
    """
    if can_follow_parent():
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signum, 0, 0, 0)
    if os.getppid() != parent:  # it ended before we asked
        os.kill(os.getpid(), signum)


def follow_parent(parent: int) -> None:
    """From now on, die at once (SIGKILL) when the parent `parent` (a pid) is gone; for a worker of a server."""
    signal_when_parent_ends(signal.SIGKILL, parent)
    if not can_follow_parent():
        threading.Thread(target=_watch_parent, args=(parent,), name="follow-parent", daemon=True).start()


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


class Ending:
    """Whether this process has been asked to end, for requests that wait: they must answer at once when it has.

    Long-polls and streams wait on this (or have themselves called back) rather than for time alone; a server that is
    ending kills what still waits after a few seconds.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._callbacks: list[Callable[[], None]] = []
        self._served_since: float | None = None

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; True as soon as the process is ending."""
        return self._event.wait(seconds)

    def call(self, callback: Callable[[], None]) -> None:
        """Call `callback`, from a thread of its own, when the process is asked to end."""
        self._callbacks.append(callback)

    def follow_signals(self) -> None:
        """Become set at SIGTERM. For a worker's main thread, before there are others: they all inherit its mask.

        A thread takes the signal and passes it on, once, to the handler that the server has set: granian drops the
        requests under way at a second one, and loses one that comes before it is quite up. SIGINT is not for workers:
        Ctrl-C reaches every process of a terminal, and the main process ends them.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        threading.Thread(target=self._wait_for_signal, name="ending", daemon=True).start()

    def app_is_made(self) -> None:
        """The server is about to serve; until now SIGTERM ends the process as it stands."""
        self._served_since = time.monotonic()

    def _wait_for_signal(self) -> None:
        signal.sigwait({signal.SIGTERM})
        self._event.set()
        if self._served_since is None:
            os._exit(0)
        for callback in self._callbacks:
            callback()
        time.sleep(max(0.0, self._served_since + _SETTLE_SECONDS - time.monotonic()))
        handler = signal.getsignal(signal.SIGTERM)
        if callable(handler):
            handler(signal.SIGTERM, None)


ending = Ending()
