"""Building a read model anew: byte for byte the same, beside games that go on, and from wherever it was interrupted."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from events import keys
from events.feed import Feed
from events.redis_store import RedisStore
from projections.across.models import GAMES, LADDER, MODELS, Model
from projections.across.row import read
from service.readmodels import rebuild as rebuilding
from service.readmodels.follower import Follower
from service.readmodels.keepers import Pace, keep
from service.readmodels.model_store import Generation, ReadModelStore, Serving, group
from service.readmodels.rebuild import needed, rebuild
from tests.following.many import announce, logs, put
from tests.kit.waiting import eventually


def _fields(books: ReadModelStore, model: Model, number: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for part in model.parts:
        found |= books.load(model, number, part).fields
    return found


def _number(books: ReadModelStore, model: Model) -> int:
    now = books.serving(model).now
    assert now is not None
    return now.number


def _left(store: RedisStore, model: Model) -> set[int]:
    """The generations there is anything of: hashes and groups."""
    names = {name.decode() for name in store.client.keys(f"trickbook:{{*}}:model:{model.name}:*")}
    groups = {one["name"].decode() for part in keys.PARTS for one in store.client.xinfo_groups(keys.feed(part))}
    held = {int(name.rsplit(":", 1)[1]) for name in names}
    return held | {int(name.split(".")[1]) for name in groups if name.startswith(f"{model.name}.")}


def test_rebuilt_from_2000_games_it_equals_the_live_one_whose_ends_came_shuffled(
    store: RedisStore, books: ReadModelStore
) -> None:
    games = logs(2000, 1)
    chance = random.Random(1)
    for model in MODELS:
        rebuild(store, books, model)
    live = [Follower(store, books, model, 1, "live") for model in MODELS]
    order = [(game, len(commits) - 1) for game, commits in games.items()]
    put(store, *((game, commits[:-1]) for game, commits in games.items()))
    chance.shuffle(order)
    for begin in range(0, len(order), 250):
        piece = order[begin : begin + 250]
        put(store, *((game, games[game][last:]) for game, last in piece))
        announce(store, [(game, games[game][-1].seq) for game, _ in piece])
        for follower in live:
            while follower.round(1):
                pass
    for model in MODELS:
        before = _fields(books, model, 1)
        told: list[tuple[int, int]] = []
        found = rebuild(store, books, model, lambda done, of, told=told: told.append((done, of)))
        assert (found.games, found.different, found.switched) == (2000, (), True)
        assert _fields(books, model, _number(books, model)) == before
        assert told[0] == (0, 2000)
        assert told[-1] == (2000, 2000)
        assert _left(store, model) == {_number(books, model)}
    assert len(before) == 2010  # every game and every player


@pytest.mark.parametrize("model", MODELS)
def test_a_dry_run_compares_and_changes_nothing(store: RedisStore, books: ReadModelStore, model: Model) -> None:
    games = logs(20, 2)
    put(store, *games.items())
    rebuild(store, books, model)
    game = next(iter(games))
    name = keys.model(model.name, 1, model.part(game))
    wrong = msgspec.structs.replace(read(store.client.hget(name, model.field(game))), hands=99)
    store.client.hset(name, model.field(game), wrong.data())
    found = rebuild(store, books, model, dry_run=True)
    assert found.different == (model.field(game),)
    assert not found.switched
    assert books.serving(model) == Serving(now=Generation(1, model.version))
    assert _left(store, model) == {1}
    assert rebuild(store, books, model).switched
    assert rebuild(store, books, model, dry_run=True).different == ()
    begun = books.serving(model)
    books.switch(model, begun, msgspec.structs.replace(begun, next=Generation(9, model.version)))
    with pytest.raises(rebuilding.Underway, match="trickbook rebuild"):
        rebuild(store, books, model, dry_run=True)


STEPS = ["_begin", "_fill", "_compare", "clean"]


@pytest.mark.parametrize("step", [*STEPS, "switch", "save", "remove"])
def test_interrupted_anywhere_the_old_one_serves_and_the_next_run_finishes(
    store: RedisStore, books: ReadModelStore, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = logs(30, 3)
    put(store, *games.items())
    rebuild(store, books, GAMES)
    before = _fields(books, GAMES, 1)
    owner: object = rebuilding if step in STEPS else books
    real = getattr(owner, step)
    calls = 0

    def killed(*args: object, **kwargs: object) -> object:
        """The process ends just after the step has been taken."""
        nonlocal calls
        calls += 1
        real(*args, **kwargs)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, step, killed)
    with pytest.raises(KeyboardInterrupt):
        rebuild(store, books, GAMES)
    assert calls == 1
    monkeypatch.undo()
    serving = books.serving(GAMES)
    assert serving.now is not None
    assert _fields(books, GAMES, serving.now.number) == before or step == "remove"
    found = rebuild(store, books, GAMES)
    assert found.switched
    assert _fields(books, GAMES, _number(books, GAMES)) == before
    assert _left(store, GAMES) == {_number(books, GAMES)}


def test_games_go_on_while_it_is_built_and_followers_take_the_new_one(store: RedisStore, books: ReadModelStore) -> None:
    first, second = logs(60, 4), logs(60, 5)
    put(store, *first.items())
    keepers = keep(store, books, pace=Pace(block=5, pause=0.01))
    try:
        eventually(lambda: all(books.serving(model).now for model in MODELS))

        def go_on() -> None:
            for game, commits in second.items():
                announce(store, [(game, commits[-1].seq)])
                put(store, (game, commits))

        player = threading.Thread(target=go_on)
        player.start()
        for _ in range(3):
            for model in MODELS:
                rebuild(store, books, model)
        player.join()
        for model in MODELS:
            eventually(
                lambda model=model: (
                    {model.field(game) for game in first | second} <= set(_fields(books, model, _number(books, model)))
                )
            )
            feed = Feed(store, group(model, _number(books, model)))
            eventually(lambda feed=feed: feed.lag().announcements == 0)
    finally:
        for keeper in keepers:
            keeper.end()
            keeper.join(5)


def test_another_version_of_a_model_asks_to_be_built_and_the_old_one_serves_until_then(
    store: RedisStore, books: ReadModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = logs(10, 6)
    put(store, *games.items())
    rebuild(store, books, LADDER)
    assert not needed(books, LADDER)
    books.switch(LADDER, books.serving(LADDER), Serving(now=Generation(1, LADDER.version - 1)))
    assert needed(books, LADDER)
    keepers = keep(store, books, pace=Pace(block=5, pause=0.01))
    try:
        eventually(lambda: books.serving(LADDER).now == Generation(2, LADDER.version))
    finally:
        for keeper in keepers:
            keeper.end()
            keeper.join(5)
    assert len(LADDER.rows(_fields(books, LADDER, 2))) == 10


def test_a_newer_version_than_ours_is_left_alone(store: RedisStore, books: ReadModelStore) -> None:
    books.switch(GAMES, Serving(), Serving(now=Generation(7, GAMES.version + 1)))
    keepers = keep(store, books, pace=Pace(block=5, pause=0.01, trim=0.01))
    try:
        eventually(lambda: books.serving(LADDER).now)
        assert books.serving(GAMES).now == Generation(7, GAMES.version + 1)
        assert group(GAMES, 7) not in {one["name"].decode() for one in store.client.xinfo_groups(keys.feed("00"))}
    finally:
        for keeper in keepers:
            keeper.end()
            keeper.join(5)


def test_of_many_that_build_at_once_some_switch_and_both_end_well(store: RedisStore, books: ReadModelStore) -> None:
    games = logs(100, 7)
    put(store, *games.items())
    rebuild(store, books, GAMES)
    with ThreadPoolExecutor(3) as pool:
        built = list(pool.map(lambda _: rebuild(store, ReadModelStore(store), GAMES), range(6)))
    assert any(one.switched for one in built)
    assert all(one.different == () for one in built)
    assert _left(store, GAMES) == {_number(books, GAMES)}
    found = rebuild(store, books, GAMES, dry_run=True)
    assert (found.games, found.different) == (100, ())
