"""The sweep: what nobody claims, what nobody touches any more, what the house forgot; once, whoever else is at it."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from events import keys
from events.cards import Seat, other
from events.memory import MemoryStore
from events.redis_store import RedisStore
from events.store import FrozenGame
from projections.table import Result
from service.games import moves
from service.games.overdue import ending, sweep
from service.games.overdue_scan import ABANDONED_MS, Glance, glances
from service.games.refusals import Refused
from service.house.house_player import HousePlayer
from service.http.schemas import bodies
from tests.clocks.tables import DAY, IDENTITY, MINUTE, Between, Earlier, Hand, Table, games_on, timed_store
from tests.kit.servers import Servers


@pytest.fixture
def clock() -> Hand:
    return Hand()


def test_the_one_on_turn_loses_in_every_phase_and_the_end_is_the_houses(clock: Hand) -> None:
    store = timed_store(clock)
    seen = set()
    for count in (0, 1, 2, 3, 28, 29, 30, 31, 40):
        table = Table(games_on(store), turn_seconds=60).play(count, seed=count)
        turn, phase = table.turn, table.open.phase
        seen.add((phase, turn))
        clock.time = table.limit
        assert sweep(table.games, [table.game]).timed_out == (table.game,)
        assert table.result == Result("timed_out", other(turn), turn)
        assert table.last_by()["seat"] == "house"
        assert table.ends() == 1
    assert {phase for phase, _ in seen} >= {"draft", "bidding", "play"}
    assert {turn for _, turn in seen} == {"north", "south"}


def test_a_game_without_a_limit_never_times_out_and_is_abandoned_after_thirty_days(clock: Hand) -> None:
    table = Table(games_on(timed_store(clock))).play(3)
    clock.time = table.open.at + ABANDONED_MS - 1
    assert ending(table.open, clock.time) is None
    assert sweep(table.games, [table.game]).abandoned == ()
    clock.time += 1
    turn = table.turn
    assert sweep(table.games, [table.game]).abandoned == (table.game,)
    assert table.result == Result("abandoned", None, turn)
    assert table.ends() == 1


def test_a_table_nobody_joined_is_abandoned_by_nobody(clock: Hand) -> None:
    for rules in ({}, {"turn_seconds": 5}):
        table = Table(games_on(timed_store(clock), clock), join=False, **rules)
        clock.time += ABANDONED_MS - DAY
        assert sweep(table.games, [table.game]).abandoned == ()
        clock.time += 2 * DAY
        assert sweep(table.games, [table.game]).abandoned == (table.game,)
        assert table.result == Result("abandoned")
        assert table.ends() == 1


def test_a_move_touches_a_game_for_another_thirty_days(clock: Hand) -> None:
    table = Table(games_on(timed_store(clock), clock))
    clock.time += ABANDONED_MS - 1
    table.play(1)
    clock.time += ABANDONED_MS - 1
    assert sweep(table.games, [table.game]).abandoned == ()


def test_two_sweeps_one_after_the_other_and_a_restart_between_end_a_game_once(clock: Hand) -> None:
    store = timed_store(clock)
    table = Table(games_on(store), turn_seconds=60)
    clock.time = table.limit
    assert sweep(games_on(store), store.games()).timed_out == (table.game,)
    log = store.everything(table.game)
    for process in (table.games, games_on(store)):
        clock.time += DAY
        assert sweep(process, store.games()).timed_out == ()
    assert store.everything(table.game) == log


def test_a_second_sweep_that_saw_the_same_place_finds_its_own_commit_there(clock: Hand) -> None:
    """Both decide before either writes: the key follows from the place, so the later one gets the first one's answer."""
    store = Between(clock.now)
    table = Table(games_on(store), turn_seconds=60)
    clock.time = table.limit
    first: list[Any] = []

    def other_sweep() -> None:
        clock.time += 7
        first.append(sweep(games_on(store), [table.game]))

    store.before = other_sweep
    assert sweep(games_on(store), [table.game]).timed_out == (table.game,)
    assert first[0].timed_out == (table.game,)
    assert table.ends() == 1
    assert table.open.at == clock.time


@pytest.mark.parametrize(("move", "reason"), [(moves.Look(), None), (moves.Resign(), "resigned")])
def test_a_move_that_comes_first_stands_and_the_sweep_loses_cleanly(clock: Hand, move: moves.Move, reason: str | None) -> None:
    store = Between(clock.now)
    table = Table(games_on(store), turn_seconds=60)
    clock.time = table.limit + 5
    store.before = lambda: table.move(move, "north")
    assert sweep(games_on(store), [table.game]).timed_out == ()
    assert store.before is None
    assert (table.result.reason if table.result else None) == reason
    if reason is None:
        assert table.limit == clock.time + MINUTE
    assert table.ends() == (reason is not None)


def test_a_claim_that_comes_first_stands(clock: Hand) -> None:
    store = Between(clock.now)
    table = Table(games_on(store), turn_seconds=60)
    clock.time = table.limit
    store.before = table.claim
    assert sweep(games_on(store), [table.game]).timed_out == ()
    assert table.last_by()["seat"] == "south"
    assert table.ends() == 1


