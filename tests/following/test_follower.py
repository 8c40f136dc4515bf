"""A follower on a real feed: what is announced is read, saved with its position, and only then acknowledged."""

import random
from collections.abc import Callable

import pytest

from events import keys
from events.feed import STALE_MS, Feed, Gone
from events.redis_store import RedisStore
from events.store import Unreachable
from projections.across.models import GAMES, LADDER, MODELS, Model
from projections.across.row import read
from service.readmodels.follower import Follower
from service.readmodels.mirror import Mirror
from service.readmodels.model_store import Generation, ReadModelStore, Serving, group
from service.readmodels.rebuild import rebuild
from tests.following.many import announce, game_id, logs, put


@pytest.fixture
def follower(store: RedisStore, books: ReadModelStore) -> Callable[..., Follower]:
    def make(model: Model = GAMES, consumer: str = "one", number: int = 1) -> Follower:
        books.switch(model, books.serving(model), Serving(now=Generation(number, model.version)))
        made = Follower(store, books, model, number, consumer)
        made.feed.join()
        return made

    return make


def _fields(books: ReadModelStore, model: Model, number: int = 1) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for part in model.parts:
        found |= books.load(model, number, part).fields
    return found


def _drain(follower: Follower) -> None:
    while follower.round(1):
        pass


@pytest.mark.parametrize("model", MODELS)
def test_what_is_announced_is_saved_and_acknowledged(
    store: RedisStore, books: ReadModelStore, follower: Callable[..., Follower], model: Model
) -> None:
    games = logs(30, 1)
    one = follower(model)
    put(store, *games.items())
    announce(store, [(game, commits[-1].seq) for game, commits in games.items()])
    assert one.feed.lag().announcements == 30
    _drain(one)
    assert one.feed.lag().announcements == 0
    held = _fields(books, model)
    assert {game for game in games if model.field(game) in held} == set(games)
    for game, commits in games.items():
        place = model.place(held, game)
        assert place is not None
        assert (place.version, place.head) == (commits[-1].seq, commits[-1].head)


def test_an_announcement_before_its_commit_waits_for_it(
    store: RedisStore, books: ReadModelStore, follower: Callable[..., Follower]
) -> None:
    ((game, commits),) = logs(1, 2).items()
    one = follower()
    announce(store, [(game, commits[-1].seq)])
    assert one.round(1) == 0
    put(store, (game, commits[:-1]))
    assert one.round(1) == 0
    assert read(_fields(books, GAMES)[game]).status == "running"
    put(store, (game, commits[-1:]))
    assert one.round(1) == 1
    assert read(_fields(books, GAMES)[game]).status == "finished"


def test_an_announcement_whose_commit_never_came_is_let_go_after_a_minute(
    store: RedisStore, follower: Callable[..., Follower]
) -> None:
    game = game_id(random.Random(1))
    one = follower()
    old = store.now() - STALE_MS - 1
    store.client.xadd(keys.feed(keys.partition(game)), {"game": game, "version": 5}, id=f"{old}-0")
    announce(store, [(game, 5)])
    assert one.round(1) == 1
    assert one.feed.lag().announcements == 1


def test_an_entry_of_the_feed_that_is_none_of_ours_is_passed_over(store: RedisStore, follower: Callable[..., Follower]) -> None:
    one = follower()
    for fields in ({"x": "y"}, {"game": "../etc", "version": "1"}, {"game": "0" * 16, "version": "-1"}):
        store.client.xadd(keys.feed("00"), fields)
    assert one.round(1) == 3


def test_what_a_dead_follower_took_another_does(
    store: RedisStore, books: ReadModelStore, follower: Callable[..., Follower]
) -> None:
    games = logs(10, 3)
    put(store, *games.items())
    announce(store, [(game, commits[-1].seq) for game, commits in games.items()])
    dead, other = follower(consumer="dead"), follower(consumer="other")
    assert len(dead.feed.take(100, 1)) == 10  # and never came back
    assert other.round(1) == 0
    assert other.take_over(idle=60_000) == 0
    assert other.take_over(idle=0) == 10
    assert set(_fields(books, GAMES)) == set(games)
    assert other.feed.lag().announcements == 0


