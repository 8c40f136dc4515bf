"""``audit`` of many games: what is named, how loudly, the exit code, and a run that is cut short."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events import keys
from events.redis_store import RedisStore
from events.store import LogHead, start
from tests.bulk.short_games import damaged, short_game, short_record, write_records
from tests.cli.terminal import COMMAND, Terminal
from tests.kit.servers import Servers

Run = Callable[..., Any]
MANY = 2000
WRONG = 1234
STORED = 36


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2,000 records of which one is damaged."""
    directory = tmp_path_factory.mktemp("many")
    path = write_records(directory, MANY)[WRONG]
    path.write_bytes(damaged(path.read_bytes()))
    return directory


@pytest.fixture
def store(servers: Servers, trickbook: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[RedisStore]:
    """A store of three dozen games, which `trickbook` reads."""
    url = servers.start().url
    monkeypatch.setenv("TRICKBOOK_REDIS_URL", url)
    opened = RedisStore(url)
    for number in range(STORED):
        game, log = short_game(number)
        at = start(game)
        for commit in log:
            opened.append(game, at, commit)
            at = LogHead(commit.seq, commit.head)
    yield opened
    opened.close()


def test_one_damaged_record_among_2000_is_named_with_its_position_and_its_fault(trickbook: Run, many: Path) -> None:
    result = trickbook("audit", many)
    assert result.code == 3
    bad, finding, summary = result.out.splitlines()
    assert bad == f"BAD  {many / f'{WRONG}.trickbook.ndjson'}  game {short_game(WRONG)[0]}"
    assert finding.startswith("     v3  event_missing  event 3 is missing")
    assert summary.startswith("2,000 games checked in ")
    assert summary.endswith(" s: 1,999 OK, 1 BAD")
    assert result.err == ""


def test_one_damaged_game_in_a_store_is_named(trickbook: Run, store: RedisStore) -> None:
    assert trickbook("audit", "--all").code == 0
    game, log = short_game(17)
    store.client.xdel(keys.stream(game), f"{log[1].seq}-0")
    result = trickbook("audit", "--all", "--jobs", "2")
    assert result.code == 3
    assert result.out.startswith(f"BAD  {game}\n     v3  event_missing")
    assert f"{STORED} games checked" in result.out
    assert f"{STORED - 1} OK, 1 BAD" in result.out


def test_all_means_imported_records_and_what_no_trickbook_wrote_too(trickbook: Run, store: RedisStore) -> None:
    imported, ours = short_game(100)[0], short_game(3)[0]
    store.keep_import(imported, damaged(short_record(100)))
    store.client.xadd(keys.stream(ours), {"x": "y"})
    result = trickbook("audit", "--all", "--format", "json")
    assert result.code == 3
    found = {answer["from"]: answer for answer in json.loads(result.out)}
    assert len(found) == STORED + 1
    assert found[f"{imported} (imported)"]["findings"][0]["code"] == "event_missing"
    assert found[ours]["findings"][0]["code"] == "not_an_entry"


def test_games_of_the_store_and_files_are_audited_in_one_run(trickbook: Run, store: RedisStore, tmp_path: Path) -> None:
    (path,) = write_records(tmp_path, 1)
    game = short_game(4)[0]
    result = trickbook("audit", path, game, "0000000000000000", "--format", "ndjson")
    lines = [json.loads(line) for line in result.out.splitlines()]
    assert [(line["from"], line["verdict"]) for line in lines] == [
        (str(path), "ok"),
        (game, "ok"),
        ("0000000000000000", "unreadable"),
    ]
    assert result.code == 5


def test_every_form_says_the_same(trickbook: Run, tmp_path: Path) -> None:
    paths = write_records(tmp_path, 6)
    paths[3].write_bytes(damaged(paths[3].read_bytes()))
    (tmp_path / "zz.ndjson").write_text("{}\n")
    lines = trickbook("audit", tmp_path, "--format", "ndjson")
    whole = trickbook("audit", tmp_path, "--format", "json")
    table = trickbook("audit", tmp_path, "--format", "csv")
    answers = [json.loads(line) for line in lines.out.splitlines()]
    assert answers == json.loads(whole.out)
    assert [answer["verdict"] for answer in answers] == ["ok"] * 3 + ["bad"] + ["ok"] * 2 + ["unreadable"]
    assert answers[0] == json.loads(trickbook("audit", paths[0], "--format", "ndjson").out)
    rows = list(csv.DictReader(io.StringIO(table.out)))
    assert [row["verdict"] for row in rows] == [answer["verdict"] for answer in answers]
    assert (rows[3]["position"], rows[3]["code"], rows[3]["version"]) == ("v3", "event_missing", "3")
    for result in (lines, whole, table):
        assert result.code == 3
        assert f"BAD  {paths[3]}  v3  event_missing" in result.err
        assert f"NOT CHECKED  {tmp_path / 'zz.ndjson'}: it is no record of a game: line 1" in result.err
        assert "7 games checked" in result.err


def test_many_games_in_one_file_or_stream_are_named_by_the_line_they_begin_at(trickbook: Run, tmp_path: Path) -> None:
    good, bad = short_record(0), damaged(short_record(1))
    path = tmp_path / "all.ndjson"
    path.write_bytes(good + bad + good)
    result = trickbook("audit", path)
    assert result.code == 3
    assert f"BAD  {path}:{len(good.splitlines()) + 1}  game {short_game(1)[0]}" in result.out
    with path.open("rb") as stream:
        command = [*COMMAND, "audit", "-"]
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "BAD  standard input:8  game" in done.stdout
    assert "3 games checked" in done.stdout


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"a.ndjson": "good", "b.ndjson": "good"}, 0),
        ({"a.ndjson": "good", "b.txt": "text"}, 1),
        ({"a.ndjson": "none", "b.txt": "text"}, 2),
        ({"a.ndjson": "none", "b.ndjson": "bad", "c.txt": "text"}, 3),
        ({"a.ndjson": "good", "gone": ""}, 5),
        ({"a.ndjson": "bad", "gone": ""}, 3),
    ],
)
def test_the_worst_exit_code_counts(trickbook: Run, tmp_path: Path, files: dict[str, str], code: int) -> None:
    text = b"trickbook-text 1\nnorth Ann\nsouth Bo\nhand 1\nbids north 5 south 6\ntricks north 5 south 9\n"
    kinds = {"good": short_record(0), "bad": damaged(short_record(0)), "none": b"{}\n", "text": text}
    for name, kind in files.items():
        if kind:
            (tmp_path / name).write_bytes(kinds[kind])
    assert trickbook("audit", *(tmp_path / name for name in files)).code == code


