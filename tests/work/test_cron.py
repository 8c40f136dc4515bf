"""The schedule asks again and again, by a clock nobody sets, and several schedulers do no harm."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from rq.cron import CronScheduler

from events import keys
from service.jobs import schedule
from service.jobs.job_table import SCHEDULE, TABLE
from service.jobs.schedule import Every, Scheduler
from tests.kit.servers import Servers
from tests.kit.waiting import eventually
from tests.work.conftest import Shop


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "_LOOK_SECONDS", 0.01)


@contextmanager
def scheduler(shop: Shop, seconds: float) -> Iterator[Scheduler]:
    started = Scheduler(shop.jobs, shop.work, {"sweep": seconds})
    started.start()
    try:
        yield started
    finally:
        started.stop()


def test_what_is_on_the_schedule_is_in_the_table_and_takes_no_ids() -> None:
    for name in SCHEDULE:
        assert TABLE[name].accepts(())


def test_two_schedulers_ask_for_one_job_and_again_when_it_is_done(shop: Shop) -> None:
    with scheduler(shop, 0.02), scheduler(shop, 0.02):
        for _ in range(3):
            eventually(shop.waiting)
            since = time.monotonic()
            eventually(lambda since=since: time.monotonic() > since + 0.1)  # several times due
            assert shop.waiting() == ["sweep"]
            shop.do_all()


def test_a_scheduler_is_known_while_it_runs_and_leaves_when_it_ends(shop: Shop) -> None:
    with scheduler(shop, 60):
        (seen,) = eventually(lambda: CronScheduler.all(shop.work))
        assert [job.func_name for job in seen._cron_jobs] == ["sweep"]
    assert CronScheduler.all(shop.work) == []


def test_a_scheduler_outlives_the_absence_of_its_server(servers: Servers, capfd: pytest.CaptureFixture[str]) -> None:
    server = servers.start()
    shop = Shop(server.url)
    with scheduler(shop, 0.02):
        eventually(shop.waiting)
        server.kill()
        eventually(lambda: "work_server_unreachable" in "".join(capfd.readouterr()))
        server.start()
        eventually(lambda: CronScheduler.all(shop.work))
        shop.jobs.forget("sweep")
        eventually(shop.waiting)
    shop.close()


def test_a_clock_that_is_set_back_does_not_silence_it(shop: Shop) -> None:
    every = Every(shop.jobs, "sweep", 0.0)
    every.set_enqueue_time(datetime(2999, 1, 1, tzinfo=UTC))
    assert every.should_run()
    slow = Every(shop.jobs, "sweep", 60.0)
    assert slow.should_run(), "the first time is at once"
    slow.set_enqueue_time(datetime(1999, 1, 1, tzinfo=UTC))
    assert not slow.should_run()


def test_a_time_in_the_future_does_not_keep_a_job_from_being_asked_for(shop: Shop) -> None:
    for status, field in (("queued", "enqueued_at"), ("started", "started_at"), ("failed", "ended_at")):
        values = {"status": status, field: "2999-01-01T00:00:00.000000Z"}
        shop.work.delete(shop.jobs.queue.key)
        shop.work.hset(keys.job("sweep"), mapping=values)
        assert shop.jobs.enqueue("sweep"), status
