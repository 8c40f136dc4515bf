"""The job of the sweep, as the worker does it each minute."""

from collections.abc import Iterator

import pytest

from events.redis_store import RedisStore
from projections.table import Result
from service.base.clock import SystemClock
from service.jobs.handlers import clocks
from service.jobs.handlers.clocks import Rounds
from service.jobs.job_context import JobContext
from service.jobs.job_table import SCHEDULE, TABLE
from tests.clocks.tables import DAY, Earlier, Table, games_on
from tests.kit.servers import Servers


@pytest.fixture
def old(servers: Servers) -> Iterator[Earlier]:
    store = Earlier(servers.start().url)
    store.ago = DAY
    yield store
    store.close()


def bench_on(url: str) -> JobContext:
    store = RedisStore(url)
    return JobContext(store, games_on(store), store.client, SystemClock(), lambda name, *ids: True)


def test_it_is_asked_for_every_minute_and_takes_no_ids() -> None:
    assert SCHEDULE["clocks"] == 60
    assert TABLE["clocks"].accepts(())
    assert not TABLE["clocks"].accepts(("0" * 16,))


def test_it_ends_what_is_over_and_may_run_again_and_at_once(old: Earlier) -> None:
    tables = [Table(games_on(old), turn_seconds=60) for _ in range(3)]
    bench = bench_on(old.url)
    for _ in range(2):
        TABLE["clocks"].run(bench)
        Rounds().look(bench)
    for table in tables:
        assert table.result == Result("timed_out", "south", "north")
        assert table.ends() == 1
    bench.store.close()


def test_a_game_seen_over_is_not_looked_at_again_and_one_that_goes_on_is(old: Earlier, monkeypatch: pytest.MonkeyPatch) -> None:
    over, on = Table(games_on(old), turn_seconds=60), Table(games_on(old), turn_seconds=14 * 24 * 3600)
    bench, rounds = bench_on(old.url), Rounds()
    rounds.look(bench)
    rounds.look(bench)
    asked: list[list[str]] = []
    monkeypatch.setattr(bench.store, "ends", lambda games: asked.append(list(games)) or iter(()))
    rounds.look(bench)
    assert asked == [[on.game]]
    assert over.result is not None
    bench.store.close()


def test_a_round_that_takes_too_long_ends_by_itself(old: Earlier, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(games_on(old), turn_seconds=60)
    monkeypatch.setattr(clocks, "SECONDS", -1.0)
    bench = bench_on(old.url)
    Rounds().look(bench)
    assert table.result is None
    bench.store.close()
