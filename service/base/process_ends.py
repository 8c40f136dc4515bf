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
    """Whether this process has been asked to end. It is set from a thread, so nothing is interrupted at a bad place.

    Requests that wait for news wait on this (or have themselves called back) rather than for time alone, and answer at once
    when it is set: a server that is ending kills what still waits after a few seconds.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._callbacks: list[Callable[[], None]] = []
        self._begun = False

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; True as soon as the process is ending."""
        return self._event.wait(seconds)

    def call(self, callback: Callable[[], None]) -> None:
        """Call `callback`, from a thread of its own, when the process is asked to end; in the order of these calls."""
        self._callbacks.append(callback)

    def follow_signals(self) -> None:
        """Become set at SIGTERM. For the main thread, before there are others: they all inherit its mask.

        A thread takes the signal: a handler would run in the main thread at any place, also one that holds the lock which
        the handler needs, or that catches what it raises. SIGINT is not for children: Ctrl-C reaches every process of a
        terminal, and the main process ends them.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
        threading.Thread(target=self._wait_for_signal, name="ending", daemon=True).start()

    def begin(self) -> None:
        """What `call` was given ends the process from now on; until now SIGTERM ends it as it stands."""
        self._begun = True

    def _wait_for_signal(self) -> None:
        signal.sigwait({signal.SIGTERM})
        self._event.set()
        if not self._begun:
            os._exit(0)
        for callback in self._callbacks:
            callback()


ending = Ending()
