"""What is written beside the place it is to have, and gets its name when it is whole."""

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from service.embedded import locks

_SUFFIX: Final = ".trickbook-draft"


@contextlib.contextmanager
def draft(target: Path, *, directory: bool) -> Iterator[Path]:
    """A new file (0600) or directory (0700) beside `target`, which the block writes and renames.

    What is left of it is removed at the end, and so is what a process that was killed left for the same target.
    Raises `OSError`.
    """
    for old in target.parent.glob(f".{target.name}.*{_SUFFIX}"):
        with contextlib.suppress(OSError), _opened(old) as descriptor:
            if locks.try_lock(descriptor, fcntl.LOCK_EX):
                _remove(old)
    fresh = target.with_name(f".{target.name}.{secrets.token_hex(4)}{_SUFFIX}")
    if directory:
        fresh.mkdir(mode=0o700)
    else:
        fresh.touch(mode=0o600, exist_ok=False)
    try:
        with _opened(fresh) as descriptor:
            locks.try_lock(descriptor, fcntl.LOCK_EX)  # held while this process lives
            yield fresh
    finally:
        _remove(fresh)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
