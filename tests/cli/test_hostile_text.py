"""Text from outside on its way to a terminal: whatever stands in an argument, a file's name, a record or a text record, no
command writes a control character, and every line is one that the command itself began."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.main import COMMANDS
from cli.markup import coloured, escaped, styled, unstyled
from cli.output import json_text
from cli.playing.fit import cells, clip
from tests.cli.terminal import Terminal
from tests.cli.test_lying_service import CONTROLS, HOSTILE

Run = Callable[..., Any]
WORD = HOSTILE.replace("\x00", "").replace("\r\n", "\n")
"""As it can stand in an argument."""
FILE = WORD.replace("/", "")


def harmless(text: str) -> None:
    """Nothing in it steers a terminal, and no line of it is the attacker's."""
    assert not CONTROLS.search(text), ascii(text)
    assert not re.search(r"^(verdict: )?VERIFIED", text, re.MULTILINE)


ARGUMENTS = {
    "analyse": ([WORD], ["--open-hands", WORD]),
    "audit": ([WORD], ["--claim", WORD, "x"], ["--format", WORD], ["--claim-file", WORD, "x"], [WORD, WORD], ["-x" + WORD]),
    "bench": ([WORD], ["--" + WORD]),
    "demo": (["--port", WORD], [WORD]),
    "dispute": ([WORD], ["open", WORD], ["open", "0" * 16, "--server", WORD, "--claim", "north=1"], ["list", WORD],
                ["show", WORD, "1"], ["show", "0" * 16, WORD], ["settle", WORD, "1", "--upheld", "--reason", "x"],
                ["open", "0" * 16, "--receipts", WORD], ["settle", "0" * 16, "1", "--upheld", "--reason", WORD],
                ["settle", "0" * 16, "1", "--correct", WORD, "--reason", "x"]),
    "doctor": ([WORD],),
    "end": ([WORD, "--why", "x"],),
    "events": ([WORD], ["--after", WORD, "x"]),
    "explain": ([WORD, "1"], ["0" * 16, WORD]),
    "export": ([WORD], ["--as", WORD, "x"]),
    "games": ([WORD], ["--" + WORD]),
    "hide": ([WORD, "--why", WORD],),
    "import": ([WORD],),
    "keys": ([WORD],),
    "ladder": ([WORD],),
    "operator": ([WORD],),
    "play": (["--server", WORD], ["--join", WORD], ["--resume", WORD], ["--rules", WORD, "--server", "http://127.0.0.1:1"],
             ["--name", WORD, "--server", "http://127.0.0.1:1"], ["--first", WORD],
             ["--server", "http://127.0.0.1:1", "--name", "A", "--receipts", "/" + WORD]),
    "rebuild": ([WORD],),
    "replay": ([WORD], ["--hand", WORD, "x"], ["x", "--from", WORD]),
    "rules": ([WORD],),
    "score": ([WORD], ["--rules", WORD], ["--north", WORD], ["--save", WORD]),
    "serve": (["--host", WORD], ["--port", WORD]),
    "show": ([WORD], ["x", "--at", WORD]),
    "verify": ([WORD], ["x", "--receipts", WORD], ["x", "--server-key", WORD], [f"http://127.0.0.1:1/{WORD}"]),
    "worker": ([WORD],),
    "backup": (["--to", WORD], ["--to"], [WORD]),
    "restore": ([WORD], [WORD, "--data", WORD], []),
    "history": ([WORD], ["accept-loss", WORD], ["accept-loss", WORD, "--why", WORD], ["list", "--format", WORD]),
}  # fmt: skip


def test_every_command_is_tried() -> None:
    assert set(ARGUMENTS) == set(COMMANDS)


@pytest.mark.parametrize(
    ("command", "words"),
    [(name, words) for name, each in ARGUMENTS.items() for words in each],
    ids=lambda value: ascii(value)[:40],
)
def test_an_argument_cannot_write_on_the_terminal(
    trickbook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRICKBOOK_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    result = trickbook(command, *words)
    assert result.code != 0 or command == "score"  # it asks, and the input ends at once
    assert "Internal error" not in result.err
    harmless(result.out + result.err)


TEXT = f"trickbook-text 1\nnorth A{HOSTILE.split(chr(13))[0]}\nsouth Bo\nhand 1\nbids north 6 south 7\ntricks north 6 south 7\n"


@pytest.mark.parametrize("raw", [b"", WORD.encode(), TEXT.encode(), b"\xff\xfe" + WORD.encode("utf-16-le")], ids=repr)
@pytest.mark.parametrize("command", ["audit", "verify", "show", "replay", "events", "export", "rules", "score", "import"])
def test_a_files_name_and_its_bytes_cannot_either(trickbook: Run, tmp_path: Path, command: str, raw: bytes) -> None:
    path = tmp_path / FILE
    path.write_bytes(raw)
    result = trickbook(command, str(path))
    assert "Internal error" not in result.err
    harmless(result.out + result.err)


@pytest.mark.parametrize("form", ["table", "json", "ndjson", "csv"])
@pytest.mark.parametrize("command", ["audit", "verify", "show", "replay", "events", "rules", "dispute list"])
def test_what_stands_in_a_record_cannot_either(
    trickbook: Run, record_file: Path, tmp_path: Path, command: str, form: str
) -> None:
    """A name and an unknown type, bidi controls and C1 controls, as far as a record's reader lets them pass."""
    lines = record_file.read_bytes().splitlines()
    for number, (before, after) in enumerate(
        [(b'"Ann"', '"A\u202e\u2028\u200fnn"'), (b'"Bo"', '"\u009b2JBo"'), (b'"north"', '"\u2066"')]
    ):
        changed = [line.replace(before, after.encode()) for line in lines]
        path = tmp_path / f"{number}{FILE}"
        path.write_bytes(b"\n".join(changed) + b"\n")
        result = trickbook(*command.split(), str(path), "--format", form)
        assert "Internal error" not in result.err
        harmless(result.out + result.err)


def test_json_is_the_same_value_and_printable() -> None:
    value = {HOSTILE: [HOSTILE, "é♠😀", 1, None, True]}
    for indent in (None, 2):
        text = json_text(value, indent=indent)
        assert json.loads(text) == value
        assert not CONTROLS.search(text.replace("\n", ""))


def test_a_style_is_kept_and_nothing_else() -> None:
    text = styled(f"a{HOSTILE}b", fg="green", bold=True)
    shown = coloured(escaped(text))
    assert shown.startswith("\x1b[32;1ma\\x1b[2J")
    assert shown.endswith("b\x1b[0m")
    assert len(re.findall("\x1b", shown)) == 2
    assert escaped(escaped(text)) == escaped(text)
    assert unstyled(escaped(text)).isprintable()
    assert cells(clip(escaped(text), 5)) == 5
    assert coloured(clip(escaped(text), 5)).endswith("\x1b[0m")


def test_on_a_real_terminal_a_file_cannot_clear_the_screen(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_text(TEXT)
    with Terminal(("audit", str(path))) as terminal:
        terminal.end()
        assert not re.search("\x1b(?!\\[[0-9;]*m)", terminal.raw)
        assert not re.search("[\x07\x9b\u202e\u2028]", terminal.raw)
