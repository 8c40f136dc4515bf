"""Text records as GAME: audit, replay and explain at all three depths, and the exit codes."""

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import play_game
from tests.cli.terminal import Terminal

Run = Callable[..., Any]

PLAY = """trickbook-text 1
north  Ann
south  Bo

hand 1
held north 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC 2S
held south AC 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD
bids north 4 south 5
plays south AC 2C / south KD 2S / north 3C 2D
"""
SCORE = """trickbook-text 1
north  Ann
south  Bo
hand 1
bids north 4 south nil
tricks north 9 south 4
score north +45 45 5 south -100 -100 4
"""


@pytest.fixture
def text_file(trickbook: Run, ended: str, tmp_path: Path) -> Path:
    """The finished game as text."""
    path = tmp_path / "game.txt"
    path.write_text(trickbook("export", ended, "--as", "text").out)
    return path


def test_a_game_written_as_text_is_audited_and_replayed_as_the_game_is(trickbook: Run, ended: str, text_file: Path) -> None:
    result = trickbook("audit", str(text_file))
    assert result.code == 0
    assert "verdict: OK" in result.out
    assert "not checked: seals, chain and receipts: a text record has none" in result.out
    mine, theirs = (trickbook("replay", source, "--hand", "2").out for source in (str(text_file), ended))
    assert _named(mine) == _named(theirs)
    for position in ("2.3", "2.s", "2.d7", "2.b1", "2.13.2"):
        assert trickbook("explain", str(text_file), position).out == trickbook("explain", ended, position).out


def _named(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.strip().startswith("v")]


