"""Lock files that the kernel drops when their holder ends, however it ends. Nothing here ever deletes one: a deleted
lock file is a second lock of the same name.

The lock belongs to the open file: a forked child shares it, an executed program does not. So a lock that must end
with the block that took it is unlocked by name (`released`), and one that counts users is only ever closed.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_POLL_SECONDS = 0.005


def open_lock(path: Path) -> int:
    """A new descriptor of the lock file, made 0600 when missing. Raises `OSError`."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def try_lock(descriptor: int, kind: int) -> bool:
    """Take it if nobody is in the way; `kind` is fcntl.LOCK_SH or fcntl.LOCK_EX."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_lock(descriptor: int, kind: int, seconds: float) -> bool:
    """Take it within so many seconds; False when somebody was in the way all the time."""
    deadline = time.monotonic() + seconds
    while not try_lock(descriptor, kind):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def unlock(descriptor: int) -> None:
    """Drop it for this process and for every fork that shares the descriptor."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def released(path: Path, seconds: float) -> Iterator[bool]:
    """Hold the exclusive lock for a block; gives False, without it, when it was not to be had in time."""
    descriptor = open_lock(path)
    held = False
    try:
        held = wait_lock(descriptor, fcntl.LOCK_EX, seconds)
        yield held
    finally:
        if held:
            unlock(descriptor)
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether somebody holds the exclusive lock now. A missing file is held by nobody."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        if not try_lock(descriptor, fcntl.LOCK_SH):
            return True
        unlock(descriptor)
        return False
    finally:
        os.close(descriptor)


def note(descriptor: int, text: str) -> None:
    """Replace what the lock file says of its holder. It is for messages: only the lock itself is proof."""
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)


def read_note(path: Path) -> str:
    """What the holder, or the last one, wrote; empty when nothing can be read."""
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
