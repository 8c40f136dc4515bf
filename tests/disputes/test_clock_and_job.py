"""Disputes beside the clocks and the queue: no deadline moves, no table is kept alive, the report's job may run twice."""

from collections.abc import Iterator

import pytest

from events.keys import reports as reports_key
from events.redis_store import RedisStore
from events.types import DisputeOpened
from projections.hiding import HIDDEN
from projections.replay.unnamed import PLACEHOLDERS, named
from projections.view import deadline
from service.base.clock import SystemClock
from service.games import dispute_reports
from service.games.dispute_requests import NewDispute, Settlement
from service.games.handler import MoveRequest
from service.games.overdue import sweep
from service.games.report_store import NoReports, RedisReports
from service.jobs.job_context import JobContext
from service.jobs.job_table import TABLE
from service.jobs.queue import Jobs
from service.jobs.report_request import AskReport
from tests.clocks.tables import DAY, MINUTE, Hand, Table, games_on, timed_store
from tests.kit.disputes import claim


@pytest.fixture
def clock() -> Hand:
    return Hand()


def dispute(table: Table, key: bytes = b"a dispute") -> None:
    table.games.dispute(table.game, "north", MoveRequest(key, {}), lambda: NewDispute(claim(north=1), None, "Look."))


def test_a_time_runs_out_when_it_would_have_though_a_dispute_came_between(clock: Hand) -> None:
    table = Table(games_on(timed_store(clock)), turn_seconds=60)
    limit = deadline(table.open)
    clock.time += MINUTE - 1
    dispute(table)
    settle = Settlement("rejected", "No.")
    table.games.settle(table.game, 1, MoveRequest(b"a settlement", {}), lambda: settle)
    assert deadline(table.open) == limit
    assert table.open.at == clock.time, "the store's time, not this process's"
    assert sweep(table.games, [table.game]).timed_out == ()
    clock.time += 1
    assert sweep(table.games, [table.game]).timed_out == (table.game,)
    dispute(table, b"another")
    assert sweep(table.games, [table.game]).over == (table.game,)
    assert table.ends() == 1


def test_a_dispute_keeps_no_table_alive(clock: Hand) -> None:
    table = Table(games_on(timed_store(clock), clock))
    clock.time += 29 * DAY
    dispute(table)
    clock.time += DAY - 1
    assert sweep(table.games, [table.game]).abandoned == ()
    clock.time += 1
    assert sweep(table.games, [table.game]).abandoned == (table.game,)


@pytest.fixture
def bench(redis_url: str) -> Iterator[JobContext]:
    store = RedisStore(redis_url)
    yield JobContext(store, games_on(store, SystemClock()), store.client, SystemClock(), lambda name, *ids: True)
    store.close()


def test_the_job_keeps_the_report_and_may_run_twice_and_for_nothing(bench: JobContext) -> None:
    table = Table(bench.games)
    dispute(table)
    task = TABLE["report"]
    assert task.accepts((table.game, 1))
    assert not any(task.accepts(ids) for ids in ((table.game,), (table.game, "1"), ("nobody", 1), (table.game, 0)))
    kept = []
    for _ in range(2):
        task.run(bench, table.game, 1)
        kept.append(RedisReports(bench.work).load(table.game, 1))
    assert kept[0] == kept[1]
    assert kept[0] is not None
    assert kept[0].version == next(event.seq for event in table.events if isinstance(event.data, DisputeOpened))
    task.run(bench, table.game, 2)
    assert bench.work.hlen(reports_key(table.game)) == 1


def test_a_report_is_asked_for_once_while_it_waits(bench: JobContext) -> None:
    table = Table(bench.games)
    jobs = Jobs(bench.work)
    for _ in range(2):
        AskReport(bench.work)(table.game, 1)
    job = f"report-{table.game}-1"
    assert [name for name in jobs.queue.job_ids if name == job] == [job]
    jobs.forget(job)


def test_a_kept_report_has_placeholders_for_names_so_that_it_outlives_a_hidden_one(clock: Hand) -> None:
    table = Table(games_on(timed_store(clock)))
    ask = NewDispute(claim(north=1), "v2", "")
    table.games.dispute(table.game, "north", MoveRequest(b"about v2", {}), lambda: ask)
    name = table.open.north.name
    made = dispute_reports.make(table.games, NoReports(), table.game, 1)
    assert name.encode() not in made
    assert PLACEHOLDERS["north"].encode() in made
    assert named(made, {"north": HIDDEN}).count(HIDDEN.encode()) == named(made, {"north": name}).count(name.encode()) > 0
