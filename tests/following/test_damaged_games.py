"""Damaged logs of every kind in one store: followers, rebuild, lists, the sweep by the clock and jobs go on with all others."""

import pytest

from events import keys
from events.redis_store import RedisStore
from events.store import FrozenGame
from projections.across.models import GAMES, LADDER, MODELS, Model
from projections.across.row import read
from service.base.entropy import Csprng
from service.games.handler import Games
from service.games.overdue import sweep
from service.games.overdue_scan import ABANDONED_MS
from service.house.house_player import HousePlayer
from service.http.schemas import bodies
from service.jobs import verdicts
from service.jobs.finished import finished
from service.jobs.handlers import audits
from service.jobs.handlers.clocks import Rounds
from service.readmodels.current import current
from service.readmodels.follower import Follower
from service.readmodels.model_store import ReadModelStore
from service.readmodels.rebuild import rebuild
from service.readmodels.stalled import stalled
from tests.api.conftest import IDENTITY
from tests.kit.stored_damage import DAMAGES, Deleted, played
from tests.work.conftest import Clock, Shop

SHOWN = sum(not isinstance(damage, Deleted) for damage in DAMAGES)
"""A log without its last entries is the log of a shorter game, to whoever does not audit it."""


@pytest.fixture
def sound(store: RedisStore) -> tuple[str, str]:
    """A store with a game of each damage, ended and running, and two sound games: one that has ended, one that is running."""
    games = Games(store, IDENTITY, Clock(), Csprng())
    for damage in DAMAGES:
        for resign in (True, False):
            if resign or damage.version <= 10:
                damage.do(store, played(games, resign=resign)[0])
    frozen = played(games, resign=False)[0]
    store.client.set(keys.frozen(frozen), "nonsense")
    ended, running = (played(games, resign=resign)[0] for resign in (True, False))
    return ended, running


def _rows(books: ReadModelStore) -> dict[str, str]:
    """The status of every game in the read model that serves."""
    now = books.serving(GAMES).now
    assert now is not None
    fields = [books.load(GAMES, now.number, part).fields for part in GAMES.parts]
    return {game: read(raw).status for part in fields for game, raw in part.items()}


@pytest.mark.parametrize("model", MODELS, ids=[model.name for model in MODELS])
def test_a_follower_and_a_rebuild_pass_every_damage(
    store: RedisStore, books: ReadModelStore, sound: tuple[str, str], model: Model
) -> None:
    built = rebuild(store, books, model)
    assert built.switched
    now = books.serving(model).now
    assert now is not None
    follower = Follower(store, books, model, now.number, "one")
    follower.feed.join()
    for game in store.games():
        store.announce(game, 11)
    while follower.round(1):
        pass
    follower.compare()
    again = rebuild(store, books, model)
    assert again.switched
    assert set(again.different) == set()
    if model is GAMES:
        found = _rows(books)
        assert [found[game] for game in sound] == ["finished", "running"]
        assert sum(status == "damaged" for status in found.values()) >= SHOWN
    else:
        assert model is LADDER


def test_lists_pass_every_damage(store: RedisStore, books: ReadModelStore, sound: tuple[str, str]) -> None:
    rows = {row.game: row for row in current(store, books)}
    assert [rows[game].status for game in sound] == ["finished", "running"]
    assert sound[1] in stalled(store, [row for row in rows.values() if row.status in ("running", "damaged")])


def test_the_sweep_by_the_clock_ends_the_games_that_are_sound(store: RedisStore, sound: tuple[str, str]) -> None:
    class Later(RedisStore):
        def now(self) -> int:
            return Clock().now() + ABANDONED_MS

    late = Later(store.url)
    games = Games(late, IDENTITY, Clock(), Csprng())
    swept = sweep(games, sorted(late.games()), HousePlayer(games, bodies.move).attend)
    assert sound[1] in swept.abandoned
    assert sound[0] in swept.over
    assert len(swept.abandoned) == 1
    late.close()


def test_jobs_audit_every_finished_game_whatever_the_others_hold(store: RedisStore, sound: tuple[str, str]) -> None:
    shop = Shop(store.url)
    ids = {game for game, _ in finished(store)}
    assert sound[0] in ids
    assert sound[1] not in ids
    shop.sweep()
    Rounds().look(shop.bench())
    assert shop.failed() == set()
    words = {game: verdict.verdict for game, verdict in verdicts.every(shop.work).items()}
    assert words[sound[0]] == "ok"
    assert {game for game, word in words.items() if word == "ok"} == {sound[0]}
    assert set(words) == ids
    assert sum(word == "bad" for word in words.values()) >= SHOWN
    audits.sweep(shop.bench())
    assert shop.waiting() == [f"receipts-{sound[0]}"], "no damage is audited again and again"
    shop.close()


def test_a_freeze_marker_that_cannot_be_read_stops_no_other_game(store: RedisStore, sound: tuple[str, str]) -> None:
    games = Games(store, IDENTITY, Clock(), Csprng())
    other, _ = played(games, resign=False)
    store.client.set(keys.frozen(other), b"\xff")
    store.freeze(other, FrozenGame(1, "", ""))
    assert sweep(games, [other, *sound]).over == (sound[0],)
