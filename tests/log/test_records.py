"""The portable record (record.md §1): its limits, and that a reader stops at the first line it does not accept and names it."""

import io
from collections.abc import Callable

import pytest

from events import record
from events.canonical import decode, encode
from events.record import MAX_LINE, Record, UnreadableRecord, read, write
from tests.kit.logs import GAME
from tests.kit.random_games import random_game

GAME_PLAYED = random_game(2, {"max_hands": 1}, contributions=["south"])
RAW = write(GAME_PLAYED.record())
LINES = RAW.splitlines(keepends=True)


def _refused(raw: bytes) -> UnreadableRecord:
    with pytest.raises(UnreadableRecord) as caught:
        read(io.BytesIO(raw))
    return caught.value


def test_export_import_and_export_again_gives_the_same_bytes() -> None:
    for viewer in ("north", "south", "spectator"):
        raw = write(GAME_PLAYED.record(viewer))  # type: ignore[arg-type]
        assert write(read(io.BytesIO(raw))) == raw


def test_the_header_says_what_the_file_holds() -> None:
    header = read(io.BytesIO(RAW)).header
    assert (header.events, header.game) == (len(GAME_PLAYED.events), GAME)
    assert header.head == GAME_PLAYED.log()[-1].head.hex()
    assert header.server_key == GAME_PLAYED.signer.key
    assert decode(LINES[0][:-1])["format"] == "trickbook-record"


def test_a_record_may_lack_its_receipt() -> None:
    found = read(io.BytesIO(b"".join(LINES[:-1])))
    assert found.receipt is None
    assert read(io.BytesIO(RAW)).receipt is not None


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (lambda lines: [], 1, "empty"),
        (lambda lines: [b"\xef\xbb\xbf" + lines[0], *lines[1:]], 1, "not JSON"),
        (lambda lines: [line[:-1] + b"\r\n" for line in lines], 1, "not in canonical form"),
        (lambda lines: [*lines[:5], lines[5][:-1] + b"\r\n", *lines[6:]], 6, "not in canonical form"),
        (lambda lines: [*lines[:-1], lines[-1][:-1]], len(LINES), "line feed"),
        (lambda lines: [*lines[:9], lines[9][:40]], 10, "line feed"),
        (lambda lines: [*lines, lines[-1]], len(LINES) + 1, "nothing may follow the receipt"),
        (lambda lines: [*lines, b"\n"], len(LINES) + 1, "nothing may follow the receipt"),
        (lambda lines: [*lines[:-1], lines[-1], lines[3]], len(LINES) + 1, "nothing may follow the receipt"),
        (lambda lines: [*lines[:4], b"\n", *lines[4:]], 5, "not JSON"),
        (lambda lines: [*lines[:4], b'{"a":1,"a":2}\n', *lines[4:]], 5, "twice"),
        (lambda lines: [*lines[:4], b"[1]\n", *lines[4:]], 5, "expected an event"),
        (lambda lines: [*lines[:4], b"7\n", *lines[4:]], 5, "expected an event"),
        (lambda lines: [*lines[:4], b'{"sealed":{}}\n', *lines[4:]], 5, "expected an event"),
        (lambda lines: [*lines[:4], b'{"more":1,"public":{}}\n', *lines[4:]], 5, "expected an event"),
        (lambda lines: [*lines[:4], b'{"public":{},"receipt":{}}\n', *lines[4:]], 5, "expected an event"),
        (lambda lines: [*lines[:4], lines[4].replace(b":", b": ", 1), *lines[5:]], 5, "not in canonical form"),
        (lambda lines: [*lines[:4], b'{"public":{"a":null}}\n', *lines[5:]], 5, "null"),
        (lambda lines: [*lines[:2], b'{"public":{"a":"' + b"x" * MAX_LINE + b'"}}\n'], 3, "longer than 64 KiB"),
        (lambda lines: [b"x" * (MAX_LINE + 1)], 1, "longer than 64 KiB"),
        (lambda lines: lines[1:], 1, "line 1"),
    ],
)
def test_the_first_line_that_is_not_accepted_is_named(
    change: Callable[[list[bytes]], list[bytes]], line: int, said: str
) -> None:
    error = _refused(b"".join(change(LINES)))
    assert error.line == line
    assert said in str(error)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("v", 2),
        ("v", True),
        ("format", "trickbook-text"),
        ("game", "0K7F3X9Q2M5V8W1C"),
        ("game", "0k7f3x9q2m5v8w1l"),
        ("game", "0k7f3x9q2m5v8w1"),
        ("events", 0),
        ("events", "7"),
        ("head", "0" * 63),
        ("server_key", "x"),
        ("more", 1),
    ],
)
def test_a_wrong_header_is_no_record(field: str, value: object) -> None:
    header = {**decode(LINES[0][:-1]), field: value}
    error = _refused(encode(header) + b"\n" + b"".join(LINES[1:]))
    assert (error.line, error.read) == (1, None)


