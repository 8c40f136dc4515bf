"""``trickbook analyse --open-hands``: a list of positions in, the same list with its worths out."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

CASES = Path(__file__).parents[1] / "cases" / "open-hands.json"
ONE = '{"north":["AS"],"south":["KS"],"leads":"south","spades_broken":false,"worth":[0,1]}'


def test_the_cases_are_printed_as_they_are(trickbook: Run, tmp_path: Path) -> None:
    asked = [{key: case[key] for key in case if key not in ("value", "leads_worth")} for case in json.loads(CASES.read_bytes())]
    path = tmp_path / "positions.json"
    path.write_text(json.dumps(asked), "utf-8")
    result = trickbook("analyse", "--open-hands", str(path))
    assert (result.code, result.err) == (0, "")
    assert result.out == CASES.read_text("utf-8").rstrip("\n") + "\n"


def test_what_the_list_says_of_the_worth_is_computed_again(trickbook: Run, tmp_path: Path) -> None:
    path = tmp_path / "positions.json"
    path.write_text(f'[{ONE[:-1]},"value":7,"leads_worth":{{"KS":7}}}}]', "utf-8")
    result = trickbook("analyse", "--open-hands", str(path))
    assert json.loads(result.out)[0]["value"] == 1
    assert json.loads(result.out)[0]["leads_worth"] == {"KS": 1}


def test_standard_input_is_read(trickbook: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[]")))
    assert trickbook("analyse", "--open-hands", "-").out == "[]\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[", "not valid JSON: Expecting value (line 1, column 2)"),
        ("{}", "expected a list of positions"),
        ("[NaN]", "NaN is not a JSON number"),
        ("[" * 100_000, "not valid JSON"),
        ("[1]", "position 1: Expected object, got int; expected north, south"),
        (f'[{ONE},{{"north":["AS"]}}]', "position 2: Object missing required field south"),
        (f'[{ONE[:-1]},"led":"QS"}}]', "position 1: Object contains unknown field led"),
        (f'[{ONE[:-1]},"north":[]}}]', "an object has the key 'north' twice"),
        (f"[{ONE.replace('KS', '10S')}]", "position 1: '10S' is not a card; expected a rank 23456789TJQKA"),
        (f"[{ONE.replace('KS', 'AS')}]", "position 1: AS is there twice"),
        ("[" + ONE.replace('"AS"', '"AS","2C"') + "]", "position 1: north holds 2 cards and south 1"),
        ("[" + ONE.replace('"AS"', "").replace('"KS"', "") + "]", "position 1: 0 cards in each hand; expected 1 to 13"),
        (f"[{ONE.replace('[0,1]', '[0]')}]", "position 1: worth has 1 numbers; expected 2, for 0 to 1 tricks"),
        (f"[{ONE.replace('[0,1]', '[0,1e999]')}]", "position 1: worth has a number that is too great"),
        (f"[{ONE.replace('south', 'up', 2)}]", "position 1: "),
    ],
)
def test_a_list_that_cannot_be_read_is_named(trickbook: Run, tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "positions.json"
    path.write_text(text, "utf-8")
    result = trickbook("analyse", "--open-hands", str(path))
    assert (result.code, result.out) == (2, "")
    assert says in result.err
    assert str(path) in result.err
    assert "Traceback" not in result.err


def test_a_file_that_is_not_there_is_named(trickbook: Run, tmp_path: Path) -> None:
    result = trickbook("analyse", "--open-hands", str(tmp_path / "none.json"))
    assert result.code == 5
    assert "there is no file" in result.err