def test_claims_moves_and_sweeps_at_once_on_a_real_store_end_each_game_once(redis_url: str) -> None:
    old = Earlier(redis_url)
    old.ago = DAY
    tables = [Table(games_on(old), turn_seconds=60) for _ in range(15)]
    stores = [RedisStore(redis_url) for _ in range(4)]
    processes = [games_on(store) for store in stores]
    with ThreadPoolExecutor(4) as pool:
        for table in tables:
            ready = threading.Barrier(4)

            def attempt(act: Callable[[], object], ready: threading.Barrier = ready) -> str:
                ready.wait(10)
                try:
                    act()
                except Refused as refusal:
                    return refusal.code
                return "done"

            acts: list[Callable[[], object]] = [
                lambda table=table: table.move(moves.ClaimTimeout(), "south", on=processes[0]),
                lambda table=table: table.move(moves.Look(), "north", on=processes[1]),
                lambda table=table: sweep(processes[2], [table.game]),
                lambda table=table: sweep(processes[3], [table.game]),
            ]
            claimed, moved, *swept = pool.map(attempt, acts)
            assert swept == ["done", "done"]
            assert moved in ("done", "game_over")
            assert claimed in ("done", "game_over", "no_timeout")
            o = processes[0].live(table.game).table.open
            if moved == "done" and o.result is None:
                assert claimed == "no_timeout"
            else:
                assert o.result == Result("timed_out", "south", "north")
            assert table.ends() <= 1
    for store in (*stores, old):
        store.close()


def test_idle_games_are_not_read_through(clock: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    store = timed_store(clock)
    games = games_on(store, clock)
    for _ in range(3):
        Table(games).play(4)
        Table(games, turn_seconds=3600).play(4)
        Table(games, join=False)
        Table(games, brought=("north",))
        Table(games).move(moves.Resign(), "north")
    clock.time += 3_600_000 - 1
    monkeypatch.setattr(MemoryStore, "read", None)
    assert sweep(games_on(store), store.games()).timed_out == ()


def test_a_damaged_and_a_frozen_game_stop_no_other(servers: Servers) -> None:
    redis_url = servers.start().url
    old = Earlier(redis_url)
    old.ago = DAY
    damaged, strange, frozen, good = (Table(games_on(old), turn_seconds=60).play(3) for _ in range(4))
    entries = old.client.xrange(keys.stream(damaged.game))
    old.client.xdel(keys.stream(damaged.game), entries[2][0])
    old.client.xadd(keys.stream(strange.game), {"not": "ours"}, id="99-0")
    live = frozen.games.live(frozen.game)
    old.freeze(frozen.game, FrozenGame(live.at.version, live.at.head.hex(), "{}"))
    store = RedisStore(redis_url)
    swept = sweep(games_on(store), [damaged.game, strange.game, "0" * 16, frozen.game, good.game])
    assert swept.timed_out == (good.game,)
    assert good.ends() == 1
    for each in (store, old):
        each.close()


# The house ------------------------------------------------------------------------------------------------------------


def test_the_house_sits_down_and_moves_where_nobody_looks(clock: Hand) -> None:
    games = games_on(timed_store(clock), clock)
    house = HousePlayer(games, bodies.move)
    table = Table(games, opponent="house")
    assert table.open.phase == "waiting"
    clock.time += 19_999
    assert sweep(games, [table.game], house.attend).asked == ()
    clock.time += 1
    assert sweep(games, [table.game], house.attend).asked == (table.game,)
    assert (table.open.phase, table.turn) == ("draft", "north")
    table.move(moves.Look())
    table.move(moves.Keep())
    assert table.turn == "south"
    clock.time += 30_000
    sweep(games, [table.game], house.attend)
    assert table.turn == "north"
    version = table.open.version
    clock.time += 30_000
    sweep(games, [table.game], house.attend)
    assert table.open.version == version


def test_the_house_is_asked_less_and_less_about_a_table_its_player_has_left(clock: Hand) -> None:
    games = games_on(timed_store(clock), clock)
    table = Table(games, opponent="house")
    HousePlayer(games, bodies.move).attend(table.game)
    began = clock.time
    asked = []
    for minute in range(1, 3 * 24 * 60):
        clock.time = began + minute * MINUTE
        (glance,) = glances(games.store, IDENTITY, [table.game], clock.time)
        if glance.forgotten:
            asked.append(minute)
    assert asked[:9] == list(range(1, 10))
    assert {10, 20, 40, 80, 160, 320, 640, 1280, 2560} <= set(asked)
    assert len(asked) < 30


def test_a_game_of_two_people_is_not_the_houses(clock: Hand) -> None:
    games = games_on(timed_store(clock), clock)
    table = Table(games, join=False)
    clock.time += MINUTE
    (glance,) = glances(games.store, IDENTITY, [table.game], clock.time)
    assert not glance.forgotten


def test_a_glance_that_does_not_tell_is_folded() -> None:
    """The last event may be none of play: then the fold alone knows whose time runs."""
    glance = Glance("0" * 16, 9, 10, None, ended=False, house=False, told=False)
    assert glance.overdue


def test_a_game_whose_end_only_its_fold_tells_is_over_and_is_said_to_be(clock: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one is in which a dispute followed the end."""
    table = Table(games_on(timed_store(clock)))
    table.move(moves.Resign())
    glance = Glance(table.game, table.open.version, 10, None, ended=False, house=False, told=False)
    monkeypatch.setattr("service.games.overdue.glances", lambda *_: [glance])
    assert sweep(table.games, [table.game]).over == (table.game,)
    assert table.ends() == 1


def test_the_seats_of_two_games_swept_at_once_are_each_their_own(clock: Hand) -> None:
    store = timed_store(clock)
    one, two = (Table(games_on(store), turn_seconds=60) for _ in range(2))
    two.move(moves.Look())
    two.move(moves.Keep())
    clock.time = max(one.limit, two.limit)
    sweep(games_on(store), store.games())
    by: list[Seat | None] = [table.result.by if table.result else None for table in (one, two)]
    assert by == ["north", "south"]
