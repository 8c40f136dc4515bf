"""The schedule: RQ's cron asks for the jobs of a table in code, each so many seconds after the last time.

Several schedulers at once do no harm: a job that waits is not asked for twice, and every job may run twice.
"""

import threading
import time
from collections.abc import Mapping
from typing import Any, Final

import structlog
from redis.exceptions import RedisError
from rq import cron_scheduler_registry
from rq.cron import CronJob, CronScheduler
from rq.exceptions import SchedulerNotFound

from service.jobs.job_table import SCHEDULE
from service.jobs.queue import Jobs
from service.jobs.queued_job import QUEUE

_LOOK_SECONDS: Final = 1.0
_HEARTBEAT_SECONDS: Final = 30.0

log = structlog.get_logger("trickbook.jobs")


class Every(CronJob):
    """A job without ids that is asked for every so many seconds, by a clock that nobody sets."""

    def __init__(self, jobs: Jobs, name: str, seconds: float) -> None:
        super().__init__(QUEUE, func_name=name, name=name, interval=max(1, round(seconds)))
        self._jobs = jobs
        self._seconds = seconds
        self._due = time.monotonic()

    def should_run(self) -> bool:
        """Whether its time has come; the first time is at once."""
        return time.monotonic() >= self._due

    def set_enqueue_time(self, time: Any) -> None:
        """Notes that it was asked for, for whoever looks at RQ's schedulers, and when it is due again."""
        super().set_enqueue_time(time)
        self._due = _later(self._seconds)

    def enqueue(self, connection: Any) -> Any:
        """Asks for it unless it waits."""
        self._jobs.enqueue(self.func_name)


class Scheduler(CronScheduler):
    """RQ's scheduler in a thread: no signals, no sleep that cannot be ended, and a server that is away is waited for."""

    def __init__(self, jobs: Jobs, connection: Any, schedule: Mapping[str, float] = SCHEDULE) -> None:
        """`schedule` has names of the table and seconds."""
        super().__init__(connection)
        self._cron_jobs = [Every(jobs, name, seconds) for name, seconds in schedule.items()]
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cron", daemon=True)

    def start(self) -> None:
        """Begins; returns at once."""
        self._thread.start()

    def stop(self, seconds: float = 3.0) -> None:
        """Ends it; returns when it has ended, or after so many seconds where the server does not answer."""
        self._stopping.set()
        self._thread.join(seconds)

    def _run(self) -> None:
        beat = 0.0
        while not self._stopping.is_set():
            try:
                if self.enqueue_jobs():
                    self.save()
                if time.monotonic() >= beat:
                    self.heartbeat()
                    cron_scheduler_registry.cleanup(self.connection)
                    beat = _later(_HEARTBEAT_SECONDS)
            except RedisError as error:
                log.warning("work_server_unreachable", reason=type(error).__name__)
            self._stopping.wait(_LOOK_SECONDS)
        try:
            self.register_death()
        except (RedisError, SchedulerNotFound):
            log.debug("cron_ended_silently")


def _later(seconds: float) -> float:
    return time.monotonic() + seconds
