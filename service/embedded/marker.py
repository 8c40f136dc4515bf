"""The file that says a directory is Trickbook's data directory, and of which format. Without it nothing in a directory
that holds something is touched.
"""

import json
import os
import tempfile
from pathlib import Path

from service.base.disk import sync
from service.embedded.errors import StoreUnavailable

FORMAT = 1
_NAME = "trickbook.json"
_OURS = {"service-secret", "signing-key", "retired-keys", "high-water", "store", "store.log", "store.log.1", "run"}
_NOT_CONTENT = {"lost+found"}  # the root of a mounted volume has one


def mark(root: Path) -> None:
    """See that `root` is marked; an empty directory becomes ours.

    Raises `OSError`, and `StoreUnavailable` for a directory with something else in it or of a later format.
    """
    marked = _read(root)
    if marked is None and (content := _content(root)):
        marked = _read(root)  # somebody else may have marked it between the two looks
        if marked is None and not _is_copy(root, content):
            raise StoreUnavailable(
                f"The directory {root} holds something that is not Trickbook's. Name an empty or new directory with --data DIR."
            )
    if marked is None:
        _write(root)
    elif marked > FORMAT:
        raise StoreUnavailable(
            f"The data directory {root} has format {marked}; this version of Trickbook knows {FORMAT}. "
            "Use the version that wrote it, or a later one."
        )


def _is_copy(root: Path, content: list[str]) -> bool:
    """Whether the directory holds what a copy of a data directory holds, and nothing else: only the marker was left behind."""
    return set(content) <= _OURS and {"service-secret", "signing-key"} <= set(content) and (root / "store").is_dir()


def _content(root: Path) -> list[str]:
    return [one.name for one in root.iterdir() if one.name not in _NOT_CONTENT and not one.name.startswith(f".{_NAME}")]


def _read(root: Path) -> int | None:
    """The format of the directory; None when it has no marker."""
    path = root / _NAME
    try:
        return int(json.loads(path.read_text())["format"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise StoreUnavailable(
            f'The file {path} is damaged: it should say {{"format": {FORMAT}}}. '
            "If the directory is Trickbook's, write that into it; else name another directory with --data DIR."
        ) from None


def _write(root: Path) -> None:
    """Whole, and to the disk: what the store acknowledges must not vanish with its directory."""
    descriptor, draft = tempfile.mkstemp(prefix=f".{_NAME}.", dir=root)
    with open(descriptor, "w") as file:  # noqa: PTH123  (a descriptor)
        file.write(json.dumps({"format": FORMAT}) + "\n")
        file.flush()
        os.fsync(descriptor)
    Path(draft).replace(root / _NAME)
    sync(root)
    sync(root.parent)
