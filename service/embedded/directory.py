"""The data directory: where each thing is, that it is ours, private and marked. It never deletes or takes over
anything it did not make.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from service.embedded.errors import StoreUnavailable
from service.embedded.marker import mark
from service.embedded.socket_path import socket_path


@dataclass(frozen=True, slots=True)
class DataDirectory:
    """Paths under one prepared data directory (absolute, no symlinks)."""

    root: Path
    socket: Path

    @property
    def store(self) -> Path:
        """Where the store keeps its append-only files; its working directory."""
        return self.root / "store"

    @property
    def log(self) -> Path:
        return self.root / "store.log"

    @property
    def run(self) -> Path:
        """Lock files and the socket: of use only while somebody runs."""
        return self.root / "run"

    @property
    def users_lock(self) -> Path:
        """Shared by every user; whoever gets it alone knows that there is none."""
        return self.run / "users.lock"

    @property
    def start_lock(self) -> Path:
        """Held while somebody looks whether a store must be started, and starts it."""
        return self.run / "start.lock"

    @property
    def keeper_lock(self) -> Path:
        """Held by the keeper as long as it lives."""
        return self.run / "keeper.lock"

    @property
    def store_lock(self) -> Path:
        """Held by the store process itself: two on one directory cannot be."""
        return self.run / "store.lock"

    @property
    def serve_lock(self) -> Path:
        """Held by the one `serve` of this directory."""
        return self.run / "serve.lock"


def prepare(path: str | os.PathLike[str]) -> DataDirectory:
    """The data directory at `path`, made (0700) if it is missing, with a marker that says it is Trickbook's.

    Raises `StoreUnavailable` when it is somebody else's, holds something else, is of a later format, or cannot be
    written.
    """
    try:
        return _prepare(Path(path).expanduser().resolve())
    except (OSError, RuntimeError) as error:  # RuntimeError: no home directory, or a loop of symlinks
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreUnavailable(
            f"The data directory {path} cannot be used: {reason}. Name another one with --data DIR."
        ) from None


def _prepare(root: Path) -> DataDirectory:
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    _require_owner(root)
    mark(root)
    _make_private(root)
    directory = DataDirectory(root, socket_path(root))
    for made in (directory.store, directory.run):
        made.mkdir(mode=0o700, exist_ok=True)
    return directory


def _require_owner(root: Path) -> None:
    owner = root.stat().st_uid
    if owner != os.geteuid():
        raise StoreUnavailable(
            f"The data directory {root} belongs to the user with number {owner}, not to you ({os.geteuid()}). "
            "Run the command as that user, or name a directory of your own with --data DIR."
        )


def _make_private(root: Path) -> None:
    """Mend the mode: it is marked as ours, so nobody else has a use for it."""
    if not _open_to_others(root):
        return
    root.chmod(0o700)
    if _open_to_others(root):
        raise StoreUnavailable(
            f"The data directory {root} can be read by other users and its file system does not let that be changed. "
            "Name a directory on another file system with --data DIR."
        )


def _open_to_others(root: Path) -> bool:
    return bool(stat.S_IMODE(root.stat().st_mode) & 0o077)
