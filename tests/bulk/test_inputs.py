"""What many games are named by, and how a stream of records is taken apart."""

import io
from pathlib import Path

import pytest

from cli.bulk import splitting
from cli.bulk.auditing import outcome
from cli.bulk.inputs import Inputs
from cli.bulk.splitting import split
from cli.bulk.units import RecordUnit, StoredUnit, TextUnit, Unit, UnitOutcome, UnreadUnit
from events import record
from tests.bulk.short_games import damaged, short_record, write_records

TEXT = b"trickbook-text 1\nnorth Ann\nsouth Bo\n"


def units(raw: bytes) -> list[RecordUnit | TextUnit]:
    return list(split("x", io.BufferedReader(io.BytesIO(raw))))  # type: ignore[type-var]


def audited(unit: Unit) -> UnitOutcome:
    return outcome(unit, lambda: 0.0, lambda: pytest.fail("no store is wanted"))


def test_a_file_of_one_record_is_one_unit_with_the_name_of_the_file() -> None:
    raw = short_record(1)
    assert units(raw) == [RecordUnit("x", raw, 1)]
    assert units(TEXT) == [TextUnit("x", TEXT)]


def test_records_one_after_the_other_are_taken_apart_and_named_by_the_line_they_begin_at() -> None:
    records = [short_record(number) for number in range(3)]
    lines = len(records[0].splitlines())
    assert units(b"".join(records)) == [
        RecordUnit(f"x:{1 + number * lines}", raw, 1 + number * lines) for number, raw in enumerate(records)
    ]


@pytest.mark.parametrize(
    "spoilt",
    [damaged(short_record(1)), short_record(1)[:-40] + b"\n", short_record(1) + b"\xff" * 200_000 + b"\n"],
    ids=["event gone", "cut", "binary after it"],
)
def test_a_damaged_record_spoils_neither_the_one_before_nor_the_one_after(spoilt: bytes) -> None:
    good = short_record(0)
    found = units(good + spoilt + good)
    assert [found[0].raw, found[2].raw] == [good, good]
    assert [one.grade for one in map(audited, found)] == ["ok", "log_bad", "ok"]


@pytest.mark.parametrize("between", [b"hello\n", b"\n", b'{"public":{}}\n'])
def test_what_is_no_record_belongs_to_the_one_before_and_spoils_none_after(between: bytes) -> None:
    good = short_record(0)
    found = units(good + between + good)
    assert [one.grade for one in map(audited, found)] == ["log_bad", "ok"]
    assert audited(units(between + good)[-1]).grade == "ok" or between == b"hello\n"


def test_what_is_found_is_placed_by_the_line_of_the_whole_file() -> None:
    good, broken = short_record(0), short_record(1).replace(b'"seq":3', b'"seq":3 ')
    lines = len(good.splitlines())
    found = audited(units(good + broken)[1])
    assert found.name == f"x:{lines + 1}"
    assert f"line {lines + 4}" in found.findings[0]["message"]


def test_of_a_record_that_is_too_large_only_so_much_is_held_that_its_reader_finds_it_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit = 200_000
    monkeypatch.setattr(splitting, "MAX_BYTES", limit)
    monkeypatch.setattr(record, "MAX_BYTES", limit)
    header = short_record(1).splitlines(keepends=True)[0]
    line = b'{"public":"' + b"x" * 60_000 + b'"}\n'
    (unit,) = units(header + line * 100)
    assert limit < len(unit.raw) < limit + 2 * len(line)
    with pytest.raises(record.UnreadableRecord, match="the file is larger than"):
        record.read(io.BytesIO(unit.raw))


def test_directories_globs_files_and_ids_are_gone_through_in_order(tmp_path: Path) -> None:
    deep = tmp_path / "a/b"
    deep.mkdir(parents=True)
    paths = [*write_records(deep, 2), *write_records(tmp_path, 2)]
    (deep / "notes.md").write_text("no record")
    (deep / "paper.txt").write_bytes(TEXT)
    inputs = Inputs([str(tmp_path), str(tmp_path / "*.ndjson"), "0000000000000000", str(paths[0])], io.BytesIO)
    names = [unit.name for unit in inputs]
    assert sorted(names[:5]) == sorted([*map(str, paths), str(deep / "paper.txt")])
    assert names[5:] == [str(paths[2]), str(paths[3]), "0000000000000000", str(paths[0])]
    assert (inputs.total, inputs.is_exact, inputs.has_stored) == (9, True, True)


def test_what_is_not_there_is_a_unit_that_says_so_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (path,) = write_records(tmp_path, 1)
    found = list(Inputs([str(tmp_path / "no"), str(tmp_path / "no*"), str(tmp_path / "empty"), str(path)], io.BytesIO))
    assert [isinstance(unit, UnreadUnit) and unit.missing for unit in found] == [True, True, True, False]
    assert {audited(unit).grade for unit in found} == {"missing", "ok"}


def test_a_stream_of_many_games_is_never_said_to_be_counted() -> None:
    inputs = Inputs(["-"], lambda: io.BytesIO(short_record(0) + short_record(1)))
    assert (inputs.total, inputs.is_exact, inputs.weight) == (1, False, None)
    assert len(list(inputs)) == inputs.total == 2


def test_stored_games_come_first_and_have_no_bytes() -> None:
    stored = [StoredUnit("0" * 16), StoredUnit("1" * 16, imported=True)]
    assert list(Inputs((), io.BytesIO, stored)) == stored


def test_a_short_game_is_a_whole_record() -> None:
    read = record.read(io.BytesIO(short_record(5)))
    assert len(read.events) == read.header.events
    assert audited(RecordUnit("x", short_record(5))).grade == "ok"
