"""Clients that are gone without a word, or do not read what they asked for: the kernel gives their connections up, so that
no thread goes on writing to nobody. Linux only; it knows nothing of the server but its port.
"""

import contextlib
import os
import socket
import sys
import threading
import time
from typing import Final

GIVE_UP_SECONDS: Final = 10.0
"""So long may what was sent stay without an answer. With a sign of life every 15 s a stream ends within 30 s of its client:
the first one after its end is not answered, the second one finds the connection closed."""

_LOOK_SECONDS: Final = 0.01
_LONGEST_LOOK_SECONDS: Final = 30.0


def give_up_silent_clients(port: int, seconds: float = GIVE_UP_SECONDS) -> None:
    """From a thread: as soon as this process listens at `port`, its connections are closed when a client is silent so long."""
    if sys.platform == "linux":
        threading.Thread(target=_when_it_listens, args=(port, seconds), name="silent-clients", daemon=True).start()


def _when_it_listens(port: int, seconds: float) -> None:
    end = time.monotonic() + _LONGEST_LOOK_SECONDS
    while not _set(port, seconds) and time.monotonic() < end:
        time.sleep(_LOOK_SECONDS)


def _set(port: int, seconds: float) -> bool:
    """Tells the sockets that listen there; each connection inherits it. Whether there was one."""
    found = False
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - names of descriptors, no paths
        with contextlib.suppress(OSError, ValueError), socket.socket(fileno=os.dup(int(name))) as one:
            listens = one.family in (socket.AF_INET, socket.AF_INET6) and one.getsockopt(
                socket.SOL_SOCKET, socket.SO_ACCEPTCONN
            )
            if listens and one.getsockname()[1] == port:
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(seconds * 1000))
                found = True
    return found
