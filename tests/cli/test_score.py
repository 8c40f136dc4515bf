"""``trickbook score``: the running sheet of a text record, and the score keeper that asks at a terminal."""

import csv
import io
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


def test_score_prints_the_running_sheet_with_the_names_first(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "sheet.txt"
    path.write_text(SHEET)
    result = trickbook("score", str(path))
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "Ann (north) and Bo (south)"
    assert lines[1].split() == ["hand", "player", "bid", "took", "arithmetic", "total", "bags"]
    assert lines[2].split() == ["1", "Ann", "4", "7", "4×10", "+3", "bags", "=", "+43", "43", "3"]
    assert "bags 3+7 = 10 → −100" in result.out
    assert lines[-1] == "the target is reached: Bo wins (Ann 10, Bo 151)"
    answer = json.loads(trickbook("score", str(path), "--format", "json").out)
    assert answer["totals"] == {"north": 10, "south": 151}
    path.write_text(SHEET.replace("north  Ann\nsouth  Bo\n", ""))
    assert trickbook("score", str(path)).out.splitlines()[1].split()[:2] == ["1", "north"]


def test_the_sheet_as_csv_has_a_row_a_hand_and_seat(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "sheet.txt"
    path.write_text(SHEET.replace("Ann", "=1+1"))
    result = trickbook("score", str(path), "--format", "csv")
    assert result.code == 0
    found = list(csv.DictReader(io.StringIO(result.out)))
    assert [(row["hand"], row["seat"], row["player"]) for row in found] == [
        ("1", "north", "'=1+1"), ("1", "south", "Bo"), ("2", "north", "'=1+1"), ("2", "south", "Bo"),
    ]  # fmt: skip
    assert {key: found[2][key] for key in ("bid", "tricks", "points", "new_bags", "penalty", "total", "bags")} == {
        "bid": "6", "tricks": "13", "points": "67", "new_bags": "7", "penalty": "100", "total": "10", "bags": "0",
    }  # fmt: skip


def test_a_finished_game_is_exported_as_csv(trickbook: Run, ended: str, tmp_path: Path) -> None:
    one = trickbook("export", ended, "--format", "csv")
    assert one.code == 0
    found = list(csv.DictReader(io.StringIO(one.out)))
    sheet = json.loads(trickbook("audit", ended, "--format", "json").out)
    assert sheet[0]["verdict"] == "ok"
    assert {row["game"] for row in found} == {ended}
    assert [row["seat"] for row in found] == ["north", "south"] * (len(found) // 2)
    two = trickbook("export", ended, ended, "--as", "csv").out.splitlines()
    assert len(two) == 2 * len(found) + 1, "one line of headings"
    assert trickbook("export", ended, "--as", "csv", "--to", str(tmp_path)).code == 0
    assert (tmp_path / f"{ended}.csv").read_text() == one.out


def test_a_hand_that_is_left_out_is_named_with_the_reason(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "sheet.txt"
    path.write_text(SHEET.replace("target=100", "target=500") + "hand 3\nbids north 4\n")
    result = trickbook("score", str(path))
    assert f"{path}, line 11: hand 3 is left out: the bid of south is missing" in result.err


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


def test_the_names_are_asked_for_first(trickbook: Run, types: Callable[..., Typed], tmp_path: Path) -> None:
    save = tmp_path / "kept.txt"
    typed = types("Ann", "A#, Bo", "Ann Lee and Bo", "Bo 5, ann lee 4", "bo 6")
    result = trickbook("score", "--save", str(save))
    assert "expected two names, with a comma between them; once more" in result.out
    assert "'A#' cannot be a name on a sheet" in result.out
    assert typed.asked[3:5] == ["Hand 1, bids of Ann Lee and Bo: ", "Hand 1, tricks Ann Lee took: "]
    kept = read(save.read_text())
    assert kept.names == {"north": "Ann Lee", "south": "Bo"}
    assert kept.hands[0].bids == {"north": 4, "south": 5}
    assert "Ann Lee (north) and Bo (south)" in result.out
    typed = types("4 5", "7")
    assert trickbook("score").code == 0
    assert typed.asked[1] == "Hand 1, tricks North took: ", "bids in the place of names begin the game"


def test_undo_takes_the_last_hand_back_also_after_the_end(trickbook: Run, types: Callable[..., Typed], tmp_path: Path) -> None:
    save = tmp_path / "kept.txt"
    names = ("--north", "Ann", "--south", "Bo")
    typed = types("undo", "9 1", "3", "undo", "9 1", "10 3", "4 4", "undo", "5 1", "10")
    result = trickbook("score", *names, "--rules", "target=50", "--save", str(save))
    assert result.code == 0
    assert "there is no hand to take back" in result.out
    assert "Ann wins" in result.out
    assert "The game is over; undo takes the last hand back, Enter ends: " in typed.asked
    assert read(save.read_text()).hands[0].bids == {"north": 5, "south": 1}
    assert save.read_text().count("result") == 1
    typed = types("undo", "3 1", "3")
    result = trickbook("score", "--save", str(save))
    assert typed.asked[0].startswith("The game is over")
    text = save.read_text()
    assert "result" not in text
    assert read(text).hands[0].bids == {"north": 3, "south": 1}
    assert trickbook("audit", str(save)).code == 0


NOTED = """trickbook-text 1
# kept by Cid
north    Ann
south  Bo          # with the hat

hand 1   # Friday
Bids: Bo 5, Ann 4   # Bo was sure
# a long hand
tricks south 6
score south +50 50 0

# to be continued
"""


def test_a_hand_is_added_and_nothing_else_is_touched(trickbook: Run, types: Callable[..., Typed], tmp_path: Path) -> None:
    save = tmp_path / "noted.txt"
    for text in (NOTED, NOTED.replace("\n", "\r\n"), NOTED[:-1]):
        save.write_bytes(text.encode())
        save.chmod(0o640)
        types("4 4", "7")
        result = trickbook("score", "--save", str(save))
        assert result.code == 0
        assert "line 10: hand 1, south: you have points +50" in result.err
        after = save.read_bytes().decode()
        assert after.startswith(text), "what somebody wrote stays, a wrong figure too"
        added = after[len(text) :].replace("\r\n", "\n").strip("\n").split("\n")
        assert added == ["hand 2", "bids   north 4 south 4", "tricks north 7 south 6", "score  north +43 86 6 south +42 93 3"]
        assert ("\r\n" in after) == ("\r\n" in text)
        assert after.count("\n") == after.count("\r\n") or "\r" not in after
        assert save.stat().st_mode & 0o777 == 0o640
        types("undo")
        assert trickbook("score", "--save", str(save)).code == 0
        assert save.read_bytes().decode().rstrip() == text.rstrip(), "the keeper's own lines are taken back unasked"
    assert [path.name for path in tmp_path.iterdir()] == ["noted.txt"]


def test_what_somebody_wrote_is_not_taken_back_without_asking(
    trickbook: Run, types: Callable[..., Typed], tmp_path: Path
) -> None:
    save = tmp_path / "noted.txt"
    save.write_text(NOTED)
    typed = types("undo", "n", "")
    result = trickbook("score", "--save", str(save))
    assert result.code == 1
    assert save.read_text() == NOTED
    assert typed.asked[1] == "Do it? [y/N] "
    for line in ("line 6: hand 1   # Friday", "line 7: Bids: Bo 5, Ann 4   # Bo was sure", "line 10: score south +50 50 0"):
        assert line in result.err
    types("undo")
    assert trickbook("score", "--save", str(save)).code == 1, "no answer is no consent"
    assert save.read_text() == NOTED
    types("undo", "y")
    assert trickbook("score", "--save", str(save)).code == 0
    assert "# a long hand" in save.read_text()
    assert "# to be continued" in save.read_text()
    assert read(save.read_text()).hands == ()


def test_a_stated_result_is_not_dropped_without_asking(trickbook: Run, types: Callable[..., Typed], tmp_path: Path) -> None:
    save = tmp_path / "stated.txt"
    save.write_text(SHEET.replace("target=100", "target=500") + "# so far:\nresult north 10 south 151\n# end\n")
    before = save.read_text()
    types("4 4", "7", "n")
    assert trickbook("score", "--save", str(save)).code == 1
    assert save.read_text() == before
    types("4 4", "7", "y")
    result = trickbook("score", "--save", str(save))
    assert "line 12: result north 10 south 151" in result.err
    text = save.read_text()
    assert "result" not in text
    assert "# so far:" in text
    assert "# end" in text
    assert len(read(text).hands) == 3


def test_scores_are_worked_out_into_a_file_and_a_wrong_one_is_not_replaced_without_asking(
    trickbook: Run, types: Callable[..., Typed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "noted.txt", tmp_path / "out.txt"
    path.write_text(NOTED.replace("score south +50 50 0", "score south +50 50 0  # sure?"))
    for save in (path, out):
        monkeypatch.setattr("sys.stdin", io.StringIO())
        result = trickbook("score", str(path), "--save", str(save))
        assert result.code == 1
        assert "line 10: score south +50 50 0" in result.err
        assert "there is no terminal to ask at" in result.err
    assert not out.exists()
    types("y")
    result = trickbook("score", str(path), "--save", str(path))
    assert result.code == 0
    assert path.read_text() == NOTED.replace("score south +50 50 0", "score  north +43 43 3 south +51 51 1  # sure?")
    path.write_text(SHEET)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert trickbook("score", str(path), "--save", str(out)).code == 0
    assert out.read_text().count("score  ") == 2
    assert out.read_text().endswith("\nresult north 10 south 151 winner south\n")
    assert trickbook("audit", str(out)).code == 0
    assert trickbook("score", str(path), "--save", str(out)).code == 0, "the same once more"
    out.write_text(NOTED)
    assert trickbook("score", str(path), "--save", str(out)).code == 1, "another sheet is there"
    assert out.read_text() == NOTED


def test_a_sheet_keeps_its_encoding_and_a_link_stays_one(trickbook: Run, types: Callable[..., Typed], tmp_path: Path) -> None:
    there, link = tmp_path / "there.txt", tmp_path / "link.txt"
    link.symlink_to(there)
    for codec in ("utf-16", "latin-1", "utf-8-sig"):
        text = NOTED.replace("Ann", "Änn").replace("south +50 50", "south +51 51").replace("51 0", "51 1")
        there.write_bytes(text.encode(codec))
        types("4 4", "7")
        result = trickbook("score", "--save", str(link))
        assert result.code == 0
        assert ("note:" in result.err) == (codec != "utf-8-sig")
        assert link.is_symlink()
        assert there.read_bytes().decode(codec).startswith(text)


def test_a_file_that_somebody_else_changes_meanwhile_is_not_written_over(
    trickbook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = tmp_path / "kept.txt"
    save.write_text(NOTED)

    class Editing(Typed):
        def input(self, question: str = "") -> str:
            if "tricks" in question:
                save.write_text(NOTED + "# by another hand\n")
            return super().input(question)

    typed = Editing(["4 4", "7"])
    monkeypatch.setattr("sys.stdin", typed)
    monkeypatch.setattr("builtins.input", typed.input)
    result = trickbook("score", "--save", str(save))
    assert result.code == 1
    assert "changed by another program" in result.err
    assert save.read_text() == NOTED + "# by another hand\n"


def test_options_that_the_sheet_contradicts_are_refused(trickbook: Run, types: Callable[..., Typed], tmp_path: Path) -> None:
    save = tmp_path / "kept.txt"
    save.write_text(SHEET)
    for options in (("--north", "Cid"), ("--rules", "target=200"), ("--first", "south")):
        types("4 5", "7")
        result = trickbook("score", "--save", str(save), *options)
        assert result.code == 2
        assert f"leave out {options[0]}" in result.err
    types("")
    assert trickbook("score", "--save", str(save), "--north", "Ann", "--rules", "target=100", "--first", "north").code == 0
    assert save.read_text() == SHEET


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
    for more, says in (
        ("hand 3\nbids north 4 south 4\n", "hand 3 (line 11) has no score yet: there are no tricks, and no line counts them"),
        ("end resigned north\n", "line 11 says that play was stopped"),
    ):
        other.write_text(SHEET.replace("target=100", "target=500") + more)
        types("4 5", "7")
        result = trickbook("score", "--save", str(other))
        assert result.code == 2
        assert says in result.err
    types("4 5", "7")
    assert trickbook("score", "--save", "/dev/null").code == 2
