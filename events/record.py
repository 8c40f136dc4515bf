"""The portable record (record.md §1): a whole game as NDJSON, read line by line, never repaired.

A reader stops at the first line it does not accept and names it.
"""

from collections.abc import Iterator
from typing import BinaryIO, Final, Literal

import msgspec

from events import typed_reader
from events.canonical import NotCanonical, decode, encode
from events.log import BadEvent, Stored
from events.types import Data, GameId, Hex32, Positive, ServerKey, data_of

MAX_LINE: Final = 64 * 1024
MAX_EVENTS: Final = 20_000
MAX_BYTES: Final = 64 * 1024 * 1024


class Header(Data, frozen=True):
    """The first line: what the file claims to hold."""

    events: Positive
    format: Literal["trickbook-record"]
    game: GameId
    head: Hex32
    server_key: ServerKey
    v: Literal[1]


class Record(msgspec.Struct, frozen=True):
    """A record as it was read: nothing in it has been checked but its form. `receipt` is canonical bytes."""

    header: Header
    events: tuple[Stored, ...]
    receipt: bytes | None = None


class UnreadableRecord(ValueError):
    """A file that is no record from `line` (from 1) on; `read` is what stands before it, None without even a header."""

    def __init__(self, line: int, message: str, read: Record | None = None) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message
        self.read = read


class AlteredRecord(UnreadableRecord):
    """A record that was changed as a whole on its way, and in nothing else: its line ends, or a byte order mark before it."""


def write(record: Record) -> bytes:
    """The file: each line canonical, LF. The same record gives the same bytes."""
    lines = [encode(msgspec.to_builtins(record.header)), *map(_line, record.events)]
    if record.receipt is not None:
        lines.append(b'{"receipt":' + record.receipt + b"}")
    return b"\n".join(lines) + b"\n"


def _line(event: Stored) -> bytes:
    sealed = b"" if event.sealed is None else b',"sealed":' + event.sealed
    return b'{"public":' + event.public + sealed + b"}"


class _EventLine(msgspec.Struct, forbid_unknown_fields=True):
    public: msgspec.Raw
    sealed: msgspec.Raw = msgspec.Raw()


_event_lines = msgspec.json.Decoder(_EventLine)


def event_of(line: bytes) -> Stored | None:
    """The event of a line whose bytes are in order, None where `decode` has to say what the line is."""
    try:
        parts = _event_lines.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    stored = Stored(bytes(parts.public), bytes(parts.sealed) or None)
    return stored if _line(stored) == line and typed_reader.read(stored.public, stored.sealed) is not None else None


_MARK: Final = b"\xef\xbb\xbf"
_CUT: Final = "does not end with a line feed: the file was cut, or is no record"
_MARKED: Final = (
    "begins with a byte order mark (EF BB BF), which a program added; remove these three bytes, or get the file again"
)
_CRLF: Final = (
    "every line ends with CR LF, not LF: a program changed the line ends; remove the CRs (tr -d '\\r'), or get the file again"
)
_FEED: Final = "the last line has lost its line feed, and is whole without it; add it (echo >> FILE), or get the file again"


def _altered(first: bytes, stream: BinaryIO) -> str:
    """What was done to a whole record whose first line this is, the rest of it in `stream`; empty where nothing was."""
    marked, crlf = first.startswith(_MARK), first.endswith(b"\r\n")
    if not (marked or crlf):
        return ""
    try:
        data_of(Header, decode(first.removeprefix(_MARK).rstrip(b"\r\n")))
    except (NotCanonical, BadEvent):
        return ""
    return _MARKED if marked else _CRLF if _ends_in_crlf(stream) else ""


def _ends_in_crlf(stream: BinaryIO) -> bool:
    """Whether all that is left of a stream are lines that end with CR LF, but for a last one without an end."""
    size = 0
    while line := stream.readline(MAX_LINE + 1):
        size += len(line)
        if len(line) > MAX_LINE or size > MAX_BYTES or (line.endswith(b"\n") and not line.endswith(b"\r\n")):
            return False
    return True


def read(stream: BinaryIO) -> Record:
    """The record of an open file, read to its end and never past the limits.

    Raises `UnreadableRecord` for the first line that is too long, not canonical, of another shape or one too many, and
    `AlteredRecord` where that is so because of a byte order mark, CR LF after every line, or a missing last line feed.
    """
    size = 0
    lacks_feed = False

    def lines() -> Iterator[bytes]:
        nonlocal size, lacks_feed
        while line := stream.readline(MAX_LINE + 1):
            size += len(line)
            if len(line) > MAX_LINE:
                raise BadEvent(f"longer than {MAX_LINE // 1024} KiB")
            if size > MAX_BYTES:
                raise BadEvent(f"the file is larger than {MAX_BYTES // 1024 // 1024} MiB")
            if size == len(line) and (altered := _altered(line, stream)):
                raise AlteredRecord(1, altered)
            if not line.endswith(b"\n"):
                lacks_feed = True
                try:
                    decode(line)
                except NotCanonical:
                    raise BadEvent(_CUT) from None
                yield line
            else:
                yield line[:-1]

    header: Header | None = None
    events: list[Stored] = []
    receipt: bytes | None = None
    number = 1
    try:
        for line in lines():
            if receipt is not None:
                raise BadEvent("nothing may follow the receipt")
            stored = None if header is None else event_of(line)
            value = decode(line) if stored is None else {}
            if header is None:
                header = data_of(Header, value)
            elif isinstance(value, dict) and value.keys() == {"receipt"}:
                receipt = encode(value["receipt"])
            elif stored is not None or (isinstance(value, dict) and {"public"} <= value.keys() <= {"public", "sealed"}):
                if len(events) == MAX_EVENTS:
                    raise BadEvent(f"more than {MAX_EVENTS} events")
                if stored is None:
                    sealed = encode(value["sealed"]) if "sealed" in value else None
                    stored = Stored(encode(value["public"]), sealed)
                events.append(stored)
            else:
                raise BadEvent('expected an event, {"public": …} with or without "sealed", or {"receipt": …}')
            if lacks_feed:
                whole = len(events) == header.events
                receipt, events = None, events if isinstance(value, dict) and "receipt" in value else events[:-1]
                if whole:
                    raise AlteredRecord(number, _FEED, Record(header, tuple(events)))
                header = header if number > 1 else None
                raise BadEvent(_CUT)
            number += 1
    except (NotCanonical, BadEvent) as error:
        before = Record(header, tuple(events)) if header else None
        raise UnreadableRecord(number, str(error), before) from None
    if header is None:
        raise UnreadableRecord(1, "the file is empty")
    return Record(header, tuple(events), receipt)
