"""Where the store's socket is: in the data directory, or, when that path is too long for a socket, in a private
directory of this user under the temporary directory. It must be the same for every command, so no environment
variable has a say.
"""

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path

from service.embedded.errors import StoreUnavailable

_LONGEST = 100  # bytes; the kernels allow 104 (macOS) and 108 (Linux) with the zero at the end


def socket_path(root: Path) -> Path:
    """The socket of the data directory `root` (resolved). Raises `StoreUnavailable`, `OSError`."""
    inside = root / "run" / "store.sock"
    if len(os.fsencode(inside)) <= _LONGEST:
        return inside
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:32]
    return _private_directory() / f"{name}.sock"


def _private_directory() -> Path:
    directory = _base() / f"trickbook-{os.geteuid()}"
    with contextlib.suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise StoreUnavailable(
            f"{directory} should be a directory of yours, for the store's socket, and is not. "
            "Have it removed, or name a data directory with a shorter path with --data DIR."
        )
    if stat.S_IMODE(found.st_mode) != 0o700:
        raise StoreUnavailable(
            f"The directory {directory} is open to other users. If you did that yourself: chmod 700 {directory}"
        )
    return directory


def _base() -> Path:
    usual = Path("/tmp")  # noqa: S108  (what is made in it is looked at before it is used)
    return usual if usual.is_dir() else Path(tempfile.gettempdir())
