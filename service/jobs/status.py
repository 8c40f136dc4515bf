"""How the work that can wait stands, in numbers, for whoever watches; RQ itself is not needed to know it."""

import time
from typing import Any

import msgspec
import redis

from events import keys
from service.jobs.times import age
from service.jobs.verdicts import VerdictCounts, last_sweep


class Numbers(msgspec.Struct, frozen=True):
    """Jobs that wait and that failed within a day, how long the first of them waits (ms), and what the last sweep saw."""

    waiting: int
    failed: int
    oldest: int
    swept: VerdictCounts | None


def numbers(work: redis.Redis) -> Numbers:
    """The numbers now. Raises `redis.exceptions.RedisError`."""
    with work.pipeline(transaction=False) as pipeline:
        pipeline.llen(keys.JOBS_WAITING)
        pipeline.zcount(keys.JOBS_FAILED, time.time(), "+inf")
        pipeline.lindex(keys.JOBS_WAITING, 0)
        answers: list[Any] = pipeline.execute()
    waiting, failed, first = answers
    since: Any = work.hget(keys.job(first.decode(errors="replace")), "enqueued_at") if first else None
    oldest = max(0, round((age(since) or 0) * 1000))
    return Numbers(waiting, failed, oldest, last_sweep(work))
