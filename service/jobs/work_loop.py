"""The loop of a worker: jobs until SIGTERM, through every absence of the work server."""

import signal
import time
from types import FrameType
from typing import Final

import structlog
from redis.exceptions import RedisError
from rq.exceptions import StopRequested

from events.redis_client import connect
from service.jobs.job_context import JobContext
from service.jobs.queue import Jobs
from service.jobs.worker import ANSWER_SECONDS, StrictWorker

_AGAIN_SECONDS: Final = (0.5, 1.0, 2.0, 5.0)
"""Pauses between attempts to work while the work server is away; the last one again and again."""

log = structlog.get_logger("trickbook.jobs")


def work_until_stopped(bench: JobContext, jobs: Jobs, url: str) -> None:
    """Works as long as nothing but the work server's absence is in the way."""
    failures = 0
    while True:
        stop_at_sigterm()
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


def stop_at_sigterm() -> None:
    """From now on SIGTERM raises `rq.exceptions.StopRequested` in the main thread."""
    signal.signal(signal.SIGTERM, _stop)


def _stop(signum: int, frame: FrameType | None) -> None:
    raise StopRequested
