"""Lists over HTTP: open tables, games of a player, the ladder, rematches; who is shown what (design §4)."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from events.receipts import Signer
from events.redis_store import RedisStore
from projections.across.models import MODELS
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.base.settings import Settings
from service.games.handler import Games
from service.house.house_player import HousePlayer
from service.http.app import create_app
from service.http.schemas import bodies
from service.readmodels.follower import Follower
from service.readmodels.lag import lags
from service.readmodels.lists import Lists
from service.readmodels.model_store import ReadModelStore
from service.readmodels.rebuild import rebuild
from tests.api.players import Table, key
from tests.kit.waiting import eventually

OPERATOR = {"Authorization": "Bearer operator-token-of-at-least-32-characters"}
IDENTITY = Identity(bytes(range(32)), Signer(bytes(range(1, 33))))
Json = dict[str, Any]


class Clock:
    time = 1_790_000_000_000

    def now(self) -> int:
        self.time += 1
        return self.time


@pytest.fixture
def client(store: RedisStore, books: ReadModelStore) -> FlaskClient:
    games = Games(store, IDENTITY, Clock(), Csprng())
    games.noticed = HousePlayer(games, bodies.move).notice
    settings = Settings(create_limit=0, operator_token=OPERATOR["Authorization"].split()[1])
    app = create_app(games, settings, kept_lists=Lists(store, books, IDENTITY), lag=lambda: lags(store, books))
    return app.test_client()


@pytest.fixture
def follow(store: RedisStore, books: ReadModelStore) -> Callable[[], None]:
    """Follows all that was announced."""
    for model in MODELS:
        rebuild(store, books, model)

    def go() -> None:
        for model in MODELS:
            now = books.serving(model).now
            assert now is not None
            follower = Follower(store, books, model, now.number, "test")
            while follower.round(1):
                pass

    return go


def create(client: FlaskClient, headers: Json | None = None, **body: Any) -> Json:
    made = client.post("/v1/games", json=body, headers={"Idempotency-Key": key(), **(headers or {})})
    assert made.status_code == 201, made.json
    return dict(made.json)


def refused(client: FlaskClient, headers: Json | None = None, **body: Any) -> tuple[int, str]:
    made = client.post("/v1/games", json=body, headers=headers or {})
    return made.status_code, made.json["code"]


def listed(client: FlaskClient, query: str = "", headers: Json | None = None) -> list[Json]:
    answer = client.get(f"/v1/games{query}", headers=headers or {})
    assert answer.status_code == 200, answer.json
    return list(answer.json["games"])


def auth(token: str) -> Json:
    return {"Authorization": f"Bearer {token}"}


def end(client: FlaskClient, game: str, token: str) -> None:
    sent = {"Idempotency-Key": key(), **auth(token)}
    assert client.post(f"/v1/games/{game}/moves", json={"type": "resign"}, headers=sent).status_code == 201


def rated(client: FlaskClient, winner: str, loser: str) -> str:
    """A rated game that `loser`, who made it, resigns."""
    made = create(client, OPERATOR, name=loser, opponent_name=winner, rated=True)
    joined = client.post(f"/v1/games/{made['game']}/join", json={"name": winner, "invite": made["invite"]})
    assert joined.status_code == 201, joined.json
    end(client, made["game"], made["token"])
    return str(made["game"])


def test_an_open_table_is_listed_with_an_invite_that_works(client: FlaskClient, follow: Callable[[], None]) -> None:
    made = create(client, name="Ann", listed=True, rules={"target": 300})
    follow()
    (shown,) = listed(client, "?status=open")
    assert (shown["game"], shown["names"], shown["rules"]) == (made["game"], {"north": "Ann"}, {"target": 300})
    assert shown["invite"] == made["invite"]
    joined = client.post(f"/v1/games/{made['game']}/join", json={"name": "Bo", "invite": shown["invite"]})
    assert joined.status_code == 201
    follow()
    assert listed(client, "?status=open") == []
    (shown,) = listed(client, "?status=running")
    assert shown["names"] == {"north": "Ann", "south": "Bo"}
    assert "invite" not in shown


def test_a_game_that_is_not_listed_only_the_operator_sees_and_nobody_its_invite(
    client: FlaskClient, follow: Callable[[], None]
) -> None:
    made = create(client, name="Ann")
    follow()
    assert listed(client) == []
    assert listed(client, headers=auth("x" * 40)) == []
    (shown,) = listed(client, headers=OPERATOR)
    assert shown["game"] == made["game"]
    assert "invite" not in shown


def test_games_of_a_player_page_by_page_without_a_gap_or_a_double(client: FlaskClient, follow: Callable[[], None]) -> None:
    mine = [create(client, name="Ann", listed=True)["game"] for _ in range(7)]
    create(client, name="Bo", listed=True)
    follow()
    seen, query = [], "?player=Ann&limit=3"
    while True:
        answer = client.get(f"/v1/games{query}").json
        assert answer is not None
        seen += [game["game"] for game in answer["games"]]
        if "next" not in answer:
            break
        create(client, name="Ann", listed=True)  # a newer one shifts nothing
        follow()
        query = f"?player=Ann&limit=3&after={answer['next']}"
    assert seen == mine[::-1]


@pytest.mark.parametrize(
    "query", ["?status=lost", "?limit=0", "?limit=101", "?player=", "?player=%00", "?after=!", "?after=YQ"]
)
def test_a_list_asked_for_wrongly_says_what_is_wrong(client: FlaskClient, query: str) -> None:
    answer = client.get(f"/v1/games{query}")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_parameter")


def test_a_running_game_nobody_touches_is_stalled_and_one_that_goes_on_is_not(
    client: FlaskClient, follow: Callable[[], None], store: RedisStore
) -> None:
    table = Table(client, {"max_hands": 1})  # the clock of the test is years behind the store's
    follow()
    assert [game["game"] for game in listed(client, "?status=stalled", OPERATOR)] == [table.game]
    table.play_until("ended")
    follow()
    assert listed(client, "?status=stalled", OPERATOR) == []


def test_only_the_operator_makes_a_rated_game_and_both_names_are_fixed(client: FlaskClient) -> None:
    assert refused(client, name="Ann", opponent_name="Bo", rated=True) == (401, "unauthorized")
    assert refused(client, auth("x" * 40), name="Ann", opponent_name="Bo", rated=True) == (403, "not_allowed")
    assert refused(client, OPERATOR, name="Ann", rated=True) == (422, "invalid")
    assert refused(client, OPERATOR, name="Ann", opponent="house", rated=True) == (422, "invalid")
    made = create(client, OPERATOR, name="Ann", opponent_name="Bo", rated=True)
    for name, status in (("Cy", 403), ("Ann", 403), ("Bo", 201)):
        joined = client.post(f"/v1/games/{made['game']}/join", json={"name": name, "invite": made["invite"]})
        assert joined.status_code == status


def test_the_ladder_follows_rated_games_and_no_others(client: FlaskClient, follow: Callable[[], None]) -> None:
    rated(client, "Ann", "Bo")
    rated(client, "Ann", "Cy")
    rated(client, "Bo", "Cy")
    table = Table(client)
    table.move("north", "resign")
    follow()
    players = client.get("/v1/leaderboard").json["players"]  # type: ignore[index]
    assert [(one["rank"], one["name"], one["games"], one["wins"]) for one in players] == [
        (1, "Ann", 2, 2), (2, "Bo", 2, 1), (3, "Cy", 2, 0),
    ]  # fmt: skip
    page = client.get("/v1/leaderboard?limit=2").json
    assert page is not None
    assert (len(page["players"]), page["next"]) == (2, 2)
    assert client.get("/v1/leaderboard?limit=2&after=2").json == {"players": players[2:]}
    ann = client.get("/v1/players/Ann").json
    assert ann is not None
    assert ann["rated"] == {key: value for key, value in players[0].items() if key != "rank"}
    assert ann["games"] == []  # rated, and not listed
    assert len(client.get("/v1/players/Ann", headers=OPERATOR).json["games"]) == 3  # type: ignore[index]


def test_a_player_nobody_knows_is_not_there(client: FlaskClient, follow: Callable[[], None]) -> None:
    create(client, name="Ann")
    follow()
    for name in ("Ann", "Nobody"):  # in no listed and no rated game
        answer = client.get(f"/v1/players/{name}")
        assert (answer.status_code, answer.json["code"]) == (404, "no_such_player")


@pytest.mark.parametrize(("seat", "first"), [("north", "north"), ("north", "south"), ("south", "north"), ("south", "south")])
def test_a_rematch_has_the_same_two_and_swaps_the_first_player(client: FlaskClient, seat: str, first: str) -> None:
    table = Table(client, rules={"target": 300}, first=first)
    table.move("north", "resign")
    made = create(client, table.auth(seat), after=table.game)
    view = made["view"]
    me, other = ("Ann", "Bo") if seat == "north" else ("Bo", "Ann")
    assert view["seats"]["north"]["name"] == me
    assert view["rules"]["target"] == 300
    refusal = client.post(f"/v1/games/{made['game']}/join", json={"name": "Cy", "invite": made["invite"]})
    assert (refusal.status_code, refusal.json["code"]) == (403, "not_allowed")
    joined = client.post(f"/v1/games/{made['game']}/join", json={"name": other, "invite": made["invite"]})
    assert joined.status_code == 201, joined.json
    was_first = "Ann" if first == "north" else "Bo"
    view = joined.json["view"]
    assert view["seats"][view["first"]]["name"] != was_first


def test_a_rematch_is_refused_to_others_before_the_end_and_with_what_the_earlier_game_says(client: FlaskClient) -> None:
    table = Table(client)
    mine = table.auth("north")
    assert refused(client, mine, after=table.game) == (409, "wrong_phase")
    table.move("north", "resign")
    assert refused(client, after=table.game) == (401, "unauthorized")
    assert refused(client, auth("x" * 40), after=table.game) == (401, "unauthorized")
    assert refused(client, mine, after="0" * 16) == (404, "no_such_game")
    for wrong in ({"name": "Cy"}, {"first": "north"}, {"opponent_name": "Bo"}, {"opponent": "house"}):
        assert refused(client, mine, after=table.game, **wrong) == (422, "invalid")
    assert refused(client, mine, after=table.game, rated=True)[0] == 403
    alone = Table(client, join=False)
    alone.move("north", "resign")
    assert refused(client, alone.auth("north"), after=alone.game) == (403, "not_allowed")


def test_a_rematch_against_the_house_is_against_the_house(client: FlaskClient) -> None:
    def house_sits(game: str) -> bool:
        return "south" in client.get(f"/v1/games/{game}").json["seats"]  # type: ignore[index]

    made = create(client, name="Ann", opponent="house")
    eventually(lambda: house_sits(made["game"]))
    end(client, made["game"], made["token"])
    again = create(client, auth(made["token"]), after=made["game"])
    assert "invite" not in again
    eventually(lambda: house_sits(again["game"]))
    assert refused(client, auth(made["token"]), after=made["game"], listed=True) == (422, "invalid")


def test_readyz_tells_how_far_the_followers_are_behind(client: FlaskClient, follow: Callable[[], None]) -> None:
    create(client, name="Ann")
    told = client.get("/readyz").json
    assert told is not None
    assert {name: one["announcements"] for name, one in told["followers"].items()} == {"games": 1, "ladder": 1}
    follow()
    told = client.get("/readyz").json
    assert told is not None
    assert told["followers"] == {name: {"announcements": 0, "oldest_ms": 0} for name in ("games", "ladder")}
