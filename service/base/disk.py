"""Bringing names of files to the disk."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Bring the names in a directory to the disk, where its file system can do that."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return  # a parent that we may pass and not read
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)