@pytest.mark.parametrize("model", MODELS)
def test_a_follower_that_slept_between_reading_and_saving_changes_nothing(
    store: RedisStore, books: ReadModelStore, follower: Callable[..., Follower], model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one goes past it meanwhile; its save is refused, and looking again it finds all done."""
    games = logs(5, 4)
    slow, fast = follower(model, "slow"), follower(model, "fast")
    put(store, *((game, commits[:-1]) for game, commits in games.items()))
    real, slept = books.save, []

    def sleepy(model: Model, number: int, part: str, revision: int, changed: dict[str, bytes]) -> bool:
        if not slept:
            slept.append(part)
            put(store, *((game, commits[-1:]) for game, commits in games.items()))
            fast.bring_up(games)
        return real(model, number, part, revision, changed)

    monkeypatch.setattr(books, "save", sleepy)
    slow.bring_up(games)
    assert slept
    right = _fields(books, model)
    fresh = follower(model, "fresh", 2)
    fresh.compare()
    assert right == _fields(books, model, 2)


def test_games_that_were_never_announced_are_found_by_comparing(
    store: RedisStore, books: ReadModelStore, follower: Callable[..., Follower]
) -> None:
    games = logs(10, 5)
    put(store, *games.items())
    one = follower()
    assert one.compare() == 10
    assert one.compare() == 0
    assert set(_fields(books, GAMES)) == set(games)


def test_a_log_that_was_replaced_by_an_older_copy_is_read_from_its_start(
    store: RedisStore, books: ReadModelStore, follower: Callable[..., Follower]
) -> None:
    ((game, commits),) = logs(1, 6).items()
    one = follower()
    put(store, (game, commits))
    one.bring_up([game])
    store.client.delete(keys.stream(game))
    put(store, (game, commits[:1]))
    one.bring_up([game])
    assert read(_fields(books, GAMES)[game]).status == "open"


def test_a_damaged_log_is_shown_as_damaged_and_holds_up_no_other(
    store: RedisStore, books: ReadModelStore, follower: Callable[..., Follower]
) -> None:
    games = logs(3, 7)
    bad, *good = games
    put(store, *games.items())
    store.client.xadd(keys.stream(bad), {"nonsense": "1"}, id="999-0")
    announce(store, [(bad, 999), *((game, games[game][-1].seq) for game in good)])
    one = follower()
    one.round(1)
    held = _fields(books, GAMES)
    assert read(held[bad]).status == "damaged"
    assert {read(held[game]).status for game in good} == {"finished"}


def test_the_feed_is_trimmed_below_what_every_group_has_acknowledged(
    store: RedisStore, follower: Callable[..., Follower]
) -> None:
    games = logs(40, 8)
    put(store, *games.items())
    announce(store, [(game, commits[-1].seq) for game, commits in games.items()])
    one, two = follower(GAMES), follower(LADDER)
    _drain(one)
    one.feed.trim()
    assert sum(store.client.xlen(keys.feed(part)) for part in keys.PARTS) == 40
    _drain(two)
    two.feed.trim()
    assert sum(store.client.xlen(keys.feed(part)) for part in keys.PARTS) <= keys.PARTITIONS
    assert two.feed.lag().announcements == 0


def test_lag_counts_what_nobody_took_and_what_is_in_hand(store: RedisStore, follower: Callable[..., Follower]) -> None:
    one = follower()
    ids = [(game_id(random.Random(n)), 5) for n in range(6)]
    old = store.now() - 5000
    store.client.xadd(keys.feed("03"), {"game": "3" * 16, "version": 5}, id=f"{old}-0")
    announce(store, ids)
    assert one.feed.lag().announcements == 7
    assert 5000 <= one.feed.lag().oldest < 60_000
    one.feed.take(3, 1)
    assert one.feed.lag().announcements == 7
    assert Feed(store, "nobody").lag().announcements == 7


def test_a_group_that_was_removed_is_said_to_be_gone(store: RedisStore, follower: Callable[..., Follower]) -> None:
    one = follower()
    one.feed.leave()
    with pytest.raises(Gone):
        one.round(1)
    one.feed.leave()


def test_consumers_that_went_away_are_forgotten(store: RedisStore, follower: Callable[..., Follower]) -> None:
    one = follower(consumer="one")
    announce(store, [("0" * 16, 1)])
    follower(consumer="gone").feed.take(10, 1)
    one.take_over(idle=0)
    one.feed.forget_consumers(idle=-1)
    names = {c["name"] for c in store.client.xinfo_consumers(keys.feed("00"), group(GAMES, 1))}
    assert names == {b"one"}


def test_a_store_that_does_not_answer_is_said_so(servers: "object", books: ReadModelStore) -> None:
    gone = RedisStore("unix:///nowhere/s", patience=0.1)
    with pytest.raises(Unreachable):
        Follower(gone, books, GAMES, 1, "one").round(1)
    gone.close()


def test_the_mirror_shows_what_serves_and_follows_a_switch(
    store: RedisStore, books: ReadModelStore, follower: Callable[..., Follower]
) -> None:
    mirror = Mirror(books)
    assert mirror.rows() == []
    assert mirror.standings() == {}
    games = logs(12, 9)
    put(store, *games.items())
    for model in MODELS:
        follower(model).compare()
    rows = mirror.rows()
    assert {row.game for row in rows} == set(games)
    assert [row.created for row in rows] == sorted((row.created for row in rows), reverse=True)
    assert sum(one.games for one in mirror.standings().values()) == 24
    more = logs(1, 10)
    put(store, *more.items())
    for model in MODELS:
        rebuild(store, books, model)
    assert {row.game for row in mirror.rows()} == set(games) | set(more)
    assert sum(one.games for one in mirror.standings().values()) == 26


def test_the_ladder_leaves_out_games_that_are_frozen(
    store: RedisStore, books: ReadModelStore, follower: Callable[..., Follower]
) -> None:
    frozen: set[str] = set()
    mirror, games = Mirror(books, lambda: frozenset(frozen)), logs(3, 9)
    put(store, *games.items())
    follower(LADDER).compare()
    assert sum(one.games for one in mirror.standings().values()) == 6
    frozen.add(min(games))
    assert sum(one.games for one in mirror.standings().values()) == 4
    frozen.clear()
    assert sum(one.games for one in mirror.standings().values()) == 6
