"""end, hide and operator: what the operator does is done by events or noted, and every command shows it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from events import keys
from events.redis_store import RedisStore
from projections.audit import audit, from_commits
from projections.table import Result
from service.games.handler import Games
from service.runtime.compose import open_identity
from tests.cli.conftest import play_game
from tests.kit.servers import Servers

Trickbook = Callable[..., Any]


@pytest.fixture
def own(servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trickbook: Trickbook) -> Games:
    """A process on a private store, under secrets in a data directory: the commands find both."""
    from service.base.clock import SystemClock
    from service.base.entropy import Csprng

    url = servers.start().url
    monkeypatch.setenv("TRICKBOOK_REDIS_URL", url)
    monkeypatch.setenv("TRICKBOOK_DATA", str(tmp_path / "data"))
    store = RedisStore(url)
    return Games(store, open_identity({}, tmp_path / "data", store), SystemClock(), Csprng())


def test_end_abandons_a_running_game_and_notes_the_reason(trickbook: Trickbook, own: Games) -> None:
    game = play_game(own, until="play")
    done = trickbook("end", game, "--why", "both  asked for it")
    assert (done.code, done.out) == (0, "")
    assert "nobody wins" in done.err
    live = own.live(game)
    assert live.table.open.result == Result("abandoned")
    assert audit(from_commits(game, own.log(game))).findings == ()
    assert json.loads(own.log(game)[-1].by)["seat"] == "house"
    (note,) = json.loads(trickbook("operator", "--format", "json").out)
    assert (note["act"], note["what"], note["why"]) == ("end", game, "both asked for it")
    again = trickbook("end", game, "--why", "once more")
    assert again.code == 4
    assert "has ended already" in again.err
    assert len(trickbook("operator", "--format", "ndjson").out.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("0" * 16, "--why", "x"), 5, "no game"),
        (("nonsense", "--why", "x"), 2, "not the id"),
        (("0" * 16,), 2, "--why"),
        (("GAME", "--why", " "), 2, "reason"),
        (("GAME", "--why", "x" * 501), 2, "reason"),
    ],
)
def test_an_end_that_cannot_be_says_why_and_notes_nothing(
    trickbook: Trickbook, own: Games, arguments: tuple[str, ...], code: int, word: str
) -> None:
    game = play_game(own, until="draft")
    done = trickbook("end", *(game if text == "GAME" else text for text in arguments))
    assert done.code == code
    assert word in done.err
    assert own.store.notes() == ()
    assert own.live(game).table.open.phase == "draft"


def test_another_secret_than_the_stores_ends_nothing(
    trickbook: Trickbook, own: Games, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    game = play_game(own, until="draft")
    monkeypatch.setenv("TRICKBOOK_DATA", str(tmp_path / "another"))
    assert trickbook("end", game, "--why", "x").code == 5
    assert own.live(game).table.open.phase == "draft"


def test_a_hidden_name_is_shown_by_no_command_and_is_in_the_bytes(trickbook: Trickbook, own: Games, tmp_path: Path) -> None:
    game = play_game(own, max_hands=1)
    people: list[tuple[str, ...]] = [
        ("games",),
        ("games", "--format", "json"),
        ("show", game),
        ("show", game, "--format", "json"),
        ("replay", game),
        ("replay", game, "--format", "ndjson"),
        ("explain", game, "v2"),
        ("audit", game),
        ("audit", game, "--claim", "north=1"),
        ("events", game),
        ("export", game, "--as", "text"),
    ]
    machines: list[tuple[str, ...]] = [("events", game, "--format", "ndjson"), ("export", game)]
    named = [command for command in people if "Ann" in trickbook(*command).out]
    assert len(named) >= 9
    before = [trickbook(*command).out for command in machines]
    done = trickbook("hide", "Ann", "--why", "rude")
    assert done.code == 0
    assert "Ann is hidden" in done.err
    for command in people:
        shown = trickbook(*command).out
        assert "Ann" not in shown, command
        assert ("(hidden)" in shown) == (command in named), command
    assert [trickbook(*command).out for command in machines] == before
    (tmp_path / "text.txt").write_text(trickbook("export", game, "--as", "text").out)
    assert trickbook("audit", tmp_path / "text.txt").code == 0
    assert trickbook("hide", "Ann", "--why", "again").code == 0
    assert trickbook("hide", "Ann", "--undo", "--why", "a mistake").code == 0
    assert "Ann" in trickbook("games").out
    assert [line.split()[1:3] for line in trickbook("operator").out.splitlines()[1:]] == [["hide", "Ann"], ["unhide", "Ann"]]


@pytest.mark.parametrize("name", ["", "(hidden)", "x" * 65])
def test_what_is_nobodys_name_is_not_hidden(trickbook: Trickbook, own: Games, name: str) -> None:
    assert trickbook("hide", name, "--why", "x").code == 2
    assert own.store.notes() == ()


def test_a_log_that_somebody_else_wrote_in_does_not_hide_the_others(trickbook: Trickbook, own: Games) -> None:
    good, bad = play_game(own, until="draft"), play_game(own, until="draft", seed=2)
    assert isinstance(own.store, RedisStore)
    own.store.client.xadd(keys.stream(bad), {"not": "ours"}, id="99-0")
    listed = trickbook("games", "--format", "json")
    assert listed.code == 0
    assert {row["game"]: row["phase"] for row in json.loads(listed.out)} == {good: "draft", bad: "damaged"}


def test_an_empty_journal_says_so(trickbook: Trickbook, own: Games) -> None:
    done = trickbook("operator")
    assert (done.code, done.out) == (0, "")
    assert "ended no game" in done.err
    assert trickbook("operator", "--format", "json").out.strip() == "[]"
