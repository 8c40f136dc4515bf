"""games, ladder, rebuild and doctor at the terminal, with a read model that is missing, behind, or wrong."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from cli.main import run
from events import keys
from events.redis_store import RedisStore
from projections.across.models import GAMES, LADDER, MODELS
from projections.across.row import read
from service.readmodels.model_store import ReadModelStore
from service.readmodels.rebuild import rebuild
from tests.following.many import NAMES, logs, put


@pytest.fixture
def trickbook(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, store: RedisStore
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("TRICKBOOK_REDIS_URL", store.url)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        out, err = capfd.readouterr()
        return code, out, err

    return call


def _json(answer: tuple[int, str, str]) -> Any:
    code, out, err = answer
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize("kept", ["nobody follows", "behind", "up to date"])
def test_games_and_ladder_tell_the_truth_whoever_follows(
    trickbook: Callable[..., tuple[int, str, str]], store: RedisStore, books: ReadModelStore, kept: str
) -> None:
    games = logs(40, 1)
    early = dict(list(games.items())[:25])
    if kept != "nobody follows":
        put(store, *((game, commits[: 2 if kept == "behind" else None]) for game, commits in early.items()))
        rebuild(store, books, GAMES)
        put(store, *((game, commits[2:]) for game, commits in early.items() if kept == "behind"))
    put(store, *((game, commits) for game, commits in games.items() if kept == "nobody follows" or game not in early))
    shown = _json(trickbook("games", "--format", "json"))
    assert {row["game"]: row["events"] for row in shown} == {game: commits[-1].seq for game, commits in games.items()}
    assert {row["phase"] for row in shown} == {"ended"}
    assert all(row["turn"].endswith(" won") for row in shown)
    mine = _json(trickbook("games", "--player", "Ann", "--format", "json"))
    assert mine == [row for row in shown if "Ann" in (row["north"], row["south"])]
    assert mine
    assert _json(trickbook("games", "--status", "running", "--format", "json")) == []
    ladder = _json(trickbook("ladder", "--format", "json"))
    assert {one["name"] for one in ladder} == set(NAMES)
    assert sum(one["games"] for one in ladder) == 80
    assert [one["rank"] for one in ladder] == sorted(one["rank"] for one in ladder)


def test_lists_fit_the_terminal_and_come_as_csv(trickbook: Callable[..., tuple[int, str, str]], store: RedisStore) -> None:
    put(store, *logs(5, 2).items())
    _, out, _ = trickbook("ladder")
    assert all(len(line) <= 80 for line in out.splitlines())
    assert out.splitlines()[0].split()[:3] == ["rank", "name", "rating"]
    rows = list(csv.DictReader(io.StringIO(trickbook("ladder", "--format", "csv")[1])))
    assert rows[0]["rank"] == "1"


def test_an_empty_store_says_what_to_do(trickbook: Callable[..., tuple[int, str, str]], store: RedisStore) -> None:
    assert "trickbook demo" in trickbook("games")[2]
    assert "no such game" in trickbook("games", "--player", "Ann")[2]
    assert "rated" in trickbook("ladder")[2]


def test_stalled_games_are_those_nobody_has_moved_in(trickbook: Callable[..., tuple[int, str, str]], store: RedisStore) -> None:
    games = logs(3, 3)
    put(store, *((game, commits[:-1]) for game, commits in games.items()))  # begun years ago, by the store's clock
    assert {row["game"] for row in _json(trickbook("games", "--status", "stalled", "--format", "json"))} == set(games)


def test_rebuild_says_what_it_found_and_a_dry_run_ends_with_1_where_something_differs(
    trickbook: Callable[..., tuple[int, str, str]], store: RedisStore, books: ReadModelStore
) -> None:
    games = logs(10, 4)
    put(store, *games.items())
    code, out, err = trickbook("rebuild")
    assert (code, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines()] == ["games", "ladder"]
    assert "there was none before" in out
    assert "equal to the one before, byte for byte" in trickbook("rebuild", "games")[1]
    game = next(iter(games))
    name = keys.model("games", 2, GAMES.part(game))
    store.client.hset(name, game, msgspec.structs.replace(read(store.client.hget(name, game)), hands=9).data())
    code, out, _ = trickbook("rebuild", "games", "--dry-run")
    assert code == 1
    assert f"differs: {game}" in out
    assert "nothing was changed" in out
    found = _json(trickbook("rebuild", "games", "--format", "json"))
    assert (found[0]["different"], found[0]["switched"]) == ([game], True)
    assert trickbook("rebuild", "ladders")[0] == 2


def test_doctor_tells_how_far_the_read_models_are_behind(
    trickbook: Callable[..., tuple[int, str, str]], store: RedisStore, books: ReadModelStore
) -> None:
    def told() -> dict[str, tuple[bool, str]]:
        checks = json.loads(trickbook("doctor", "--format", "json")[1])
        return {check["name"]: (check["ok"], check["found"]) for check in checks if "read model" in check["name"]}

    assert told()["read model games"] == (True, "not built yet: the first follower builds it")
    for model in MODELS:
        rebuild(store, books, model)
    assert told()["read model ladder"] == (True, "up to date")
    seconds, _ = store.client.time()
    store.client.xadd(keys.feed("00"), {"game": "0" * 16, "version": 5}, id=f"{(seconds - 500) * 1000}-0")
    ok, found = told()["read model ladder"]
    assert not ok
    assert found.startswith("1 announcements behind")
    assert LADDER.name == "ladder"