@pytest.mark.parametrize("field", ["events", "format", "game", "head", "server_key", "v"])
def test_a_header_names_everything(field: str) -> None:
    header = {key: value for key, value in decode(LINES[0][:-1]).items() if key != field}
    assert _refused(encode(header) + b"\n" + b"".join(LINES[1:])).line == 1


def test_what_stands_before_the_bad_line_is_kept() -> None:
    error = _refused(b"".join([*LINES[:9], b"nonsense\n", *LINES[9:]]))
    assert error.read is not None
    assert error.read.events == read(io.BytesIO(RAW)).events[:8]
    assert error.read.receipt is None


def test_a_line_of_exactly_64_kib_is_read() -> None:
    text = b'{"public":{"a":"%b"}}\n'
    line = text % (b"x" * (MAX_LINE - len(text) + 2))
    assert len(line) == MAX_LINE
    assert len(read(io.BytesIO(LINES[0] + line)).events) == 1
    assert "longer" in str(_refused(LINES[0] + text % (b"x" * (MAX_LINE - len(text) + 3))))


def test_20_000_events_are_read_and_one_more_is_not() -> None:
    lines = LINES[0] + b'{"public":{}}\n' * record.MAX_EVENTS
    assert len(read(io.BytesIO(lines)).events) == 20_000
    error = _refused(lines + b'{"public":{}}\n')
    assert (error.line, error.message) == (20_002, "more than 20000 events")


def test_64_mib_are_read_and_never_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert record.MAX_BYTES == 64 * 1024 * 1024
    monkeypatch.setattr(record, "MAX_BYTES", len(RAW))
    assert write(read(io.BytesIO(RAW))) == RAW
    monkeypatch.setattr(record, "MAX_BYTES", len(RAW) - 1)
    assert "larger than" in str(_refused(RAW))


def test_a_line_without_end_is_not_read_into_memory() -> None:
    class Endless(io.RawIOBase):
        asked = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            assert 0 < size <= MAX_LINE + 1
            Endless.asked += 1
            return b"x" * size

    with pytest.raises(UnreadableRecord):
        read(Endless())  # type: ignore[arg-type]
    assert Endless.asked == 1


def test_unknown_events_are_kept_and_judged_by_the_audit_alone() -> None:
    found = read(io.BytesIO(LINES[0] + b'{"public":{"type":"card_eaten"}}\n'))
    assert isinstance(found, Record)
    assert found.events[0].public == b'{"type":"card_eaten"}'


def test_a_running_game_is_exported_with_ones_own_sealed_parts_only() -> None:
    running = random_game(3, most=30)
    for viewer in ("north", "south", "spectator"):
        shown = [event.sealed for event in running.record(viewer).events if event.sealed is not None]  # type: ignore[arg-type]
        owners = {decode(sealed)["owner"] for sealed in shown}
        assert owners == ({viewer} if viewer != "spectator" else set())


def test_a_finished_game_is_exported_without_the_hashes_of_the_tokens() -> None:
    for viewer in ("north", "south", "spectator"):
        assert b"token_hash" not in write(GAME_PLAYED.record(viewer))  # type: ignore[arg-type]
    assert b"invite_hash" in RAW
