"""``/metrics``: for the operator alone, of the whole service, also while the server for work is away."""

from functools import partial

import pytest
from flask.testing import FlaskClient

from events.receipts import Signer
from events.redis_store import RedisStore
from projections.across.models import MODELS
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.base.settings import Settings
from service.games.handler import Games
from service.http.app import create_app
from service.operations.gauges import gauges
from service.operations.open_store import OpenStore
from service.readmodels.lag import lags
from service.readmodels.lists import Lists
from service.readmodels.model_store import ReadModelStore
from service.readmodels.rebuild import rebuild
from tests.following.many import logs, put
from tests.following.test_lists import IDENTITY, OPERATOR, Clock

GONE = "unix:///nowhere/s"


def _client(store: RedisStore, books: ReadModelStore) -> FlaskClient:
    opened, lists = OpenStore(store, None), Lists(store, books, IDENTITY)
    settings = Settings(operator_token=OPERATOR["Authorization"].split()[1])
    app = create_app(
        Games(store, Identity(bytes(32), Signer(bytes(range(32)))), Clock(), Csprng()),
        settings,
        kept_lists=lists,
        gauges=partial(gauges, opened, books, lists),
        lag=partial(lags, store, books),
    )
    return app.test_client()


def _values(text: str) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


def test_metrics_count_games_players_and_what_is_behind(store: RedisStore, books: ReadModelStore) -> None:
    games = logs(12, 1)
    put(store, *games.items())
    for model in MODELS:
        rebuild(store, books, model)
    answer = _client(store, books).get("/metrics", headers=OPERATOR)
    assert answer.status_code == 200
    assert answer.content_type.startswith("text/plain")
    values = _values(answer.text)
    assert values['trickbook_games{status="finished"}'] == 12
    assert values['trickbook_games{status="open"}'] == 0
    assert values["trickbook_players_rated"] == len(
        {row.name for row in Lists(store, books, IDENTITY).mirror.standings().values()}
    )
    assert values['trickbook_follower_announcements{model="games"}'] == 0
    assert values['trickbook_durability{kind="fsync"}'] == 1
    assert values["trickbook_work_server_up"] == 1


@pytest.mark.parametrize(("headers", "status"), [({}, 401), ({"Authorization": "Bearer " + "x" * 40}, 403)])
def test_metrics_are_for_the_operator_alone(
    store: RedisStore, books: ReadModelStore, headers: dict[str, str], status: int
) -> None:
    assert _client(store, books).get("/metrics", headers=headers).status_code == status


def test_without_the_server_for_work_the_rest_is_told(store: RedisStore) -> None:
    away = RedisStore(GONE, patience=0.1)
    answer = _client(store, ReadModelStore(away)).get("/metrics", headers=OPERATOR)
    assert answer.status_code == 200
    assert _values(answer.text) == {
        "trickbook_work_server_up": 0,
        'trickbook_durability{kind="fsync"}': 1,
        "trickbook_games_frozen": 0,
    }
    away.close()
