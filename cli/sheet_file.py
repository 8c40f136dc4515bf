"""A sheet in a file: opened with what is needed to write it again as it is, and written whole or not at all."""

import os
import stat
import tempfile
from pathlib import Path

from cli.failures import FOUND_OTHERWISE, USAGE, Failure
from projections.sheet_keeping import KeptSheet
from projections.textrecord import BadLine
from projections.textrecord.decoding import Decoded
from projections.textrecord.reader import MOST_BYTES, decode, is_text, read_decoded
from service.base.disk import sync


class SheetFile:
    """A file that holds a sheet, or will."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: bytes | None = None
        self._decoded = Decoded("")

    def open(self) -> KeptSheet | None:
        """The sheet in the file, None where there is no file. Raises `Failure` where it holds something else."""
        raw = self._on_disk()
        self._seen = raw
        if raw is None or not raw.strip():
            return None
        sheet, self._decoded = opened(str(self.path), raw)
        return sheet

    def write(self, text: str) -> None:
        """Writes the sheet in the encoding the file has, whole or not at all.

        Raises `Failure` where it cannot be written, or where the file has been changed by somebody else since it was read.
        """
        try:
            raw = self._decoded.encoded(text)
        except UnicodeEncodeError as error:
            letter = ascii(error.object[error.start])
            raise Failure(f"{self.path} has no letter {letter} in its encoding: save it as UTF-8 first", USAGE) from None
        if self._on_disk() != self._seen:
            text = f"{self.path} has been changed by another program in the meantime; nothing was written: start again"
            raise Failure(text, FOUND_OTHERWISE)
        try:
            replace(self.path, raw)
        except OSError as error:
            raise Failure(f"{self.path} cannot be written: {error.strerror}", USAGE) from None
        self._seen = raw

    def _on_disk(self) -> bytes | None:
        if self.path.exists() and not self.path.is_file():
            raise Failure(f"{self.path} is no file: a sheet is kept in a file", USAGE)
        try:
            with self.path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Failure(f"{self.path} cannot be read: {error.strerror}", USAGE) from None


def opened(name: str, raw: bytes) -> tuple[KeptSheet, Decoded]:
    """The sheet of the bytes of a file, and how they were read. Raises `Failure`."""
    if not is_text(raw):
        raise Failure(f"{name} is no text record: `trickbook audit` shows the score of a game", USAGE)
    try:
        source = decode(raw)
        return KeptSheet(source.text, read_decoded(source, raw)), source
    except BadLine as error:
        raise Failure(f"{name}, {error}", USAGE) from None


def replace(path: Path, raw: bytes) -> None:
    """Puts bytes in the place of a file's, on the disk before it returns; a link stays one. Raises `OSError`."""
    there = path.resolve()
    descriptor, draft = tempfile.mkstemp(prefix=f".{there.name}.", dir=there.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(stat.S_IMODE(there.stat().st_mode) if there.exists() else 0o666 & ~_umask())
        Path(draft).replace(there)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    sync(there.parent)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
