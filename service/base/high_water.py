"""The high-water file: how far each game had come by what this node acknowledged, kept beside the signing key.

An older copy of the store cannot know it; the file can (docs/decisions/high-water.md). The first line names the service, then
comes one line a place: ``<game> <version> <head>``. It is added to each second, and before the end of a game is delivered;
compacted, each game has one line. Several processes of a node share the file.
"""

import contextlib
import fcntl
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
import structlog

from events.store import LogHead
from service.base.disk import sync

FILE: Final = "high-water"
SECONDS: Final = 1.0
"""How long a place may stay out of the file."""

_LOCK: Final = "high-water.lock"
_LINE: Final = re.compile(r"([0-9a-hjkmnp-tv-z]{16}) ([1-9][0-9]{0,15}) ([0-9a-f]{64})\Z")
_SERVICE: Final = re.compile(r"service ([0-9a-f]{64})\Z")
_TORN: Final = re.compile(
    r"(?:[0-9a-hjkmnp-tv-z]{0,16}|[0-9a-hjkmnp-tv-z]{16} [0-9]{0,16}(?: [0-9a-f]{0,63})?|service [0-9a-f]{0,63})\Z"
)
"""The beginning of a line, as a crash leaves it."""

_LONGEST: Final = 4096
_GROWN: Final = 1 << 20  # bytes beyond twice the compact size, at which it is compacted again

log = structlog.get_logger("trickbook.high_water")


class Contents(msgspec.Struct, frozen=True):
    """What a file holds: the highest place of each game, the fingerprint of the service's secret ("" in an empty file), and how
    many lines no Trickbook wrote."""

    places: dict[str, LogHead]
    service: str = ""
    unreadable: int = 0


class HighWater:
    """The file of one data directory, for any number of threads; each process has its own object."""

    def __init__(self, root: Path) -> None:
        """Reads and writes nothing yet."""
        self.path = root / FILE
        self.service = ""
        """The fingerprint of the service's secret, which a new file begins with."""
        self.fault: str | None = None
        """Why the last writing failed, None where it did not."""
        self._writing = threading.Lock()
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
        """Writes what was added before the call, to the disk. Where that fails it is logged, and tried again the next time."""
        with self._writing:  # also where another thread is writing what was added here
            with self._mutex:
                pending, self._pending = self._pending, {}
            if not pending:
                return
            try:
                with self._locked():
                    size = _append(self.path, pending, self.service)
                    if compact and size > self._compact_at:
                        write_file(self.path, read_file(self.path), self.service)
                        self._compact_at = 2 * self.path.stat().st_size + _GROWN
                self._note(None)
            except OSError as error:
                self._note(error.strerror or str(error))
                with self._mutex:
                    self._pending = pending | self._pending

    def probe(self) -> None:
        """Looks whether the file can be written, for `fault`; it creates an empty one."""
        try:
            with self._locked():
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600))
            self._note(None)
        except OSError as error:
            self._note(error.strerror or str(error))

    def _note(self, fault: str | None) -> None:
        if fault != self.fault:
            write = log.info if fault is None else log.error
            write("high_water_written" if fault is None else "high_water_not_written", path=str(self.path), reason=fault)
        self.fault = fault

    def read(self) -> Contents:
        """What the file holds, from other processes of this node too. Raises `OSError`."""
        self.flush()
        return contents(self.path)

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
    """The highest place of each game in one file, as `contents`. Raises `OSError`."""
    return contents(path).places


def contents(path: Path) -> Contents:
    """What a file holds, of two places at one version the later; nothing where there is no file.

    A line that is not whole, as a crash leaves it, is passed over. Raises `OSError`.
    """
    found: dict[str, LogHead] = {}
    service, unreadable = "", 0
    try:
        with path.open(encoding="ascii", errors="replace", newline="\n") as lines:
            while line := lines.readline(_LONGEST):
                text = line.rstrip("\n")
                match = _LINE.match(text)
                if match is not None:
                    game, version = match[1], int(match[2])
                    known = found.get(game)
                    if known is None or known.version <= version:
                        found[game] = LogHead(version, bytes.fromhex(match[3]))
                elif named := _SERVICE.match(text):
                    service = named[1]
                else:
                    unreadable += _TORN.match(text) is None
    except FileNotFoundError:
        pass
    return Contents(found, service, unreadable)


def _append(path: Path, places: Mapping[str, LogHead], service: str) -> int:
    """Adds lines to the file, on the disk when it returns; the size of the file then."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        torn = False
        if end:
            file.seek(end - 1)
            torn = file.read(1) != b"\n"
        file.write((b"\n" if torn else b"") + _lines(places, "" if end else service))
        file.flush()
        os.fsync(descriptor)
        return file.tell()


def write_file(path: Path, places: Mapping[str, LogHead], service: str = "") -> None:
    """Writes a compact file, mode 0600, whole or not at all. Raises `OSError`."""
    fresh = path.with_name(f"{path.name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(_lines(places, service))
        file.flush()
        os.fsync(descriptor)
    fresh.replace(path)
    sync(path.parent)


def _lines(places: Mapping[str, LogHead], service: str) -> bytes:
    named = f"service {service}\n".encode() if service else b""
    return named + b"".join(f"{game} {place.version} {place.head.hex()}\n".encode() for game, place in places.items())
