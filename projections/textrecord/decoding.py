"""The text of a file: UTF-8, or UTF-16 and Latin-1 by a guess that is named."""

import codecs
import re
from typing import Final

import msgspec

from projections.textrecord.file_kinds import NOT_TEXT, kind_of
from projections.textrecord.tokens import BadLine

_UTF16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_UTF32: Final = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_SAMPLE: Final = 1024
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_MULTIBYTE: Final = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_OF_WINDOWS: Final = re.compile(rb"[\x80-\x9f]")


class Decoded(msgspec.Struct, frozen=True):
    """The text of a file, the codec and the byte order mark that write it again, and a note about what was guessed."""

    text: str
    codec: str = "utf-8"
    mark: bytes = b""
    notes: tuple[str, ...] = ()

    def encoded(self, text: str) -> bytes:
        """The bytes of a text in the encoding of this file. Raises `UnicodeEncodeError`."""
        return self.mark + text.encode(self.codec)


def decoded(raw: bytes) -> Decoded:
    """The text of `raw`. Raises `BadLine` where it is no text, or its encoding cannot be known."""
    if raw.startswith(codecs.BOM_UTF8):
        return Decoded(_strict(raw[len(codecs.BOM_UTF8) :], "utf-8"), mark=codecs.BOM_UTF8)
    if raw.startswith(_UTF32):
        raise BadLine(1, "expected UTF-8, not UTF-32: save the file as UTF-8")
    for mark, codec in _UTF16.items():
        if raw.startswith(mark):
            text = _strict(raw[len(mark) :], codec)
            return Decoded(text, codec, mark, ("the file is read as UTF-16, by its byte order mark",))
    codec = _utf16_of(raw)
    if codec:
        return Decoded(_strict(raw, codec), codec, b"", ("the file is read as UTF-16: a guess by its zero bytes",))
    try:
        return Decoded(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _latin(raw, error)


def _strict(raw: bytes, codec: str) -> str:
    try:
        return raw.decode(codec)
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode(codec, "ignore")
        raise BadLine(before.count("\n") + 1, f"expected {codec.upper()}: byte {error.start} cannot be read") from None


def _utf16_of(raw: bytes) -> str:
    """The codec of UTF-16 without a mark: Latin letters have a zero in every second byte. Empty for anything else."""
    sample = raw[: _SAMPLE - _SAMPLE % 2]
    if len(sample) < 8 or len(raw) % 2:
        return ""
    even, odd = sample[::2], sample[1::2]
    for zeros, letters, codec in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros.count(0) * 4 > len(zeros) and not letters.count(0):
            return codec
    return ""


def _latin(raw: bytes, error: UnicodeDecodeError) -> Decoded:
    """The text as Latin-1, or as that of Windows. Raises `BadLine` for UTF-8 with a fault in it, or no text."""
    line = raw[: error.start].count(b"\n") + 1
    column = len(raw[: error.start].rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
    kind = kind_of(raw)
    if kind is not None:
        raise BadLine(1, kind)
    if _CONTROLS.search(raw):
        raise BadLine(line, NOT_TEXT)
    if _MULTIBYTE.search(raw):
        raise BadLine(line, f"expected UTF-8: the byte at column {column} cannot be read")
    codec = "cp1252" if _OF_WINDOWS.search(raw) else "latin-1"
    name = "Windows-1252, the Latin-1 of Windows" if codec == "cp1252" else "Latin-1"
    try:
        text = raw.decode(codec)
    except UnicodeDecodeError:
        raise BadLine(line, f"expected UTF-8: the byte at column {column} cannot be read") from None
    guess = f"line {line}: the file is not UTF-8; it is read as {name}: a guess. Save it as UTF-8 if a name looks wrong"
    return Decoded(text, codec, b"", (guess,))
