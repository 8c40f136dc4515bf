"""The independent sheets that are incomplete, contradict themselves or are going on: the real command over each of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

CASES: Final[list[dict[str, Any]]] = json.loads((Path(__file__).parents[1] / "cases/doubtful.json").read_text())
Run = Callable[..., Any]
HEAD: Final = "trickbook-text 1\nnorth Ann\nsouth Bo\n"
HAND: Final = "bids north 5 south 5\ntricks north 7 south 6\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_doubtful_sheet_gets_the_verdict_it_deserves(trickbook: Run, tmp_path: Path, case: dict[str, Any]) -> None:
    file = tmp_path / "sheet.txt"
    file.write_text(case["text"])
    result = trickbook("audit", str(file), *case["args"])
    printed = result.out + result.err
    assert result.code == case["exit"], printed
    for said in case["says"]:
        assert said in printed
    for said in case["never_says"]:
        assert said not in printed


CLAIMS: Final = [
    ("a wrong figure of the sheet says nothing of another's claim", "score north +52 52 3", "north=52", 0, "claim: holds"),
    ("nor of the right figure", "score north +52 52 3", "1.north.bags=2", 0, "claim: holds"),
    ("the wrong figure claimed again", "score north +52 52 3", "1.north.bags=3", 1, "claim: wrong"),
    ("a hand that the record does not have", "", "2.north=1", 2, "has no hand 2"),
    ("a hand before the first", "", "0.north=1", 2, "counted from 1"),
    (
        "what rests on an impossible count",
        "plays south AC 2C / south KC 3C\ntricks north 13 south 0",
        "north=52",
        1,
        "claim: not",
    ),
]


@pytest.mark.parametrize(("more", "claim", "code", "said"), [row[1:] for row in CLAIMS], ids=[row[0] for row in CLAIMS])
def test_with_a_claim_the_exit_judges_the_claim(
    trickbook: Run, tmp_path: Path, more: str, claim: str, code: int, said: str
) -> None:
    file = tmp_path / "sheet.txt"
    hand = HAND if "tricks" not in more else "bids north 5 south 5\n"
    file.write_text(f"{HEAD}hand 1\n{hand}{more}\n")
    result = trickbook("audit", str(file), "--claim", claim)
    assert result.code == code, result
    assert said in result.out + result.err


def test_many_sheets_are_counted_by_their_verdict(trickbook: Run, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text(f"{HEAD}hand 1\n{HAND}")
    (tmp_path / "incomplete.txt").write_text(f"{HEAD}hand 1\ntricks north 7 south 6\nscore north +52 52 2\n")
    (tmp_path / "bad.txt").write_text(f"{HEAD}hand 1\n{HAND}score north +53 53 2\n")
    result = trickbook("audit", str(tmp_path / "*.txt"))
    assert result.code == 1
    assert "1 OK, 1 INCOMPLETE, 1 BAD" in result.out
    assert "INCOMPLETE  " in result.out
    rows = json.loads(trickbook("audit", str(tmp_path / "*.txt"), "--format", "json").out)
    assert [row["verdict"] for row in rows] == ["bad", "ok", "incomplete"]
    alone = trickbook("audit", str(tmp_path / "incomplete.txt"), "--format", "csv")
    assert alone.out.splitlines()[1].split(",")[2] == "incomplete"


def test_figures_that_nothing_can_check_are_listed_and_no_more_is_said(trickbook: Run, tmp_path: Path) -> None:
    file = tmp_path / "sheet.txt"
    file.write_text(f"{HEAD}result north 500 south 400 winner north\n")
    result = trickbook("audit", str(file))
    assert result.code == 1
    assert "line 4: north's total, south's total and the winner of the end: no hand is given" in result.out
    assert "verdict: INCOMPLETE: 3 stated figures were not checked" in result.out
