"""The high-water file: how far each game had come by what this node acknowledged, kept beside the signing key.

An older copy of the store cannot know it; the file can (docs/decisions/high-water.md). One line a place:
``<game> <version> <head>``. It is added to each second, and before the end of a game is delivered; compacted, each game has
one line. Several processes of a node share the file.
"""

import contextlib
import fcntl
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import structlog

from events.store import LogHead

FILE: Final = "high-water"
SECONDS: Final = 1.0
"""How long a place may stay out of the file."""

_LOCK: Final = "high-water.lock"
_LINE: Final = re.compile(r"([0-9a-hjkmnp-tv-z]{16}) ([1-9][0-9]{0,15}) ([0-9a-f]{64})\Z")
_GROWN: Final = 1 << 20  # bytes beyond twice the compact size, at which it is compacted again

log = structlog.get_logger("trickbook.high_water")


class HighWater:
    """The file of one data directory, for any number of threads; each process has its own object."""

    def __init__(self, root: Path) -> None:
        """Reads and writes nothing yet."""
        self.path = root / FILE
        self._lock_path = root / "run" / _LOCK
        self._pending: dict[str, LogHead] = {}
        self._mutex = threading.Lock()
        self._compact_at = 0
        self._stopping = threading.Event()

    def add(self, game: str, place: LogHead, ended: bool = False) -> None:
        """Takes a place that the log has; with `ended` it is in the file when this returns."""
        with self._mutex:
            known = self._pending.get(game)
            if known is None or known.version <= place.version:
                self._pending[game] = place
        if ended:
            self.flush()

    def flush(self, *, compact: bool = False) -> None:
        """Writes what was added since the last time, to the disk. Where that fails it is logged and tried again."""
        with self._mutex:
            pending, self._pending = self._pending, {}
        if not pending:
            return
        try:
            with self._locked():
                size = _append(self.path, pending)
                if compact and size > self._compact_at:
                    self._compact_at = 2 * _rewrite(self.path, read_file(self.path)) + _GROWN
        except OSError as error:
            log.error("high_water_not_written", path=str(self.path), reason=error.strerror)  # noqa: TRY400 - the sentence says it
            with self._mutex:
                self._pending = pending | self._pending

    def read(self) -> dict[str, LogHead]:
        """The highest place of each game, those of other processes of this node included. Raises `OSError`."""
        self.flush()
        return read_file(self.path)

    def run(self, each: Callable[[], None] | None = None) -> None:
        """Starts the thread that writes each second; `each` is called after each writing."""
        threading.Thread(target=self._run, args=(each,), name="high-water", daemon=True).start()

    def stop(self) -> None:
        """Ends the thread, and writes what is left."""
        self._stopping.set()
        self.flush()

    def _run(self, each: Callable[[], None] | None) -> None:
        while not self._stopping.wait(SECONDS):
            try:
                self.flush(compact=True)
                if each is not None:
                    each()
            except Exception:
                log.exception("high_water_fault")

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self._lock_path.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # a process that was forked meanwhile shares the descriptor
            os.close(descriptor)


def read_file(path: Path) -> dict[str, LogHead]:
    """The highest place of each game in one file, of two at one version the later; nothing where there is no file.

    A line that is not whole, as a crash leaves it, is passed over. Raises `OSError`.
    """
    found: dict[str, LogHead] = {}
    try:
        with path.open(encoding="ascii", errors="replace") as lines:
            for line in lines:
                match = _LINE.match(line.rstrip("\n"))
                if match is None:
                    continue
                game, version = match[1], int(match[2])
                known = found.get(game)
                if known is None or known.version <= version:
                    found[game] = LogHead(version, bytes.fromhex(match[3]))
    except FileNotFoundError:
        return {}
    return found


def merged(files: Iterable[Path]) -> dict[str, dict[str, LogHead]]:
    """The highest place of each game over several nodes' files, by the name of each file that has it. Raises `OSError`."""
    found: dict[str, dict[str, LogHead]] = {}
    for path in files:
        for game, place in read_file(path).items():
            found.setdefault(game, {})[str(path)] = place
    return found


def _append(path: Path, places: Mapping[str, LogHead]) -> int:
    """Adds lines to the file, on the disk when it returns; the size of the file then."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        torn = False
        if end:
            file.seek(end - 1)
            torn = file.read(1) != b"\n"
        file.write((b"\n" if torn else b"") + _lines(places))
        file.flush()
        os.fsync(descriptor)
        return file.tell()


def _rewrite(path: Path, places: Mapping[str, LogHead]) -> int:
    """Replaces the file by one line a game; its size."""
    write_file(path, places)
    return path.stat().st_size


def write_file(path: Path, places: Mapping[str, LogHead]) -> None:
    """Writes a compact file, mode 0600, whole or not at all. Raises `OSError`."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(_lines(places))
        file.flush()
        os.fsync(descriptor)
    fresh.replace(path)


def _lines(places: Mapping[str, LogHead]) -> bytes:
    return b"".join(f"{game} {place.version} {place.head.hex()}\n".encode() for game, place in places.items())
