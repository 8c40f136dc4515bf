"""The process that does jobs: worker and schedule on the store that the environment names, until SIGTERM."""

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from types import FrameType
from typing import Final

import structlog
from redis.exceptions import RedisError
from rq.exceptions import StopRequested

from events.redis_client import connect
from service.clock import SystemClock
from service.entropy import Csprng
from service.games import Games
from service.logs import configure_logging
from service.opening import data_directory, open_identity, open_store
from service.work.cron import Scheduler
from service.work.opening import work_url
from service.work.queue import Jobs
from service.work.task import Bench
from service.work.worker import ANSWER_SECONDS, StrictWorker, quieten

_AGAIN_SECONDS: Final = (0.5, 1.0, 2.0, 5.0)
"""Pauses between attempts to work while the work server is away; the last one again and again."""

_NICE: Final = 5  # moves come first

log = structlog.get_logger("trickbook.jobs")


def run(environment: Mapping[str, str]) -> None:
    """Does jobs until SIGTERM, or until a job was interrupted: then it is to be started again.

    Raises what the settings, the store or the secrets are wrong with, in one sentence.
    """
    signal.signal(signal.SIGTERM, _stop)
    os.nice(_NICE)
    configure_logging(environment)
    quieten()
    data = data_directory(environment)
    with suppress(StopRequested), open_store(environment, data) as opened:
        if opened.embedded is not None:
            opened.embedded.watch()
        url = work_url(environment, opened)
        work, clock = connect(url), SystemClock()
        jobs = Jobs(work)
        games = Games(opened.store, open_identity(environment, data, opened.store), clock, Csprng())
        scheduler = Scheduler(jobs, work)
        scheduler.start()
        try:
            _work(Bench(opened.store, games, work, clock, jobs.enqueue), jobs, url)
        finally:
            scheduler.stop()


def _work(bench: Bench, jobs: Jobs, url: str) -> None:
    """Works as long as nothing but the work server's absence is in the way."""
    failures = 0
    while True:
        signal.signal(signal.SIGTERM, _stop)
        begun = time.monotonic()
        try:
            worker = StrictWorker(bench, jobs, connect(url, socket_timeout=ANSWER_SECONDS))
            worker.work(logging_level="WARNING")
            if worker.asked_to_stop or worker.interrupted:
                return
        except StopRequested:
            return
        except RedisError as error:
            log.warning("work_server_unreachable", reason=type(error).__name__)
        failures = failures + 1 if time.monotonic() - begun < _AGAIN_SECONDS[-1] else 0
        time.sleep(_AGAIN_SECONDS[min(failures, len(_AGAIN_SECONDS) - 1)])


def _stop(signum: int, frame: FrameType | None) -> None:
    raise StopRequested
