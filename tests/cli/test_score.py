"""``trickbook score``: the running sheet of a text record, and the score keeper that asks at a terminal."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from projections.textrecord import read

Run = Callable[..., Any]

SHEET = """trickbook-text 1
north  Ann
south  Bo
rules  target=100
hand 1
bids   north 4 south 5
tricks south 6
hand 2
bids   south nil north 6
tricks north 13
"""


def test_score_prints_the_running_sheet(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "sheet.txt"
    path.write_text(SHEET)
    result = trickbook("score", str(path))
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].split() == ["hand", "seat", "bid", "took", "arithmetic", "total", "bags"]
    assert lines[1].split() == ["1", "north", "4", "7", "4×10", "+3", "bags", "=", "+43", "43", "3"]
    assert "bags 3+7 = 10 → −100" in result.out
    assert lines[-1] == "the target is reached: south wins (north 10, south 151)"
    answer = json.loads(trickbook("score", str(path), "--format", "json").out)
    assert answer["totals"] == {"north": 10, "south": 151}


def test_a_score_that_was_written_down_wrong_is_told_and_exits_1(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "sheet.txt"
    path.write_text(SHEET.replace("tricks south 6\n", "tricks south 6\nscore south +50 50 0\n"))
    result = trickbook("score", str(path))
    assert result.code == 1
    assert "line 8: hand 1, south: you have points +50, the plays make it +51" in result.err
    assert "43" in result.out


def test_a_record_for_machines_has_no_need_of_a_score_keeper(trickbook: Run, record_file: Path) -> None:
    result = trickbook("score", str(record_file))
    assert result.code == 2
    assert "trickbook audit" in result.err


class Typed:
    """A terminal at which these lines are typed, and then Ctrl-D."""

    def __init__(self, lines: list[str]) -> None:
        self._lines: Iterator[str] = iter(lines)
        self.asked: list[str] = []

    def isatty(self) -> bool:
        return True

    def input(self, question: str = "") -> str:
        self.asked.append(question)
        try:
            return next(self._lines)
        except StopIteration:
            raise EOFError from None


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Typed]:
    """Makes standard input a terminal at which lines are typed."""

    def typed(*lines: str) -> Typed:
        found = Typed(list(lines))
        monkeypatch.setattr("sys.stdin", found)
        monkeypatch.setattr("builtins.input", found.input)
        return found

    return typed


def test_at_a_terminal_it_asks_hand_by_hand_and_keeps_the_sheet(
    trickbook: Run, types: Callable[..., Typed], tmp_path: Path
) -> None:
    typed = types("4 5", "7", "14 2", "nil dn", "x", "0")
    save = tmp_path / "kept.txt"
    result = trickbook("score", "--north", "Ann", "--south", "Bo", "--rules", "failed_nil=bags", "--save", str(save))
    assert result.code == 0
    assert "expected a bid (0 to 13, nil or double_nil), not '14'; once more" in result.out
    assert "expected the tricks north took (0 to 13), not 'x'; once more" in result.out
    assert typed.asked[:2] == ["Hand 1, bids of Ann and Bo: ", "Hand 1, tricks Ann took: "]
    kept = read(save.read_text())
    assert kept.names == {"north": "Ann", "south": "Bo"}
    assert kept.hands[1].bids == {"north": 0, "south": "double_nil"}
    assert trickbook("audit", str(save)).code == 0
    types("5 5", "5")
    assert trickbook("score", "--save", str(save)).code == 0
    again = read(save.read_text())
    assert (len(again.hands), again.names, again.rules.failed_nil) == (3, kept.names, "bags")


def test_undo_takes_the_last_hand_back_and_the_end_of_the_game_ends_it(
    trickbook: Run, types: Callable[..., Typed], tmp_path: Path
) -> None:
    save = tmp_path / "kept.txt"
    typed = types("9 1", "3", "undo", "9 1", "10 3", "never", "asked")
    result = trickbook("score", "--rules", "target=50", "--save", str(save))
    assert result.code == 0
    assert "north wins" in result.out
    assert len(typed.asked) == 5
    assert len(read(save.read_text()).hands) == 1


def test_what_cannot_be_kept_is_refused(trickbook: Run, types: Callable[..., Typed], tmp_path: Path) -> None:
    types()
    assert trickbook("score", "--rules", "targt=3").code == 2
    assert trickbook("score", "--north", "A#").code == 2
    types("4 5", "7")
    assert trickbook("score", "--save", str(tmp_path)).code == 2
    types("4 5", "7")
    assert trickbook("score", "--save", str(tmp_path / "no" / "such")).code == 2
    other = tmp_path / "letter.txt"
    other.write_text("Dear Ann")
    types("4 5", "7")
    assert trickbook("score", "--save", str(other)).code == 2
    assert other.read_text() == "Dear Ann"
    other.write_text(SHEET.replace("bids   north 4 south 5\n", "bids   north 4 south 5\nplays south JD TD\n"))
    assert trickbook("score", "--save", str(other)).code == 2