def test_fail_fast_stops_at_the_first_in_order_that_is_not_ok(trickbook: Run, many: Path) -> None:
    result = trickbook("audit", "--fail-fast", "--jobs", "2", many)
    assert result.code == 3
    assert f"stopped after {WRONG + 1:,} of 2,000 games" in result.out
    assert f"{WRONG:,} OK, 1 BAD" in result.out


def test_a_claim_is_about_one_game(trickbook: Run, tmp_path: Path) -> None:
    paths = write_records(tmp_path, 2)
    for named in ([tmp_path], paths, ["--all"]):
        result = trickbook("audit", *named, "--claim", "north=1")
        assert (result.code, result.out) == (2, "")
        assert "one game" in result.err


def test_nothing_or_all_and_a_name_together_is_wrong_usage(trickbook: Run) -> None:
    for arguments in ([], ["--all", "x"]):
        result = trickbook("audit", *arguments)
        assert result.code == 2
        assert "--all" in result.err


def test_ctrl_c_leaves_whole_lines_a_summary_and_130(many: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "audit", "--format", "ndjson", str(many)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()  # by the same buffer as the first line
        said = process.stderr.read()
    told = [json.loads(line) for line in (first + rest).splitlines()]
    assert process.returncode == 130
    assert 0 < len(told) < MANY
    assert f"interrupted after {len(told):,} of 2,000 games" in said
    assert "Traceback" not in said


def test_a_bar_is_drawn_on_a_terminal_and_gone_at_the_end_and_a_bad_game_stands_above_it(many: Path) -> None:
    with Terminal(["audit", str(many), str(many)]) as terminal:
        assert "left" in terminal.until("auditing", " of 4,000 games", "left")
        terminal.until("BAD", "event_missing")
        terminal.press("\x03")
        text = terminal.until("interrupted after")
        assert terminal.end() == 130
        assert terminal.restored()
    assert "auditing" not in text


def test_a_pipe_gets_no_bar(many: Path) -> None:
    environment = {**os.environ, "TERM": "xterm-256color"}
    command = [sys.executable, *COMMAND[1:], "audit", str(many), "--jobs", "1"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 3
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
