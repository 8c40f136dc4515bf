"""The high-water file: what is written when, and what a damaged file, a full disk or another writer do to it."""

import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from events.store import LogHead
from service.base import high_water
from service.base.high_water import HighWater, contents, read_file, write_file

GAMES = ["0k7f3x9q2m5v8w1c", "1k7f3x9q2m5v8w1c", "2k7f3x9q2m5v8w1c"]
SERVICE = "5" * 64


def place(version: int, byte: int = 7) -> LogHead:
    return LogHead(version, bytes([byte]) * 32)


@pytest.fixture
def water(tmp_path: Path) -> HighWater:
    found = HighWater(tmp_path)
    found.service = SERVICE
    return found


def test_the_file_names_the_service_and_has_the_highest_place(water: HighWater) -> None:
    for version in (1, 2, 5):
        water.add(GAMES[0], place(version))
    water.flush()
    water.add(GAMES[0], place(9))
    water.add(GAMES[1], place(3))
    water.flush()
    assert contents(water.path) == high_water.Contents({GAMES[0]: place(9), GAMES[1]: place(3)}, SERVICE)
    assert water.path.read_text().count(GAMES[0]) == 2, "one line a game and writing"
    assert water.path.stat().st_mode & 0o777 == 0o600


def test_an_end_is_in_the_file_when_it_is_delivered_also_beside_another_writing(
    water: HighWater, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place of the end is taken by a thread that has not finished writing it when the end asks for it."""
    began, may_write, append = threading.Event(), threading.Event(), high_water._append

    def slow(*args: object) -> int:
        began.set()
        assert may_write.wait(10)
        return append(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(high_water, "_append", slow)
    water.add(GAMES[0], place(5))
    with ThreadPoolExecutor(2) as threads:
        writing = threads.submit(water.flush)
        assert began.wait(10)
        ended = threads.submit(water.add, GAMES[0], place(5), ended=True)
        assert not ended.done()
        may_write.set()
        ended.result(10)
        assert read_file(water.path)[GAMES[0]] == place(5)
        writing.result(10)


def test_a_full_disk_is_a_fault_until_there_is_room_and_nothing_is_lost(water: HighWater) -> None:
    water.path.symlink_to("/dev/full")
    water.add(GAMES[0], place(5))
    water.flush()
    assert water.fault == "No space left on device"
    water.add(GAMES[1], place(6))
    water.path.unlink()
    water.flush()
    assert water.fault is None
    assert read_file(water.path) == {GAMES[0]: place(5), GAMES[1]: place(6)}


def test_damaged_lines_are_counted_and_torn_ones_are_not(water: HighWater) -> None:
    water.add(GAMES[0], place(5))
    water.flush()
    whole = water.path.read_bytes()
    line = f"{GAMES[1]} 12 {'ab' * 32}\n".encode()
    for cut in range(len(line)):
        water.path.write_bytes(whole + line[:cut])
        assert contents(water.path).unreadable == 0, line[:cut]
        water.add(GAMES[2], place(1))
        water.flush()
        found = contents(water.path)
        assert (set(found.places) - {GAMES[1]}, found.unreadable) == ({GAMES[0], GAMES[2]}, 0)
    for bad in (b"hello\n", line.replace(b"ab", b"zz"), line.upper(), b"\x00" * 90 + b"\n", secrets.token_bytes(8) + b"\xff\n"):
        water.path.write_bytes(whole + bad + line)
        found = contents(water.path)
        assert found.unreadable >= 1
        assert found.places == {GAMES[0]: place(5), GAMES[1]: place(12, 0xAB)}


def test_compacting_keeps_one_line_a_game_also_of_those_that_ended(water: HighWater, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(high_water, "_GROWN", 1000)
    for version in range(1, 200):
        for game in GAMES:
            water.add(game, place(version), ended=version == 3 and game == GAMES[2])
        water.flush(compact=True)
    assert read_file(water.path) == {game: place(199) for game in GAMES}
    assert water.path.stat().st_size < 3000
    write_file(water.path, read_file(water.path), SERVICE)
    assert len(water.path.read_text().splitlines()) == 1 + len(GAMES)


def test_two_processes_of_a_node_add_to_one_file(water: HighWater, tmp_path: Path) -> None:
    other = HighWater(tmp_path)
    for version in range(1, 50):
        (water if version % 2 else other).add(GAMES[version % 3], place(version))
        water.flush(compact=True)
        other.flush(compact=True)
    assert {game: found.version for game, found in read_file(water.path).items()} == dict(zip(GAMES, (48, 49, 47), strict=True))
