"""The queue: asking for a job, at most once at a time, and taking the next one out, whatever lies there.

It does no job. RQ's own registries are used where they do not stand in the way of doing again what a dead worker left.
"""

import re
import time
from collections.abc import Mapping
from typing import Any, Final

import redis
import structlog
from redis.exceptions import ResponseError
from rq import Queue
from rq.exceptions import DequeueTimeout, DuplicateJobError, NoSuchJobError
from rq.job import JobStatus
from rq.results import Result
from rq.serializers import JSONSerializer

from service.jobs.job_context import Task
from service.jobs.job_table import TABLE
from service.jobs.queued_job import QUEUE, StrictJob, shown
from service.jobs.times import within

MARGIN_SECONDS: Final = 10
"""How much longer than its time limit a job is left to the worker that took it."""

_ID: Final = re.compile(rb"[A-Za-z0-9_-]{1,80}")

log = structlog.get_logger("trickbook.jobs")


class StrictQueue(Queue):
    """RQ's queue, of jobs of the table."""

    job_class = StrictJob

    def __init__(self, name: str = QUEUE, connection: redis.Redis | None = None, **_: Any) -> None:
        super().__init__(name, connection=connection, serializer=JSONSerializer, job_class=StrictJob)

    @classmethod
    def dequeue_any(  # type: ignore[override]  # there is one queue, and its classes are fixed
        cls, queues: list["StrictQueue"], timeout: int | None, connection: redis.Redis, **_: Any
    ) -> tuple[StrictJob, "StrictQueue"] | None:
        """The next job; what is none is logged and thrown away. Raises `DequeueTimeout`."""
        queue = queues[0]
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise DequeueTimeout(timeout, [queue.key])
            found: Any = cls.lmove(connection, queue.key, None if left is None else max(1, int(left)))
            if found is None:
                return None
            job = queue._job_of(found[1])
            if job is not None:
                return job, queue

    def _job_of(self, raw: bytes) -> StrictJob | None:
        """The job with this id; None, and gone from the server, where there can be none."""
        reason = "its id is none of ours"
        if _ID.fullmatch(raw):
            try:
                return StrictJob.fetch(raw.decode(), connection=self.connection)  # type: ignore[return-value]
            except NoSuchJobError:  # also one that another worker has done since it was asked for again
                reason = "there is nothing under its id"
            except ResponseError:
                reason = "what is under its id is no job"
        log.warning("job_refused", job=shown(raw), reason=reason)
        self.connection.lrem(self.intermediate_queue_key, 0, raw)  # type: ignore[arg-type]  # bytes are as good as text
        return None


class Jobs:
    """Asks for jobs; a job that waits, or that a worker has in hand, is not asked for twice."""

    def __init__(self, connection: redis.Redis, table: Mapping[str, Task] = TABLE, *, margin: float = MARGIN_SECONDS) -> None:
        """`margin` in seconds, see `MARGIN_SECONDS`."""
        self.table = table
        self.queue = StrictQueue(connection=connection)
        self._connection = connection
        self._margin = margin

    def enqueue(self, name: str, *ids: Any) -> bool:
        """Asks for a job of the table; False where it waits already, is in hand, or failed just now.

        A job that its worker left is asked for anew. Raises `KeyError` and `ValueError` for what is not in the table, and
        `redis.exceptions.RedisError`.
        """
        task = self.table[name]
        if not task.accepts(ids):
            raise ValueError(f"the job {name} does not take {ids!r}")
        if self._ask(name, ids):
            return True
        job = job_id(name, *ids)
        if self._stands(job, task):
            return False
        self.forget(job)
        return self._ask(name, ids)

    def forget(self, job: str) -> None:
        """Removes what is known of a job, so that it can be asked for again."""
        with self._connection.pipeline() as pipeline:
            pipeline.delete(StrictJob.key_for(job), Result.get_key(job))  # type: ignore[no-untyped-call]
            pipeline.zrem(self.queue.failed_job_registry.key, job)
            pipeline.lrem(self.queue.key, 0, job)
            pipeline.execute()

    def _ask(self, name: str, ids: tuple[Any, ...]) -> bool:
        job = StrictJob.create(
            name, args=ids, id=job_id(name, *ids), connection=self._connection, description=name, result_ttl=0
        )
        try:
            self.queue.enqueue_job(job, unique=True)
        except DuplicateJobError:
            return False
        return True

    def _stands(self, job: str, task: Task) -> bool:
        """Whether a job that is known will be done without our asking, or has to wait after it failed."""
        names = ("status", "enqueued_at", "started_at", "ended_at")
        found: Any = self._connection.hmget(StrictJob.key_for(job), names)
        status, enqueued, started, ended = found
        match (status or b"").decode(errors="replace"):
            case JobStatus.QUEUED:
                return self._connection.lpos(self.queue.key, job) is not None or within(enqueued, self._margin)
            case JobStatus.STARTED:
                return within(started, task.seconds + self._margin)
            case JobStatus.FAILED:
                return within(ended, task.pause)
        return False


def job_id(name: str, *ids: Any) -> str:
    """The id of a job follows from its name and its ids: letters, digits, - and _."""
    return "-".join((name, *map(str, ids)))
