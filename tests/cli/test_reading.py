"""games, show, replay, events, audit, rules: what they print, for whom, and the exit code (design §5)."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service.games.handler import Games
from tests.cli.conftest import play_game

Run = Callable[..., Any]


def test_games_lists_what_is_in_the_store_in_every_form(trickbook: Run, ended: str, running: str) -> None:
    rows = json.loads(trickbook("games", "--format", "json").out)
    mine = {row["game"]: row for row in rows if row["game"] in (ended, running)}
    assert (mine[ended]["phase"], mine[running]["phase"]) == ("ended", "play")
    assert ended in trickbook("games").out
    table = list(csv.DictReader(io.StringIO(trickbook("games", "--format", "csv").out)))
    assert {row["game"] for row in table} >= {ended, running}
    assert len(trickbook("games", "--format", "ndjson").out.splitlines()) == len(rows)


def test_replay_prints_draft_exchange_bids_tricks_with_reasons_and_score(trickbook: Run, games: Games) -> None:
    played = (play_game(games, seed=seed, max_hands=1) for seed in range(1, 200))
    game = next(game for game in played if _exchanged(games, game) and _bagged(games, game))
    result = trickbook("replay", game)
    assert result.code == 0
    for word in ("Draft", "1.d26", "Exchange", "1.x1", "throws", "Play", "1.13", "leads", "takes", "Score", "bag"):
        assert word in result.out, word
    assert all(len(line) <= 100 for line in result.out.splitlines())


def _exchanged(games: Games, game: str) -> bool:
    return any(b'"cards_exchanged"' in e.public and b'"count":0' not in e.public for c in games.log(game) for e in c.events)


def _bagged(games: Games, game: str) -> bool:
    scored = (e.public for c in games.log(game) for e in c.events if b'"hand_scored"' in e.public)
    return any(re.search(rb'"new_bags":[1-9]', public) for public in scored)


def test_replay_of_one_hand_and_between_positions(trickbook: Run, ended: str) -> None:
    whole = trickbook("replay", ended, "--hand", "2").out
    assert "Hand 2" in whole
    assert "Hand 1" not in whole
    part = trickbook("replay", ended, "--from", "2.5", "--to", "2.6.1").out
    assert "2.5 " in part
    assert "2.6.1" in part
    assert "2.7" not in part
    steps = [json.loads(line) for line in trickbook("replay", ended, "--hand", "2", "--format", "ndjson").out.splitlines()]
    assert steps == json.loads(trickbook("replay", ended, "--hand", "2", "--format", "json").out)
    assert {step["hand"] for step in steps} == {2}


def test_replay_as_one_seat_hides_the_other_hand(trickbook: Run, ended: str, record_file: Path) -> None:
    for source in (ended, str(record_file)):
        steps = json.loads(trickbook("replay", source, "--hand", "1", "--as", "south", "--format", "json").out)
        assert all(set(step["hands"]) <= {"south"} for step in steps)
        assert any("south" in step["hands"] for step in steps)


def test_a_running_game_shows_no_hand_to_whoever_reads_the_store(trickbook: Run, running: str) -> None:
    steps = json.loads(trickbook("replay", running, "--format", "json").out)
    assert all(step["hands"] == {} for step in steps)
    refused = trickbook("replay", running, "--as", "all")
    assert refused.code == 4
    assert "still being played" in refused.err
    assert trickbook("show", running, "--as", "north").code == 4
    assert "[sealed]" in trickbook("events", running).out
    assert "sealed" not in json.loads(trickbook("events", running, "--format", "json").out)["events"][0]


def test_show_is_one_position(trickbook: Run, ended: str) -> None:
    result = trickbook("show", ended, "--at", "1.5.2")
    assert result.code == 0
    assert "1.5.2" in result.out
    assert "trick 5" in result.out
    assert "play has ended" in trickbook("show", ended).out
    assert json.loads(trickbook("show", ended, "--at", "1.d7", "--format", "json").out)["step"]["position"] == "1.d7"


@pytest.mark.parametrize("position", ["99", "1.14", "x", "v999999"])
def test_a_position_that_is_not_there_is_told_with_what_there_is(trickbook: Run, ended: str, position: str) -> None:
    result = trickbook("show", ended, "--at", position)
    assert result.code == 5
    assert result.out == ""
    assert "trickbook:" in result.err


def test_events_are_printed_as_they_are_stored(trickbook: Run, ended: str, games: Games) -> None:
    lines = [json.loads(line) for line in trickbook("events", ended, "--format", "ndjson").out.splitlines()]
    stored = [json.loads(e.public) for c in games.log(ended) for e in c.events]
    assert [line["public"] for line in lines] == stored
    assert lines[-1]["head"] == games.log(ended)[-1].head.hex()
    assert "token_hash" not in json.dumps(lines)
    assert "token_hash" not in trickbook("events", ended).out
    assert (
        json.loads(trickbook("events", ended, "--after", "10", "--format", "ndjson").out.splitlines()[0])["public"]["seq"] == 11
    )


def test_audit_prints_sheet_arithmetic_and_verdict(trickbook: Run, ended: str) -> None:
    result = trickbook("audit", ended)
    assert result.code == 0
    assert "verdict: OK" in result.out
    assert "×10" in result.out
    assert "checked:" in result.out
    assert "not checked:" in result.out


def test_audit_of_a_record_is_the_audit_of_the_game(trickbook: Run, ended: str, record_file: Path) -> None:
    stored = json.loads(trickbook("audit", ended, "--format", "json").out)[0]
    read = json.loads(trickbook("audit", str(record_file), "--format", "json").out)[0]
    assert (read["verdict"], read["findings"]) == (stored["verdict"], stored["findings"]) == ("ok", [])


def test_a_damaged_record_is_named_and_exits_3_and_the_worst_code_of_many_counts(trickbook: Run, record_file: Path) -> None:
    lines = record_file.read_bytes().splitlines(keepends=True)
    bad = record_file.with_name("bad.trickbook.ndjson")
    bad.write_bytes(b"".join([*lines[:30], *lines[31:]]))
    result = trickbook("audit", str(bad))
    assert result.code == 3
    assert "event_missing" in result.out
    assert "event 30 is missing" in result.out
    assert "verdict: BAD" in result.out
    both = trickbook("audit", str(record_file), str(bad), "--format", "ndjson")
    assert both.code == 3
    assert [json.loads(line)["verdict"] for line in both.out.splitlines()] == ["ok", "bad"]
    assert trickbook("audit", str(record_file.with_name("*.ndjson")), "--format", "ndjson").code == 3


def test_a_record_that_breaks_off_is_told_as_far_as_it_goes(trickbook: Run, record_file: Path) -> None:
    lines = record_file.read_bytes().splitlines(keepends=True)
    record_file.write_bytes(b"".join(lines[:60]) + b"{broken\n")
    audited = trickbook("audit", str(record_file))
    assert audited.code == 3
    assert "line 61" in audited.out
    replayed = trickbook("replay", str(record_file))
    assert replayed.code == 3
    assert "1.d5" in replayed.out
    assert "damaged" in replayed.err


def test_what_is_no_game_is_said_to_be_none(trickbook: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    other = tmp_path / "other.txt"
    other.write_text("hello\n")
    assert trickbook("audit", "0000000000000000").code == 5
    assert trickbook("audit", "no-such-file").code == 5
    assert trickbook("audit", "no-such-*").code == 5
    for path in (empty, other, tmp_path):
        result = trickbook("audit", str(path))
        assert result.code == 2
        assert str(path) in result.err


def test_rules_prints_every_option_and_marks_what_a_game_changed(trickbook: Run, ended: str) -> None:
    assert len(json.loads(trickbook("rules", "--format", "json").out)) == 12
    assert "3 *" in next(line for line in trickbook("rules", ended).out.splitlines() if line.startswith("max_hands"))


def test_wrong_usage_exits_2_with_a_sentence(trickbook: Run) -> None:
    for arguments in (("nothing",), ("audit",), ("replay", "x", "--hand", "0"), ("games", "--format", "xml")):
        result = trickbook(*arguments)
        assert result.code == 2
        assert "Error" in result.err


def test_an_unreachable_store_is_said_so_and_exits_5(trickbook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRICKBOOK_REDIS_URL", "redis://:secret@127.0.0.1:1/0")
    result = trickbook("games")
    assert result.code == 5
    assert "secret" not in result.err
    monkeypatch.setenv("TRICKBOOK_REDIS_URL", "http://nowhere")
    assert trickbook("games").code == 5


def test_every_command_has_help_that_begins_with_examples(trickbook: Run) -> None:
    from cli.main import COMMANDS

    for command in COMMANDS:
        result = trickbook(command, "--help")
        assert result.code == 0
        assert result.out.index("Examples:") < result.out.index("Options:")


def test_a_pipe_gets_plain_text_and_an_ascii_terminal_no_crash(ended: str, redis_url: str) -> None:
    environment = {**os.environ, "TRICKBOOK_REDIS_URL": redis_url, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    command = [sys.executable, "-c", "from cli.main import main; main()", "audit", ended]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"x10" in done.stdout
    assert b"\x1b" not in done.stdout


def test_a_closed_pipe_ends_quietly(ended: str, redis_url: str) -> None:
    environment = {**os.environ, "TRICKBOOK_REDIS_URL": redis_url}
    command = f'"{sys.executable}" -c "from cli.main import main; main()" replay {ended} | head -n 1'
    done = subprocess.run(command, shell=True, env=environment, capture_output=True, check=False)
    assert done.stderr == b""


def test_a_name_forced_into_the_log_is_shown_harmlessly(trickbook: Run, record_file: Path) -> None:
    raw = record_file.read_bytes().replace(b'"name":"Ann"', '"name":"=\u202eEVIL"'.encode())
    record_file.write_bytes(raw)
    for command in ("audit", "replay", "show", "events"):
        assert "\u202e" not in trickbook(command, str(record_file)).out
