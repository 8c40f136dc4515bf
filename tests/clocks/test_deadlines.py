"""When a time runs out (rules.md §8.4): by the store's time, from the last event of play, whatever else happens."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from freezegun import freeze_time

from events.cards import Seat
from events.memory import MemoryStore
from events.redis_store import RedisStore
from projections.table import Result
from service.base.clock import SystemClock
from service.games import moves
from service.games.overdue import sweep
from service.games.refusals import Refused
from tests.clocks.tables import DAY, MINUTE, Earlier, Hand, Off, Table, games_on, timed_store


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def redis(redis_url: str) -> Iterator[RedisStore]:
    store = RedisStore(redis_url)
    yield store
    store.close()


def test_r8_4_a_claim_is_refused_until_the_deadline_and_holds_from_it_on(clock: Hand) -> None:
    for early, late in ((1, None), (None, 0), (None, 1)):
        table = Table(games_on(timed_store(clock)), turn_seconds=60)
        assert table.limit == clock.time + MINUTE
        clock.time = table.limit + (late or 0) - (early or 0)
        if early:
            with pytest.raises(Refused, match="still has 1 s"):
                table.claim()
            assert table.result is None
        else:
            table.claim()
            assert table.result == Result("timed_out", "south", "north")


def test_r8_4_the_sweep_ends_the_game_at_the_deadline_and_not_a_millisecond_before(clock: Hand) -> None:
    table = Table(games_on(timed_store(clock)), turn_seconds=60)
    for off, ended in ((-1, ()), (0, (table.game,))):
        clock.time = table.limit + off
        assert sweep(table.games, table.games.store.games()).timed_out == ended
    assert table.result == Result("timed_out", "south", "north")


@pytest.mark.parametrize("off", [-3_600_000, 3_600_000], ids=["an hour behind", "an hour ahead"])
def test_a_claim_is_judged_by_the_stores_time_whatever_the_processs_clock_says(clock: Hand, off: int) -> None:
    own = Hand(clock.time + off)
    table = Table(games_on(timed_store(clock), own), turn_seconds=60)
    clock.time += MINUTE - 1
    own.time = clock.time + off
    with pytest.raises(Refused, match="still has"):
        table.claim()
    clock.time += 1
    table.claim()
    assert table.result == Result("timed_out", "south", "north")


@pytest.mark.parametrize(("rules", "brought"), [({"turn_seconds": 60}, ()), ({}, ("north",))])
def test_two_processes_ten_seconds_apart_write_the_stores_time_where_a_limit_runs(
    redis: RedisStore, rules: dict[str, int], brought: tuple[Seat, ...]
) -> None:
    slow, fast = games_on(redis, Off(-5_000)), games_on(redis, Off(5_000))
    began = redis.now()
    table = Table(fast, brought=brought, **rules)
    if brought:
        assert table.open.phase == "reveal"
    else:
        table.play(12, on=(slow, fast))
        for process in (slow, fast):
            assert process.live(table.game).table.open.played_at == table.open.played_at
    times = [event.at for event in table.events]
    assert times == sorted(times)
    assert began <= times[0]
    assert times[-1] <= redis.now()


def test_a_game_without_a_limit_goes_by_the_processs_clock_without_a_round_trip(clock: Hand) -> None:
    asked: list[int] = []
    store = MemoryStore(lambda: asked.append(1) or 1)  # type: ignore[func-returns-value]
    table = Table(games_on(store, clock)).play(10)
    assert table.open.at == clock.time
    assert not asked


def test_bytes_once_revealed_the_processs_clock_goes_on(clock: Hand) -> None:
    store = timed_store(clock)
    own = Hand(clock.time + MINUTE)
    table = Table(games_on(store, own), brought=("north",))
    table.move(moves.Reveal("11" * 32))
    assert table.open.at == clock.time
    table.play(1)
    assert table.open.at == own.time


def test_a_claim_of_a_game_that_lies_in_a_real_store_since_yesterday(redis: RedisStore, redis_url: str) -> None:
    old = Earlier(redis_url)
    old.ago = DAY
    table = Table(games_on(old), turn_seconds=60)
    with pytest.raises(Refused, match="still has"):
        table.claim()
    table.claim(on=games_on(redis))
    assert table.result == Result("timed_out", "south", "north")
    assert redis.now() - DAY // 2 < table.open.at <= redis.now()
    assert table.ends() == 1
    old.close()


def test_nothing_but_an_accepted_move_moves_the_deadline(clock: Hand) -> None:
    table = Table(games_on(timed_store(clock)), turn_seconds=60)
    clock.time += 10_000
    table.move(moves.Look(), key=b"first")
    limit = table.limit
    assert limit == clock.time + MINUTE
    clock.time += 10_000
    table.move(moves.Look(), "north", key=b"first")  # repeated: the first answer
    for seat, move in (("north", moves.Bid(3)), ("south", moves.Keep()), ("north", moves.ClaimTimeout())):
        with pytest.raises(Refused):
            table.move(move, seat)
    again = games_on(table.games.store)  # a restart, and a reconnection
    assert again.live(table.game).table.open.played_at == limit - MINUTE
    sweep(again, [table.game])
    assert table.limit == limit
    clock.time = limit
    table.claim(on=again)
    assert table.result == Result("timed_out", "south", "north")


@pytest.mark.parametrize(("rules", "limit"), [({}, DAY), ({"turn_seconds": 60}, MINUTE)])
@pytest.mark.parametrize("by_claim", [True, False])
def test_r8_4_who_owes_a_reveal_has_the_limit_or_24_hours(
    clock: Hand, rules: dict[str, int], limit: int, by_claim: bool
) -> None:
    table = Table(games_on(timed_store(clock)), brought=("north", "south"), **rules)
    assert (table.turn, table.limit) == ("south", clock.time + limit)
    clock.time += 1000
    table.move(moves.Reveal("22" * 32))
    assert (table.turn, table.limit) == ("north", clock.time + limit)
    clock.time = table.limit - 1
    assert sweep(table.games, [table.game]).timed_out == ()
    clock.time += 1
    if by_claim:
        table.claim()
    else:
        assert sweep(table.games, [table.game]).timed_out == (table.game,)
    assert table.result == Result("timed_out", "south", "north")
    assert table.ends() == 1


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
@pytest.mark.parametrize("moment", ["2026-03-29T00:30:00Z", "2026-10-25T00:30:00Z", "2026-11-01T05:30:00Z"])
def test_a_change_of_summer_time_moves_no_deadline(monkeypatch: pytest.MonkeyPatch, zone: str, moment: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        with freeze_time(moment) as frozen:
            table = Table(games_on(MemoryStore(), SystemClock()), turn_seconds=3600)
            assert table.limit == round(datetime.fromisoformat(moment).astimezone(UTC).timestamp() * 1000) + 3_600_000
            frozen.tick(3599)
            with pytest.raises(Refused, match="still has 1 s"):
                table.claim()
            frozen.tick(1)
            table.claim()
            assert table.result == Result("timed_out", "south", "north")
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_clock_set_back_an_hour_lets_nobody_lose_early_and_time_never_goes_back() -> None:
    with freeze_time("2026-06-01T12:00:00Z") as frozen:
        table = Table(games_on(MemoryStore(), SystemClock()), turn_seconds=60)
        limit = table.limit
        frozen.move_to("2026-06-01T11:00:30Z")
        table.move(moves.Look())
        assert table.limit == limit
        with pytest.raises(Refused, match="still has"):
            table.claim()
        assert sweep(table.games, [table.game]).timed_out == ()
        frozen.move_to("2026-06-01T12:01:00Z")
        table.claim()
        times = [event.at for event in table.events]
        assert times == sorted(times)
        assert table.result == Result("timed_out", "south", "north")
