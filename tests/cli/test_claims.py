"""``audit --claim``, ``audit --claim-file`` and ``explain``: what they say of games of the store, and the exit code."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def totals(trickbook: Run, ended: str) -> dict[str, int]:
    """The totals of the finished game."""
    answer = json.loads(trickbook("audit", ended, "--claim", "north=99999", "--format", "json").out)[0]
    north = answer["claim"]["differences"][0]["right"]
    answer = json.loads(trickbook("audit", ended, "--claim", "south=99999", "--format", "json").out)[0]
    return {"north": north, "south": answer["claim"]["differences"][0]["right"]}


def test_a_claim_that_holds_exits_0(trickbook: Run, ended: str, totals: dict[str, int]) -> None:
    result = trickbook("audit", ended, "--claim", f"north={totals['north']},bo={totals['south']}")
    assert result.code == 0
    assert "claim: holds, all 2 figures" in result.out
    assert result.out.splitlines()[-1] == "verdict: the claim holds"


def test_a_wrong_claim_exits_1_with_both_sums_and_what_would_make_it_true(
    trickbook: Run, ended: str, totals: dict[str, int], record_file: Path
) -> None:
    claim = f"north={totals['north'] + 10},south={totals['south']}"
    for source in (ended, str(record_file)):
        result = trickbook("audit", source, "--claim", claim)
        assert result.code == 1
        tail = result.out[result.out.index("claim: wrong") :]
        assert "the end, north: you have total" in tail
        assert "10 too high" in tail
        assert "what would make it true" in tail
        assert "added up 10 too high" in tail
        assert all(len(line) <= 80 for line in tail.splitlines())
        assert "by the plays it is north" in tail.splitlines()[-1]


def test_the_positions_a_claim_rests_on_are_opened_by_explain_and_replay(trickbook: Run, ended: str) -> None:
    for figure in ("bid", "tricks", "points", "bags", "total"):
        value = "12" if figure in ("bid", "tricks") else "9999"
        answer = json.loads(trickbook("audit", ended, "--claim", f"2.south.{figure}={value}", "--format", "json").out)[0]
        (difference,) = answer["claim"]["differences"]
        assert difference["message"].startswith("hand 2, south: you have ")
        assert difference["rests_on"]
        for position in difference["rests_on"]:
            assert trickbook("explain", ended, position).code == 0
            assert trickbook("replay", ended, "--from", position, "--to", position).code == 0


def test_a_claim_file_is_compared_hand_by_hand_and_a_bad_line_refused(trickbook: Run, ended: str, tmp_path: Path) -> None:
    file = tmp_path / "ann.txt"
    file.write_text("hand 1 north total 7777\nhand 2 north total 8888\n")
    result = trickbook("audit", ended, "--claim-file", str(file))
    assert result.code == 1
    assert "hand 1, north: you have total 7777" in result.out
    assert "[line 1]" in result.out
    file.write_text("hand 1 north total 7777\nhand 2 north sum 8888\n")
    refused = trickbook("audit", ended, "--claim-file", str(file))
    assert refused.code == 2
    assert "line 2: expected bid or tricks" in refused.err
    assert refused.out == ""
    other = tmp_path / "ann.json"
    other.write_text('{"hands": [{"hand": 1, "north": {"total": 7777}}]}')
    assert trickbook("audit", ended, "--claim-file", str(other)).code == 1
    assert trickbook("audit", ended, "--claim-file", str(tmp_path / "none")).code == 5
    assert trickbook("audit", ended, "--claim-file", str(tmp_path)).code == 2


def test_the_game_written_as_text_is_a_claim_that_holds(trickbook: Run, ended: str, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(trickbook("export", ended, "--as", "text").out)
    result = trickbook("audit", ended, "--claim-file", str(file))
    assert result.code == 0
    assert "claim: holds" in result.out


@pytest.mark.parametrize("claim", ["north", "cid=3", "99.north=3", "north=1,north=2"])
def test_a_claim_that_is_none_exits_2(trickbook: Run, ended: str, claim: str) -> None:
    result = trickbook("audit", ended, "--claim", claim)
    assert result.code == 2
    assert "claim" in result.err


def test_a_claim_is_about_one_game(trickbook: Run, ended: str, running: str) -> None:
    assert trickbook("audit", ended, running, "--claim", "north=1").code == 2


def test_a_running_game_answers_a_claim_without_showing_a_hand(trickbook: Run, running: str) -> None:
    assert trickbook("audit", running, "--claim", "north=0,south=0,winner=none").code == 0
    result = trickbook("explain", running, "1.b1")
    assert result.code == 0
    assert "held" not in result.out


def test_a_log_that_cannot_be_trusted_comes_first(trickbook: Run, record_file: Path, totals: dict[str, int]) -> None:
    lines = record_file.read_bytes().splitlines(keepends=True)
    lines[-2] = lines[-2].replace(b'"totals":{"north":', b'"totals":{"north":1')
    record_file.write_bytes(b"".join(lines))
    result = trickbook("audit", str(record_file), "--claim", f"north={totals['north']},south={totals['south']}")
    assert result.code == 3
    assert "claim: not decided" in result.out
    assert "claim: holds" not in result.out


# explain --------------------------------------------------------------------------------------------------------------


def test_explain_says_why_a_card_was_legal_why_the_trick_went_and_what_was_held(trickbook: Run, ended: str) -> None:
    result = trickbook("explain", ended, "1.3")
    assert result.code == 0
    assert result.out.splitlines()[0] == "1.3.1"
    said = " ".join(result.out.split())
    for words in ("plays", "was on lead", "takes the trick", "held", "open to everybody, as play has ended"):
        assert words in said
    assert "Legal were" in said or "the only legal card" in said
    one = json.loads(trickbook("explain", ended, "1.3.2", "--format", "json").out)
    assert one["position"] == "1.3.2"
    assert one["held"]["open_to"] == "open to everybody, as play has ended"
    assert all(len(line) <= 80 for line in result.out.splitlines())


def test_explain_of_a_score_names_the_bids_and_tricks_it_comes_from(trickbook: Run, ended: str) -> None:
    result = trickbook("explain", ended, "2.s")
    assert "at 2.b" in result.out or "at v" in result.out
    assert "2.13" in result.out
    assert "×10" in result.out or "nil" in result.out
    assert trickbook("explain", ended, "2").out == result.out


def test_explain_as_one_seat_does_not_show_the_other_hand(trickbook: Run, ended: str) -> None:
    told = [json.loads(trickbook("explain", ended, f"1.2.{n}", "--as", "south", "--format", "json").out) for n in (1, 2)]
    held = [step["held"]["seat"] for step in told if "held" in step]
    assert held == ["south"]
    assert any("is not shown yet" in sentence for step in told for sentence in step["sentences"])


def test_explain_of_a_position_that_is_not_there_says_what_there_is(trickbook: Run, ended: str) -> None:
    result = trickbook("explain", ended, "9.s")
    assert result.code == 5
    assert "its last hand is" in result.err
    assert trickbook("explain", "no-such-game", "1.s").code == 5


TIE = """trickbook-text 1
north Ann
south Bo
rules target=120
hand 1
bids south 6 north 6
tricks north 6 south 7
hand 2
bids north 6 south 6
tricks north 7 south 6
"""


def _sheet(tmp_path: Path, text: str) -> str:
    sheet = tmp_path / "sheet.txt"
    sheet.write_text(text)
    return str(sheet)


def test_a_draw_claimed_of_a_tie_is_argued_with_the_rule_and_the_hand_limit(trickbook: Run, tmp_path: Path) -> None:
    result = trickbook("audit", _sheet(tmp_path, TIE), "--claim", "winner=draw")
    assert result.code == 1
    assert "Ann 121, Bo 121; a tie at the target of 120 is played on" in result.out
    assert "rules §8.2" in result.out
    assert "max_hands=2" in result.out
    assert max(map(len, result.out[result.out.index("claim:") :].splitlines())) <= 80


def test_five_readings_are_printed_and_all_where_all_are_requested(trickbook: Run, tmp_path: Path) -> None:
    sheet = _sheet(tmp_path, TIE)
    claim = ("--claim", "ann=120")
    every = json.loads(trickbook("audit", sheet, *claim, "--format", "json").out)[0]["claim"]["search"]
    count = len(every["readings"])
    assert count > 5
    few, all_ = trickbook("audit", sheet, *claim).out, trickbook("audit", sheet, *claim, "--all-readings").out
    assert f"and {count - 5} more with --all-readings" in few
    assert "\n  6. " not in few
    assert f"\n  {count}. " in all_
    assert "--all-readings" not in all_
    assert "not tried: values of an option that few tables use" in few
    assert every["not_tried"]


def test_a_sheet_of_twelve_tricks_suggests_the_missing_one(trickbook: Run, tmp_path: Path) -> None:
    sheet = _sheet(tmp_path, TIE.replace("tricks north 6 south 7", "tricks north 6 south 6"))
    out = trickbook("audit", sheet, "--claim", "1.south=61").out
    assert "a trick of hand 1 may be missing from the sheet" in out
    assert "claim: not checked in full" in out
