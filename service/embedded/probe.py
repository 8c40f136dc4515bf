"""Whether the store answers, asked over its socket in a few microseconds. It must not start or end anything."""

import socket
from enum import Enum
from pathlib import Path

from service.embedded import locks
from service.embedded.directory import DataDirectory

_ANSWER_SECONDS = 2.0


class StoreState(Enum):
    """What is there: no keeper; a keeper whose store does not answer yet; one that reads its data; one in use."""

    GONE = "gone"
    SILENT = "silent"
    LOADING = "loading"
    READY = "ready"


def probe(directory: DataDirectory) -> StoreState:
    """The state now.

    A store without its keeper counts as gone: nobody would end it with its last user. While a new keeper waits for
    such a store to end, and so has not yet noted itself, what answers is the old one.
    """
    if not locks.is_held(directory.keeper_lock):
        return StoreState.GONE
    return _ask(directory.socket) if locks.read_note(directory.keeper_lock) else StoreState.SILENT


def _ask(path: Path) -> StoreState:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_ANSWER_SECONDS)
        try:
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            answer = connection.recv(64)
        except OSError:
            return StoreState.SILENT
    if answer.startswith(b"-LOADING"):
        return StoreState.LOADING
    return StoreState.READY if answer else StoreState.SILENT
