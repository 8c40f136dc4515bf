"""What a file is that is no sheet: named for what it is, with what to do about it."""

import codecs
import csv
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

NOT_TEXT: Final = "this is no text: expected a text record (docs/spec/record.md, section 2)"
_SHEETS: Final = "docs/spec/record.md, section 2, describes the sheets that can be read"
_UNPACK: Final = "unpack it, and name the file inside"
_TYPE: Final = "write what it shows as a text record: " + _SHEETS

_SIGNATURES: Final[tuple[tuple[int, bytes, str], ...]] = (
    (0, b"PK\x03\x04", f"a ZIP archive (spreadsheets and documents are such archives too): {_UNPACK}"),
    (0, b"PK\x05\x06", "an empty ZIP archive"),
    (0, b"\x1f\x8b", "a gzip archive: unpack it (gunzip FILE), and name the file inside"),
    (0, b"\x1f\x9d", f"a compress archive (.Z): {_UNPACK}"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive: unpack it (zstd -d FILE), and name the file inside"),
    (0, b"\xfd7zXZ\x00", "an xz archive: unpack it (xz -d FILE), and name the file inside"),
    (0, b"BZh", "a bzip2 archive: unpack it (bzip2 -d FILE), and name the file inside"),
    (0, b"\x04\x22\x4d\x18", f"an LZ4 archive: {_UNPACK}"),
    (0, b"7z\xbc\xaf\x27\x1c", f"a 7-Zip archive: {_UNPACK}"),
    (0, b"Rar!\x1a\x07", f"a RAR archive: {_UNPACK}"),
    (257, b"ustar", "a tar archive: unpack it (tar -xf FILE), and name the files inside"),
    (0, b"%PDF-", f"a PDF document: {_TYPE}"),
    (0, b"\x89PNG\r\n\x1a\n", f"a PNG image: {_TYPE}"),
    (0, b"\xff\xd8\xff", f"a JPEG image: {_TYPE}"),
    (0, b"GIF8", f"a GIF image: {_TYPE}"),
    (8, b"WEBP", f"a WebP image: {_TYPE}"),
    (0, b"BM", f"a BMP image: {_TYPE}"),
    (0, b"II*\x00", f"a TIFF image: {_TYPE}"),
    (0, b"MM\x00*", f"a TIFF image: {_TYPE}"),
    (4, b"ftypheic", f"a HEIC image: {_TYPE}"),
    (4, b"ftypmif1", f"a HEIF image: {_TYPE}"),
    (4, b"ftypavif", f"an AVIF image: {_TYPE}"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office document: save it as plain text"),
    (0, b"{\\rtf", "a document in Rich Text Format: save it as plain text"),
    (0, b"SQLite format 3\x00", "an SQLite database: it holds no sheet"),
    (0, b"REDIS", "a dump of the store: start `trickbook serve` on its data directory, and name a game by its id"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ\x90", "a program"),
)

_READ_ALL: Final = 4 * 1024 * 1024


def kind_of(raw: bytes) -> str | None:
    """A sentence that names what a file is, and what to do; None where it is of no known kind."""
    for at, signature, name in _SIGNATURES:
        if raw[at : at + len(signature)] == signature and _really(raw, signature):
            return f"this is {name}"
    codec = "utf-16" if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    text = raw[:_READ_ALL].decode(codec, "replace")
    found = _of_text(text)
    return None if found is None else f"this is {found}"


def _really(raw: bytes, signature: bytes) -> bool:
    """Whether a short signature is followed by what is no text."""
    if signature == b"BM":
        return len(raw) > 14 and b"\x00" in raw[:14]
    if signature == b"BZh":
        return raw[3:4].isdigit() and raw[4:7] == b"1AY"
    return True


def _of_text(text: str) -> str | None:
    stripped = text.lstrip()
    first = stripped.partition("\n")[0].strip()
    if stripped[:1] in ("{", "["):
        tagged = re.match(r'\[([A-Za-z]+) +"', stripped)
        return _tagged(stripped) if tagged else _json(stripped)
    if first.startswith(("% PBN", "% EXPORT")):
        return _PBN
    if re.match(r"(vg|qx|pn|md|st|rs|mn|nt)\|", first) and stripped.count("|") > 3:
        return f"a bridge deal in LIN, the format of Bridge Base Online: {_OTHER_GAME}"
    if re.match(r"<(!DOCTYPE|\?xml|html|svg|[a-z]+[ >])", first, re.IGNORECASE):
        return "a web page or an XML document: save what it shows as plain text"
    return _table(stripped) or _claim(stripped)


_OTHER_GAME: Final = f"Trickbook reads two-player Spades; {_SHEETS}"
_PBN: Final = f"a bridge deal in PBN (Portable Bridge Notation): {_OTHER_GAME}"


def _tagged(text: str) -> str:
    """PBN and PGN both begin with ``[Tag "value"]``."""
    tags = set(re.findall(r'^\[([A-Za-z]+) +"', text, re.MULTILINE))
    if tags & {"White", "Black", "FEN", "ECO"}:
        return f"a chess game in PGN (Portable Game Notation): {_OTHER_GAME}"
    if tags & {"Deal", "Dealer", "Vulnerable", "Declarer", "Contract", "Auction", "Board"}:
        return _PBN
    return f"a game in PGN or PBN: {_OTHER_GAME}"


# JSON -----------------------------------------------------------------------------------------------------------------

_RECEIPTS: Final = (
    "a file of receipts, which vouch for a game but do not hold it: "
    "`trickbook verify GAME --receipts FILE` checks a game against it (docs/fairness.md)"
)
_CLAIM: Final = "a claim about a score: `trickbook audit GAME --claim-file FILE` answers it (docs/disputes.md)"
_SHEET: Final = "a score sheet written by --format json: only what it was written from can be audited"
_SESSION: Final = (
    "a session of `trickbook play`, with the secret token of its player: do not pass it on. "
    "`trickbook play --resume` continues it (docs/playing.md)"
)
_SEALED: Final = (
    "a sealed record of a game (docs/spec/record.md, section 1): `trickbook audit FILE` checks it; "
    "if that does not read it, its form was changed: get the file again"
)
_PIECE: Final = "a piece of a sealed record: its first line, the header, is missing (docs/spec/record.md, section 1)"
_AUDIT: Final = "an audit written by --format json: audit what it was written from"
_PROBLEM: Final = "an error that a service answered with (application/problem+json)"
_OURS: Final[tuple[tuple[Callable[[Mapping[str, Any]], bool], str], ...]] = (
    (lambda keys: {"format", "head", "server_key"} <= keys.keys(), _SEALED),
    (lambda keys: len(keys) == 1 and bool(keys.keys() & {"pinned", "own", "receipt", "drawn", "evidence"}), _RECEIPTS),
    (lambda keys: {"head", "signature", "key"} <= keys.keys(), _RECEIPTS),
    (lambda keys: {"game", "seat", "name", "format", "played_at"} <= keys.keys(), _SESSION),
    (lambda keys: "public" in keys, _PIECE),
    (lambda keys: {"hands", "totals"} <= keys.keys(), _SHEET),
    (lambda keys: bool(keys) and keys.keys() <= {"hands", "result"}, _CLAIM),
    (lambda keys: {"verdict", "findings"} <= keys.keys(), _AUDIT),
    (lambda keys: {"type", "title", "status"} <= keys.keys(), _PROBLEM),
)


def _json(text: str) -> str | None:
    """What JSON is: one of our own kinds, or just JSON; None for what only begins like it."""
    first = text.partition("\n")[0].strip()
    value = _parsed(first)
    if value is None:
        value = _parsed(text)
    if value is None:
        return f"JSON with a fault in it: {_SHEETS}" if re.match(r'[\[{]\s*["{\[\]}\d]', text) else None
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = value[0]
    if isinstance(value, dict):
        for is_it, name in _OURS:
            if is_it(value):
                return name
    return f"JSON of no kind that Trickbook writes: {_SHEETS}"


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# Lines ----------------------------------------------------------------------------------------------------------------

_SHOWN_LINES: Final = 4


def _table(text: str) -> str | None:
    """A table of values: CSV, or the like with semicolons or tabs."""
    lines = [line for line in text.splitlines()[: 4 * _SHOWN_LINES] if line.strip()][:_SHOWN_LINES]
    head = lines[0].lower() if lines else ""
    if head.startswith(("hand,seat,", "game,hand,seat,")):
        return "a score sheet written by --format csv: only what it was written from can be audited"
    if head.startswith("game,from,verdict"):
        return "a list of audits written by --format csv: audit what it was written from"
    for separator, name in ((",", "CSV"), (";", "CSV with semicolons"), ("\t", "a table of values parted by tabs")):
        try:
            widths = {len(row) for row in csv.reader(lines, delimiter=separator, strict=True)}
        except csv.Error:
            continue
        if len(lines) > 1 and len(widths) == 1 and widths.pop() > 2:
            return f"{name}: {_TYPE}"
    return None


def _claim(text: str) -> str | None:
    """A claim in lines: what a text record says of a score, without its header."""
    words = [line.split()[0].lower() for line in text.splitlines() if line.partition("#")[0].strip()]
    if words and words[0] in ("hand", "result") and set(words) <= {"hand", "score", "result"}:
        return f"{_CLAIM[:-1]}; a sheet begins with the line 'trickbook-text 1')"
    return None
