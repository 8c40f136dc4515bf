"""Reviews over HTTP: one walk a version for all questions, and an ETag that knows the names that are shown and the build."""

import pytest
from flask.testing import FlaskClient

from events.memory import MemoryStore
from projections.replay import walk
from projections.replay.unnamed import PLACEHOLDERS
from service.base.entropy import Csprng
from service.base.settings import Settings
from service.games import game_review
from service.games.handler import Games
from service.games.redaction import REFRESH_SECONDS, HiddenNames
from service.http import responses
from service.http.app import create_app
from service.operations.operator_actions import hide_name
from tests.api.conftest import IDENTITY, OPERATOR, Clock
from tests.api.players import Table

REPLAYS = ("/replay", "/replay?hand=1", "/replay?at=1.5", "/replay?after=40")
QUESTIONS = (*REPLAYS, "/explain/1.5.2", "/explain/1.d3", "/scoresheet")
KEPT = (*QUESTIONS, "/audit")


class Process:
    """An app, the seconds of its clock for hidden names, and how often it walked over a game."""

    def __init__(self, store: MemoryStore) -> None:
        self.store, self.seconds, self.walks = store, 100.0, 0
        games = Games(store, IDENTITY, Clock(), Csprng())
        games.hidden = HiddenNames(store, lambda: self.seconds)
        self.client: FlaskClient = create_app(games, Settings(create_limit=0, operator_token=OPERATOR)).test_client()


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Process:
    made = Process(MemoryStore())

    def counted(*asked: object) -> list[walk.Step]:
        made.walks += 1
        return walk.steps(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(game_review, "steps", counted)
    return made


@pytest.fixture
def table(process: Process) -> Table:
    table = Table(process.client, {"max_hands": 1})
    table.play_out()
    return table


def test_all_questions_about_a_version_share_one_walk(process: Process, table: Table) -> None:
    for seat in (None, "north", "south"):
        for path in QUESTIONS:
            assert table.get(path, seat).status_code == 200
    assert process.walks == 1


def test_a_running_game_is_walked_once_for_each_viewer_and_version(process: Process) -> None:
    table = Table(process.client)
    table.play_until("bidding")
    shown = {seat: [table.get(path, seat).data for path in QUESTIONS] for seat in (None, "north", "south", None, "north")}
    assert process.walks == 3
    assert len({answers[0] for answers in shown.values()}) == 3
    seat = table.turn() or ""
    table.move(seat, "bid", tricks=3)
    assert table.get("/replay").json["version"] > table.get("/replay?hand=0").json["steps"][-1]["version"]
    assert process.walks == 4


@pytest.mark.parametrize("path", KEPT)
def test_the_tag_saves_the_answer_until_it_changes(process: Process, table: Table, path: str) -> None:
    first = table.get(path)
    tag = first.headers["ETag"]
    assert first.headers["Cache-Control"] == "private, no-cache"
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = table.get(path, **{"If-None-Match": known})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert table.get(path, **{"If-None-Match": '"other"'}).data == first.data
    other = table.get("/replay?hand=0")
    assert table.get(path, **{"If-None-Match": other.headers["ETag"]}).status_code == 200


def test_names_are_put_in_after_the_cache_and_are_in_the_tag(process: Process, table: Table) -> None:
    before = {path: table.get(path) for path in KEPT}
    assert "Ann sits down" in before["/replay"].text
    hide_name(process.store, "Ann", "rude")
    process.seconds += REFRESH_SECONDS
    for path, first in before.items():
        after = table.get(path, **{"If-None-Match": first.headers["ETag"]})
        assert "Ann" not in after.text
        assert (after.status_code == 304) == (path == "/audit"), path  # an audit names nobody
    assert "(hidden) sits down" in table.get("/replay").text
    assert process.walks == 1
    assert not [mark for mark in PLACEHOLDERS.values() if mark in table.get("/replay").text + table.get("/explain/v2").text]


def test_a_name_is_put_into_json_as_text(process: Process) -> None:
    client = process.client
    made = client.post("/v1/games", json={"name": "O'Neill-Łę"}).json
    told = client.get(f"/v1/games/{made['game']}/replay").json["steps"][1]
    assert told["text"] == "O'Neill-Łę sits down as north"


def test_the_tag_knows_the_build(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    tags = []
    for build in ("one", "two"):
        monkeypatch.setattr(responses, "build", lambda build=build: build)
        tags.append(table.get("/replay").headers["ETag"])
    assert tags[0] != tags[1]


def test_a_running_game_is_kept_by_no_browser(process: Process) -> None:
    table = Table(process.client)
    for seat in (None, "north"):
        assert table.get("/replay", seat).headers["Cache-Control"] == "private, no-store"


def test_the_tag_of_one_viewer_is_not_that_of_another(process: Process) -> None:
    table = Table(process.client)
    tags = {seat: table.get("/replay", seat).headers["ETag"] for seat in (None, "north", "south")}
    assert len(set(tags.values())) == 3
    assert table.get("/replay", "north", **{"If-None-Match": tags["south"]}).status_code == 200


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/replay?hands=1", "this address has no query parameter 'hands': it takes after, at, hand"),
        ("/replay?hand=1&hand=2", "hand is given more than once"),
        ("/replay?token=x", "A token in an address ends up in logs. Send it as Authorization: Bearer <token>."),
        ("/audit?x=", "this address has no query parameter 'x': it takes none"),
        ("?WAIT=3", "this address has no query parameter 'WAIT': it takes wait"),
        ("/events?at=1", "this address has no query parameter 'at': it takes after"),
    ],
)
def test_an_unknown_query_parameter_is_refused(table: Table, path: str, said: str) -> None:
    answer = table.get(path)
    assert (answer.status_code, answer.json["code"], answer.json["detail"]) == (400, "bad_parameter", said)


def test_a_page_may_be_shared_with_marks_of_others(table: Table) -> None:
    assert table.client.get(f"/g/{table.game}?utm_source=x").status_code == 200
