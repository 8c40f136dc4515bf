"""Removing what dead workers left in RQ's keys. It gives no job up: the sweeps ask for what was not done."""

import re
import time
from typing import Any, Final

import redis
from rq.worker_registration import clean_worker_registry

from events import keys
from service.jobs.queue import StrictQueue
from service.jobs.times import within

_LEFT_SECONDS: Final = 3600
_ID: Final = re.compile(rb"[A-Za-z0-9_-]+")


def tidy(connection: redis.Redis) -> None:
    """Removes the traces of workers that are gone, of the jobs they had taken out, and of failures a day old."""
    queue = StrictQueue(connection=connection)
    queue.failed_job_registry.cleanup()
    clean_worker_registry(queue)
    connection.zremrangebyscore(queue.started_job_registry.key, 0, time.time())
    left: Any = connection.lrange(queue.intermediate_queue_key, 0, -1)
    for raw in left:
        found: Any = connection.hmget(keys.job(raw.decode()), ("status", "enqueued_at")) if _ID.fullmatch(raw) else (None, None)
        if found[0] != b"queued" or not within(found[1], _LEFT_SECONDS):
            connection.lrem(queue.intermediate_queue_key, 0, raw)
