"""Files that are no sheet are named for what they are, with where to read on (docs/spec/sheets.md)."""

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from projections.textrecord import BadLine, read
from projections.textrecord.file_kinds import kind_of
from projections.textrecord.letters import TABLES

Run = Callable[..., Any]
ROOT = Path(__file__).parents[2]
SHEET = b"trickbook-text 1\nnorth Ann\nsouth Bo\nhand 1\nbids north 4 south 5\n"


def _zip() -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        archive.writestr("sheet.txt", SHEET)
    return found.getvalue()


def _tar() -> bytes:
    found = io.BytesIO()
    with tarfile.open(fileobj=found, mode="w") as archive:
        member = tarfile.TarInfo("sheet.txt")
        member.size = len(SHEET)
        archive.addfile(member, io.BytesIO(SHEET))
    return found.getvalue()


KINDS = [
    (_zip(), "a ZIP archive"),
    (_tar(), "a tar archive"),
    (gzip.compress(SHEET), "a gzip archive"),
    (bz2.compress(SHEET), "a bzip2 archive"),
    (lzma.compress(SHEET), "an xz archive"),
    (b"\x28\xb5\x2f\xfd\x04\x00", "a Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c\x00\x04", "a 7-Zip archive"),
    (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a PNG image"),
    (b"\xff\xd8\xff\xe0\x00\x10JFIF", "a JPEG image"),
    (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP image"),
    (b"{\\rtf1\\ansi trickbook-text 1}", "a document in Rich Text Format"),
    (b"<!doctype html><p>trickbook-text 1", "a web page"),
    (b'% PBN 2.1\n[Event ""]\n', "a bridge deal in PBN"),
    (b'[Event "Club"]\n[Dealer "N"]\n[Deal "N:AKQ..."]\n', "a bridge deal in PBN"),
    (b'[Event "Club"]\n[White "Ann"]\n[Black "Bo"]\n\n1. e4 e5\n', "a chess game in PGN"),
    (b"qx|o1|pn|a,b,c,d|md|3SAKQ|sv|o|mb|1C|\n", "a bridge deal in LIN"),
    (b"hand,north,south\n1,43,51\n2,79,-49\n", "CSV"),
    (b"hand;north;south\n1;43;51\n", "CSV with semicolons"),
    (b"hand\tnorth\tsouth\n1\t43\t51\n", "a table of values parted by tabs"),
    (b"hand,seat,player,bid\n1,north,Ann,4\n", "a score sheet written by --format csv"),
    (b'{"name": "Ann"}', "JSON of no kind that Trickbook writes"),
    (b'[{"name": "Ann"}, 1]', "JSON of no kind that Trickbook writes"),
    (b'{"name": "Ann"', "JSON with a fault in it"),
    (b"[" * 100_000, "JSON with a fault in it"),
    (b'{"hands":[{"hand":1,"north":{"total":104}}],"result":{"north":104}}', "a claim about a score"),
    (b"hand 1\nscore north +63 63 3\n", "a claim about a score"),
    (b'{"pinned":{"game":"0k7f3x9q2m5v8w1c","key":"","seat":"north"}}\n{"receipt":{}}\n', "a file of receipts"),
    (b'{"at":1,"game":"x","head":"","key":"","seq":1,"signature":""}', "a file of receipts"),
    (b'{"game":"x","seat":"north","name":"Ann","format":1,"token":"t","played_at":1.0}', "a session of `trickbook play`"),
    (b'{"public":{"seq":1}}\n{"public":{"seq":2}}\n', "a piece of a sealed record"),
    (b'{"hands":[],"totals":{"north":0,"south":0}}', "a score sheet written by --format json"),
    (b'[{"game":null,"verdict":"ok","findings":[]}]', "an audit written by --format json"),
]


@pytest.mark.parametrize(("raw", "name"), KINDS, ids=[name for _, name in KINDS])
def test_a_file_of_another_kind_is_named_and_exits_2(trickbook: Run, tmp_path: Path, raw: bytes, name: str) -> None:
    assert (kind_of(raw) or "").startswith(f"this is {name}")
    path = tmp_path / "file"
    path.write_bytes(raw)
    for command in (("audit", str(path)), ("score", str(path)), ("replay", str(path))):
        result = trickbook(*command)
        assert result.code == 2
        assert f"this is {name}" in result.err


def test_of_many_files_each_is_named(trickbook: Run, tmp_path: Path) -> None:
    for number, (raw, _) in enumerate(KINDS):
        (tmp_path / f"{number}").write_bytes(raw)
    result = trickbook("audit", *(str(tmp_path / f"{number}") for number in range(len(KINDS))))
    assert result.code == 2
    for _, name in KINDS:
        assert f"this is {name}" in result.out


def test_a_sheet_is_of_no_other_kind() -> None:
    assert kind_of(SHEET) is None
    for raw in (b"Dear Ann,\nI owe you a score.\nBo\n", b"", b"BMW is no image", b"north Ann\n"):
        assert kind_of(raw) is None
        with pytest.raises(BadLine, match="expected 'trickbook-text 1' as the first line"):
            read(raw)


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (lambda raw: raw.replace(b"\n", b"\r\n"), 2, "is a sealed record, but every line ends with CR LF"),
        (lambda raw: b"\xef\xbb\xbf" + raw, 2, "is a sealed record, but begins with a byte order mark"),
        (lambda raw: raw[:-1], 2, "is a sealed record, but the last line has lost its line feed"),
        (lambda raw: raw.decode().encode("utf-16"), 2, "this is a sealed record of a game"),
        (lambda raw: raw.replace(b"\n", b"\r\n", 7).replace(b"\r\n", b"\n", 6), 3, "line 7"),
        (lambda raw: raw[:-9], 3, "does not end with a line feed"),
        (lambda raw: b"".join(raw.splitlines(keepends=True)[:30])[:-1], 3, "does not end with a line feed"),
    ],
)
def test_a_record_that_was_changed_as_a_whole_is_named_and_a_damaged_one_is_a_finding(
    trickbook: Run, tmp_path: Path, change: Callable[[bytes], bytes], code: int, says: str
) -> None:
    path = tmp_path / "game.trickbook.ndjson"
    path.write_bytes(change((ROOT / "tests/cases/record-1.ndjson").read_bytes()))
    result = trickbook("audit", str(path))
    assert result.code == code
    assert says in result.out + result.err


def test_the_page_has_the_tables_of_the_reader() -> None:
    page = (ROOT / "docs/spec/sheets.md").read_text("utf-8")
    found = re.findall(r"^\| `([a-z]{2})` \| (\w+) \| (.*) \|$", page, re.M)
    assert [code for code, *_ in found] == list(TABLES)
    for code, language, cells in found:
        *ranks, spades, hearts, diamonds, clubs = [cell.strip() for cell in cells.split("|")]
        table = TABLES[code]
        assert language == table.language
        letters = {letter: rank for rank, cell in zip("AKQJT", ranks, strict=True) for letter in cell.split(", ") if letter}
        assert letters == {letter: rank for letter, rank in table.ranks.items() if letter not in "23456789"}
        assert dict(zip((spades, hearts, diamonds, clubs), "SHDC", strict=True)) == dict(table.suits)
