"""Finished games of every version so far are replayed, audited and verified to the figures they had when they were played."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from events.ruleset import OPTIONS
from tests.oldlogs.figures import figures
from tests.oldlogs.make import WANTED

HERE = Path(__file__).parent
NODE = shutil.which("node")
RUNNER = HERE.parents[1] / "service/http/static/verify-node.mjs"
VERSIONS = {path.parent.name: json.loads(path.read_text("utf-8")) for path in sorted(HERE.glob("*/expected.json"))}
GAMES = [(version, name) for version, known in VERSIONS.items() for name in known["games"]]


@pytest.mark.parametrize(("version", "name"), GAMES)
def test_a_game_of_an_older_version_has_the_same_figures_for_ever(version: str, name: str) -> None:
    """A later version may know more figures; those that were noted must be the same."""
    known = dict(VERSIONS[version]["games"][name])
    known.pop("why")
    found = figures(HERE / version / f"{name}.ndjson", VERSIONS[version]["server_key"])
    assert {key: found[key] for key in known} == known


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="the second verifier runs in Node")
@pytest.mark.parametrize("version", VERSIONS)
def test_the_second_verifier_says_the_same_of_them(version: str) -> None:
    assert NODE is not None
    known = VERSIONS[version]
    files = {str(HERE / version / f"{name}.ndjson"): game["verify"] for name, game in known["games"].items()}
    done = subprocess.run(
        [NODE, str(RUNNER), "--server-key", known["server_key"], *files], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said: list[Any] = [json.loads(line) for line in done.stdout.splitlines()]
    assert {each["file"]: each["verdict"] for each in said} == files


def test_every_record_has_figures_and_all_of_them_are_small() -> None:
    files = {str(path.relative_to(HERE)) for path in HERE.glob("*/*.ndjson")}
    assert files == {f"{version}/{name}.ndjson" for version, name in GAMES}
    assert sum((HERE / name).stat().st_size for name in files) < 1_000_000


def test_the_games_of_this_version_show_every_ending_and_every_option() -> None:
    games = [game for known in VERSIONS.values() for game in known["games"].values()]
    reasons = {game["result"]["reason"] for game in games}
    assert reasons == {"target", "floor", "hand_limit", "resigned", "timed_out", "abandoned"}
    assert any("winner" not in game["result"] and game["result"]["reason"] == "hand_limit" for game in games)
    lines = [hand[seat] for game in games for hand in game["hands"] for seat in ("north", "south")]
    assert {line["bid"] for line in lines} >= {0, "double_nil", 13}
    assert any(line["penalty"] for line in lines)
    changed = {option for wanted in WANTED.values() for option in wanted.rules}
    assert changed == set(OPTIONS)
