"""The keeper: a process of its own that starts the store, counts its users by a lock, and ends it with the last one.

It is run as a file by a bare interpreter (no site-packages), so that it is there in some 20 ms: standard library and
`service.base.process_ends` only. It decides nothing: what to run and where is told to it.
"""

import contextlib
import fcntl
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[2]))  # last, so that nothing there hides the standard library

from service.base.process_ends import signal_when_parent_ends

_LOCK_SECONDS = 20.0  # an ending keeper or store may still write to a slow disk
_END_SECONDS = 20.0
_POLL_SECONDS = 0.005
_NO_USERS = 0  # no signal has this number


@dataclass(frozen=True, slots=True)
class KeeperOrders:
    """What the starter wants: paths of the locks, the command, its working directory, the descriptor to report to."""

    users_lock: str
    keeper_lock: str
    store_lock: str
    socket: str
    command: list[str]
    cwd: str
    report: int


class CannotKeep(Exception):
    """Why there is no store; the sentence goes to the starter."""


def main(orders: KeeperOrders) -> None:
    """Keep a store until its last user has gone, it ends itself, or SIGTERM comes."""
    os.set_inheritable(orders.report, False)
    if os.fork():  # the starter waits for this process only; the keeper is nobody's child
        os._exit(0)
    os.umask(0o077)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # that of a starter may keep SIGTERM from the store
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        said = _keep(orders)
    except (CannotKeep, OSError) as error:
        said = str(error)
    with contextlib.suppress(OSError):  # the starter may have gone
        os.write(orders.report, said.encode())


def _keep(orders: KeeperOrders) -> str:
    keeper_lock = _take(orders.keeper_lock, orders.report, "another keeper")
    _note(keeper_lock, "")
    _end_orphan(orders)
    store_lock = _take(orders.store_lock, orders.report, "another store process")
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    for signum in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(signum, lambda *_: None)
    signal.set_wakeup_fd(wake_write)
    # From this thread, which lives as long as the process: the store is signalled when its creator ends.
    store = _start(orders, store_lock)
    _note(store_lock, str(store))
    _note(keeper_lock, str(os.getpid()))  # from now on what answers is ours
    users_lock = os.open(orders.users_lock, os.O_RDWR | os.O_CREAT, 0o600)
    threading.Thread(target=_wait_for_last_user, args=(users_lock, wake_write), daemon=True).start()
    while True:
        for event in os.read(wake_read, 64):
            if event == signal.SIGCHLD:
                ended = _status_of_ended(store)
                if ended is not None:
                    return f"it ended with status {ended}"
            else:  # no user is left, or SIGTERM
                _end(store, wake_read)
                return "it was ended"


def _take(path: str, report: int, holder: str) -> int:
    """Take the lock, unless its holder stays too long, or the starter has gone: then nobody asked for this keeper."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    starter = select.poll()
    starter.register(report, 0)  # tells when nobody reads it any more
    deadline = time.monotonic() + _LOCK_SECONDS
    while time.monotonic() < deadline and not starter.poll(0):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        time.sleep(_POLL_SECONDS)
    pid = os.pread(descriptor, 20, 0).decode("ascii", "replace") or "unknown"
    raise CannotKeep(f"{holder}, process {pid}, holds {path} and does not end")


def _note(lock: int, text: str) -> None:
    os.ftruncate(lock, 0)
    os.pwrite(lock, text.encode(), 0)


def _end_orphan(orders: KeeperOrders) -> None:
    """A store whose keeper was killed ends by itself on Linux; elsewhere it is told to, cleanly."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_POLL_SECONDS)
        with contextlib.suppress(OSError):
            connection.connect(orders.socket)
            connection.sendall(b"SHUTDOWN\r\n")


def _start(orders: KeeperOrders, store_lock: int) -> int:
    keeper = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        os.setpgid(0, 0)  # so that whatever it forks can be ended with it
        os.chdir(orders.cwd)
        os.set_inheritable(store_lock, True)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal_when_parent_ends(signal.SIGTERM, keeper)
        os.execv(orders.command[0], orders.command)  # noqa: S606  (no shell is the point)
    except BaseException as error:
        os.write(2, f"{orders.command[0]}: {error}\n".encode())
    finally:
        os._exit(127)


def _wait_for_last_user(users_lock: int, wake: int) -> None:
    fcntl.flock(users_lock, fcntl.LOCK_EX)  # kept until this process ends: a newcomer waits for that
    os.write(wake, bytes([_NO_USERS]))


def _status_of_ended(store: int) -> int | None:
    pid, status = os.waitpid(store, os.WNOHANG)
    if not pid:
        return None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(store, signal.SIGKILL)  # a child of it that rewrites the file would hold the lock
    return os.waitstatus_to_exitcode(status)


def _end(store: int, wake: int) -> None:
    os.kill(store, signal.SIGTERM)
    deadline = time.monotonic() + _END_SECONDS
    while _status_of_ended(store) is None:
        if not select.select([wake], [], [], max(0.0, deadline - time.monotonic()))[0]:
            os.kill(store, signal.SIGKILL)  # loses nothing: what was acknowledged is on the disk
            deadline += _END_SECONDS
        else:
            os.read(wake, 64)


if __name__ == "__main__":
    main(KeeperOrders(**json.loads(sys.argv[1])))
