"""A stream of bytes as its records: one, many one after the other, or a text. It judges nothing and holds one at a time."""

import io
from collections.abc import Iterator
from typing import BinaryIO, Final

from cli.bulk.units import RecordUnit, TextUnit
from events.record import MAX_BYTES, MAX_LINE
from projections.textrecord import is_text
from projections.textrecord.reader import MOST_BYTES

_HEADER: Final = b'{"events":'
"""How the header of a record begins: its keys are in canonical order."""
_BEGINNING: Final = 512


def split(name: str, stream: BinaryIO, *, text: bool = True) -> Iterator[RecordUnit | TextUnit]:
    """The records of an open file called `name`; of several, each is called ``name:line`` by the line of its header.

    A header always begins a record, so that what is damaged spoils no other. Of what is too large only so much is kept
    that its reader finds it too large. With `text` False nothing is a text record. Raises `OSError`.
    """
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    if text and is_text(buffered.peek(_BEGINNING)[:_BEGINNING]):
        yield TextUnit(name, buffered.read(MOST_BYTES + 1))
        return
    held, begun, number, fresh = bytearray(), 1, 1, True
    several = False
    while line := buffered.readline(MAX_LINE + 1):
        if fresh and held and line.startswith(_HEADER):
            several = True
            yield RecordUnit(f"{name}:{begun}", bytes(held), begun)
            held, begun = bytearray(), number
        if not held or (held.startswith(_HEADER) and len(held) <= MAX_BYTES):
            held += line
        fresh = line.endswith(b"\n")
        number += fresh
    yield RecordUnit(f"{name}:{begun}" if several else name, bytes(held), begun)
