"""Reads a text record (record.md §2) line by line into a `TextGame`. It judges no move: only what cannot be read is refused.

What has one meaning is read in any spelling (docs/spec/sheets.md); the notes of the game list what was guessed or dropped.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from projections.textrecord.decoding import Decoded, decoded
from projections.textrecord.file_kinds import kind_of
from projections.textrecord.game import TextGame
from projections.textrecord.languages import readable
from projections.textrecord.letters import Letters
from projections.textrecord.sheet_reading import NoHeader, SheetReading
from projections.textrecord.tokens import first_invisible, tokens
from projections.textrecord.words import BadLine

MOST_BYTES: Final = 1024 * 1024
"""A text record is not longer: 200 whole hands take a tenth of it."""
_LONGEST_LINE: Final = 4096
_MARK: Final = b"\xef\xbb\xbf"


def is_text(beginning: bytes) -> bool:
    """Whether a file that begins like this is meant to be a text record and not a record for machines."""
    return beginning.removeprefix(_MARK).strip()[:1] not in (b"", b"{")


def read(raw: bytes | str) -> TextGame:
    """The game of a text record, with the notes on what was guessed. Raises `BadLine`."""
    return read_decoded(decode(raw), raw)


def decode(raw: bytes | str) -> Decoded:
    """The text of a text record. Raises `BadLine` for one that is too long or no text."""
    if len(raw) > MOST_BYTES:
        raise BadLine(1, _kind(raw) or f"expected a text record of at most {MOST_BYTES} bytes")
    return Decoded(raw) if isinstance(raw, str) else decoded(raw)


def read_decoded(source: Decoded, raw: bytes | str) -> TextGame:
    """The game of a text; `raw` is what it was decoded from, to be named where it is something else. Raises `BadLine`."""
    notes = list(source.notes)
    try:
        lines = _lines(source.text, notes)
        game, note = readable(lambda letters, declared: _reading(lines, letters, declared))
    except BadLine as error:
        kind = _kind(raw) or _kind(source.text) if isinstance(error, (NoHeader, LongLine)) else None
        raise (error if kind is None else BadLine(1, kind)) from None
    return msgspec.structs.replace(game, notes=(*notes, *game.notes, *([note] if note else [])))


def _kind(raw: bytes | str) -> str | None:
    return kind_of(raw if isinstance(raw, bytes) else raw[:MOST_BYTES].encode("utf-8", "replace"))


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends: LF, CR LF, or CR where there is no LF."""
    text = text.replace("\r\n", "\n")
    return (text if "\n" in text else text.replace("\r", "\n")).split("\n")


def _lines(text: str, notes: list[str]) -> list[str]:
    lines = lines_of(text)
    if "\n" not in text and "\r" in text:
        notes.append("the lines end with CR alone, as on an old Macintosh")
    invisible = []
    for number, line in enumerate(lines, 1):
        if len(line) > _LONGEST_LINE:
            raise LongLine(number, f"expected at most {_LONGEST_LINE} characters a line")
        column = first_invisible(line.partition("#")[0])
        if column is not None:
            invisible.append((number, column))
    if invisible:
        number, column = invisible[0]
        more = f" and on {len(invisible) - 1} more lines" if len(invisible) > 1 else ""
        notes.append(f"line {number}: characters without width are dropped (column {column}){more}")
    return lines


def _reading(lines: Sequence[str], letters: Letters, declared: Callable[[Letters], Letters]) -> "SheetReading":
    """All lines read with the `letters` of the cards; `declared` gives those of a ``cards`` line. Raises `BadLine`."""
    reading = SheetReading(letters, declared)
    for number, line in enumerate(lines, 1):
        said, _, _ = line.partition("#")
        found = tokens(said)
        if found:
            reading.line(number, said, found)
    return reading


class LongLine(BadLine):
    """A line that is longer than any of a text record."""
