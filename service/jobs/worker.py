"""The worker: takes jobs out of the queue and does those that are in the table, one after the other in its own process."""

import logging
from datetime import datetime
from typing import Any, Final

import redis
import structlog
from rq import SimpleWorker
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException
from rq.utils import now
from rq.worker import WorkerStatus

from service.base.process_ends import ending
from service.jobs.job_context import JobContext
from service.jobs.queue import Jobs, StrictQueue
from service.jobs.queued_job import RefusedJob, StrictJob, shown
from service.jobs.tidying import tidy

BLOCK_SECONDS: Final = 20
"""How long it waits for a job in one command."""

ANSWER_SECONDS: Final = BLOCK_SECONDS + 15.0
"""How long a command of its connection may take."""

_LEAST_SECONDS: Final = 20  # for a job that turns out not to be one of the table

log = structlog.get_logger("trickbook.jobs")


class StrictWorker(SimpleWorker):
    """RQ's worker without imports, call-backs, commands by publication, and colours.

    It ends after a job that took too long: the limit interrupts it at any place, and nothing is to go on from there.
    """

    job_class = StrictJob
    queue_class: type[Any] = StrictQueue
    last_cleaned_at: datetime | None  # type: ignore[assignment]  # RQ says None and means this
    max_connection_wait_time = 5.0

    def __init__(self, bench: JobContext, jobs: Jobs, connection: redis.Redis) -> None:
        """`connection` is the worker's own, with `ANSWER_SECONDS`. Raises `RedisError` when the server is not there."""
        self._bench = bench
        self._table = jobs.table
        self.interrupted = False
        self.reader: int | None = None  # the connection that waits for a job, as the server numbers it
        super().__init__(
            [StrictQueue(connection=connection)],
            connection=connection,
            serializer=JSONSerializer,
            worker_ttl=BLOCK_SECONDS + 15,  # RQ takes fifteen seconds off
            default_result_ttl=0,
            maintenance_interval=60,
            log_job_description=False,
        )

    @property
    def is_busy(self) -> bool:
        """Whether it has a job in hand."""
        return self.get_state() == WorkerStatus.BUSY

    @property
    def should_run_maintenance_tasks(self) -> bool:
        """Raises `StopRequested` once the process is to end: RQ asks before it waits for a job, and never after it has one."""
        if ending.is_set():
            raise StopRequested
        return bool(super().should_run_maintenance_tasks)

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        """Shows that it lives, and notes the connection that is about to wait for a job."""
        super().heartbeat(timeout, pipeline)
        self.reader = int(self.connection.client_id())

    def execute_job(self, job: Any, queue: Any) -> None:
        """Does a job, or has it moved to the failed ones."""
        job.hand = self._do
        job.timeout = self._seconds(job)
        super().execute_job(job, queue)

    def _seconds(self, job: StrictJob) -> int:
        try:
            task = self._table.get(job.func_name or "")
        except RefusedJob:
            task = None
        return task.seconds if task is not None else _LEAST_SECONDS

    def _do(self, name: str, ids: tuple[Any, ...]) -> None:
        task = self._table.get(name)
        if task is None:
            raise RefusedJob(f"there is no job {shown(name)}")
        if not task.accepts(ids):
            raise RefusedJob(f"the job {name} does not take {shown(ids)}")
        task.run(self._bench, *ids)

    def handle_exception(self, job: Any, *exc_info: Any) -> None:
        """Writes down why a job failed: a refusal in a line, a fault of ours whole."""
        error = exc_info[1]
        if isinstance(error, RefusedJob):
            log.warning("job_refused", job=shown(job.id), reason=str(error))
            return
        log.error("job_failed", job=shown(job.id), exc_info=exc_info)
        if isinstance(error, JobTimeoutException):
            self.interrupted = self._stop_requested = True

    def run_maintenance_tasks(self) -> None:
        """RQ's own would give up jobs that our sweep asks for again, and stops at an entry that it cannot read."""
        tidy(self.connection)
        self.last_cleaned_at = now()

    def subscribe(self) -> None:
        """Listens to nobody: no command by publication ends it or its jobs."""

    def _install_signal_handlers(self) -> None:
        """A thread takes SIGTERM (`service.base.process_ends.Ending`), and SIGINT is for the parent."""


class ToStructlog(logging.Handler):
    """What RQ logs, as lines of ours."""

    def emit(self, record: logging.LogRecord) -> None:
        level = {logging.CRITICAL: "error", logging.ERROR: "error", logging.WARNING: "warning"}.get(record.levelno, "debug")
        exc_info = record.exc_info if record.exc_info and record.exc_info[0] else None
        getattr(log, level)("rq", said=record.getMessage(), exc_info=exc_info)


def quieten() -> None:
    """Has RQ's loggers write where ours do; before a worker is made, or RQ prints by itself."""
    for name in ("rq.worker", "rq.job", "rq.cron", "rq"):
        found = logging.getLogger(name)
        if not any(isinstance(handler, ToStructlog) for handler in found.handlers):
            found.addHandler(ToStructlog())
        found.propagate = False
