"""Whether the files of the store are all there, before a server is started that would begin with nothing in their place."""

import re
from typing import Final

from service.embedded.directory import DataDirectory
from service.embedded.errors import StoreUnavailable

_FOLDER: Final = "appendonlydir"
_MANIFEST: Final = "appendonly.aof.manifest"
_FILE: Final = re.compile(r"^file (\S+) seq (\d+) type (\w)", re.MULTILINE)


def require_whole(directory: DataDirectory) -> None:
    """Raises `StoreUnavailable`, which names what is missing, where the store had games and its files are not all there."""
    folder = directory.store / _FOLDER
    had = directory.root / "high-water"
    if not folder.is_dir():
        if had.exists() and had.stat().st_size:
            raise _missing(directory, f"{folder} is missing, but {had} says that there were games")
        return
    files = sorted(path.name for path in folder.iterdir() if path.name != _MANIFEST and not path.name.startswith("temp"))
    manifest = folder / _MANIFEST
    if not manifest.exists():
        if files or (had.exists() and had.stat().st_size):
            raise _missing(directory, f"the manifest {manifest} is missing")
        return
    named = [match[1] for match in _FILE.finditer(manifest.read_text(errors="replace")) if match[3] != "h"]
    gone = [name for name in named if name not in files]
    if gone:
        raise _missing(directory, f"{', '.join(str(folder / name) for name in gone)}, named by the manifest, is missing")


def _missing(directory: DataDirectory, what: str) -> StoreUnavailable:
    return StoreUnavailable(
        f"The store is not whole: {what}. Nothing was started or changed. Put the files of {directory.store} back, or restore "
        f"a backup into a new directory (`trickbook restore FILE --data DIR`). To begin with no games, name a new directory."
    )
