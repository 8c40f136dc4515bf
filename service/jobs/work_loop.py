"""The loop of a worker: jobs until the process is asked to end, through every absence of the work server."""

import os
import time
from typing import Final

import structlog
from redis.exceptions import RedisError

from events.redis_client import connect
from service.base.process_ends import ending
from service.jobs.job_context import JobContext
from service.jobs.queue import Jobs
from service.jobs.worker import ANSWER_SECONDS, StrictWorker

_AGAIN_SECONDS: Final = (0.5, 1.0, 2.0, 5.0)
"""Pauses between attempts to work while the work server is away; the last one again and again."""

_END_SECONDS: Final = 1.5
"""So long a worker without a job has to say farewell to the work server, which may be away."""

log = structlog.get_logger("trickbook.jobs")


def work_until_stopped(bench: JobContext, jobs: Jobs, url: str) -> None:
    """Works as long as nothing but the work server's absence is in the way; ends after the job in hand."""
    failures = 0
    hands = _Hands(url)
    ending.call(hands.drop)
    ending.begin()
    while not ending.is_set():
        begun = time.monotonic()
        try:
            hands.worker = worker = StrictWorker(bench, jobs, connect(url, socket_timeout=ANSWER_SECONDS))
            worker.work(logging_level="WARNING")
            if worker.interrupted:
                return
        except RedisError as error:
            log.warning("work_server_unreachable", reason=type(error).__name__)
        failures = failures + 1 if time.monotonic() - begun < _AGAIN_SECONDS[-1] else 0
        ending.wait(_AGAIN_SECONDS[min(failures, len(_AGAIN_SECONDS) - 1)])


class _Hands:
    """The worker that works now, for the thread that ends it."""

    def __init__(self, url: str) -> None:
        self.worker: StrictWorker | None = None
        self._url = url

    def drop(self) -> None:
        """Ends the wait for a job, and then the process as soon as it has none in hand: whatever keeps the main thread."""
        end = time.monotonic() + _END_SECONDS
        while self.worker is not None and (time.monotonic() < end or self.worker.is_busy):
            if not self.worker.is_busy:
                self._unblock(self.worker)
            time.sleep(0.05)
        os._exit(0)

    def _unblock(self, worker: StrictWorker) -> None:
        if worker.reader is None:
            return
        try:
            with connect(self._url, socket_timeout=_END_SECONDS) as client:
                client.client_unblock(worker.reader)
        except RedisError:
            log.debug("work_server_unreachable")
