"""Sheets and what a fair referee answers: the real command over those of `tests/cases` and those beside this file."""

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from cli.main import run

HERE = Path(__file__).parent
LISTS = (HERE.parent / "cases" / "doubtful.json", HERE / "sheets.json")


def sheets() -> Iterator[Any]:
    """Every sheet, named by what it shows."""
    for path in LISTS:
        for number, sheet in enumerate(json.loads(path.read_text("utf-8")), 1):
            yield pytest.param(sheet, id=f"{path.stem}-{number}")


@pytest.mark.parametrize("sheet", list(sheets()))
def test_the_audit_of_a_sheet_says_what_a_fair_referee_would(sheet: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "sheet.txt"
    path.write_text(sheet["text"], "utf-8")
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = run(["audit", str(path), *sheet["args"]])
    shown = " ".join(printed.getvalue().split())
    assert code == sheet["exit"], (sheet["name"], printed.getvalue())
    assert [text for text in sheet["says"] if text not in shown] == [], (sheet["name"], printed.getvalue())
    assert [text for text in sheet["never_says"] if text in shown] == [], (sheet["name"], printed.getvalue())