def test_a_wrong_score_in_text_exits_1_and_says_which_and_why(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "score.txt"
    path.write_text(SCORE)
    result = trickbook("audit", str(path))
    assert result.code == 1
    assert "1.s  wrong_score  hand 1, south: you have bags 4, the plays make it 0" in result.out
    assert "(line 7)" in result.out
    assert "failed_nil=bags" in result.out
    answer = json.loads(trickbook("audit", str(path), "--format", "ndjson").out)
    assert (answer["game"], answer["verdict"], answer["findings"][0]["line"]) == (None, "bad", 7)
    assert trickbook("audit", str(path), "--claim", "north=45,south=-100").code == 0, "bids and tricks prove both totals"
    assert trickbook("audit", str(path), "--claim", "1.south.bags=4").code == 1
    path.write_text(SCORE.replace("-100 4", "-100 0"))
    assert trickbook("audit", str(path), "--claim", "north=45,south=-100").code == 0
    assert trickbook("audit", str(path), "--claim", "north=46").code == 1


def test_play_only_is_replayed_from_the_first_lead_on(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "play.txt"
    path.write_text(PLAY)
    result = trickbook("replay", str(path))
    assert result.code == 0
    assert "Draft" not in result.out
    assert "south holds  AC 2D" in result.out
    assert "1.2  south leads  KD, 2S  north takes" in result.out
    assert "open to south alone" in trickbook("explain", str(path), "1.2.1").out
    missing = trickbook("explain", str(path), "1.d7")
    assert missing.code == 5
    assert "hand 1 is given from its first lead on, without stock and draft" in missing.err
    hands = json.loads(trickbook("replay", str(path), "--as", "north", "--format", "json").out)
    assert all(set(step["hands"]) <= {"north"} for step in hands)
    assert any("north" in step["hands"] for step in hands)


def test_an_illegal_play_in_text_is_a_finding_and_the_replay_goes_as_far_as_it_can(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "play.txt"
    path.write_text(PLAY.replace("AC 2C", "AC 2S"))
    result = trickbook("audit", str(path))
    assert result.code == 1
    assert "1.1.2  revoke  north played 2S although clubs were led" in result.out
    replayed = trickbook("replay", str(path))
    assert replayed.code == 1
    assert "line 9: north played 2S" in replayed.err
    assert "1.1" in replayed.out


def test_score_only_has_no_cards_to_explain(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "score.txt"
    path.write_text(SCORE)
    assert "South bid nil at 1.b1 and took 4, as it is written." in trickbook("explain", str(path), "1.s").out
    missing = trickbook("explain", str(path), "1.3.1")
    assert missing.code == 5
    assert "of hand 1 only bids and tricks are given, no cards" in missing.err
    assert "bids nil" in trickbook("replay", str(path)).out


def test_a_bad_line_exits_2_with_its_number(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(SCORE.replace("nil", "nill"))
    for command in (("audit", str(path)), ("replay", str(path)), ("explain", str(path), "1.s"), ("score", str(path))):
        result = trickbook(*command)
        assert result.code == 2
        assert f"{path}, line 5: expected a bid (0 to 13, nil or double_nil), not 'nill'" in result.err
        assert result.out == ""


def test_records_and_text_in_one_run(trickbook: Run, ended: str, record_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "score.txt"
    path.write_text(SCORE)
    result = trickbook("audit", str(record_file), str(path), ended, "--format", "ndjson")
    assert result.code == 1
    assert [json.loads(line)["verdict"] for line in result.out.splitlines()] == ["ok", "bad", "ok"]


def test_text_on_standard_input(trickbook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in (("audit", "-"), ("replay", "-"), ("explain", "-", "1.s"), ("score", "-"), ("score",)):
        stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(SCORE.encode())))  # type: ignore[arg-type]
        monkeypatch.setattr(sys, "stdin", stdin)
        result = trickbook(*command)
        assert result.code == (1 if command[0] in ("audit", "score") else 0), result
        assert "45" in result.out


def test_a_name_that_would_steer_the_terminal_is_shown_harmlessly(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "score.txt"
    path.write_text(SCORE.replace("Ann", "Ann\x1b[2J\u202e"))
    for command in (("audit", str(path)), ("replay", str(path)), ("explain", str(path), "v2"), ("score", str(path))):
        out = trickbook(*command).out
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_the_commands_for_records_still_refuse_text(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "score.txt"
    path.write_text(SCORE)
    for command in (("verify", str(path)), ("events", str(path)), ("export", str(path)), ("import", str(path))):
        assert trickbook(*command).code == 2


def test_a_resigned_game_goes_out_and_in(trickbook: Run, games: Any, tmp_path: Path) -> None:
    from service.games import moves
    from service.games.handler import MoveRequest

    game = play_game(games, until="play", seed=77)
    games.move(game, "north", MoveRequest(b"r" * 16, {}), moves.Resign)
    path = tmp_path / "resigned.txt"
    path.write_text(trickbook("export", game, "--as", "text").out)
    result = trickbook("audit", str(path))
    assert result.code == 0
    assert "north resigns: south wins" in result.out


LONG = """trickbook-text 1
north  Ann
south  Bo
rules  nil_value=50 double_nil_value=150 bag_limit=7 bag_penalty=70 failed_nil=bags max_hands=12
hand 1
bids   south 5 north 5
plays  south 3S 2S / south 4C 5C
tricks north 7
hand 2
tricks north 9
score  north +52 104 4 south +51 102 2
"""


def test_the_audit_of_a_sheet_fits_a_terminal_and_is_one_line_each_elsewhere(trickbook: Run, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(LONG)
    with Terminal(("audit", str(tmp_path / "long.txt")), rows=60) as terminal:
        assert terminal.end() == 1
        lines = re.sub(r"\x1b\[[0-9;]*m", "", terminal.text() and terminal.raw).replace("\r", "").split("\n")
    assert max(map(len, lines[1:])) <= 80, "the first line has the path that was typed"
    result = trickbook("audit", str(tmp_path / "long.txt"))
    for line in result.out.splitlines():
        assert line.startswith(("checked: ", "not checked: ")) or "checked: " not in line
    assert max(map(len, result.out.splitlines())) > 80
