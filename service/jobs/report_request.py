"""Asking for a report from a request: the queue being out of reach holds nobody up, for the report is made when it is read."""

import redis
import structlog

log = structlog.get_logger("trickbook.jobs")


class AskReport:
    """Asks for the report on a dispute."""

    def __init__(self, work: redis.Redis) -> None:
        self._work = work

    def __call__(self, game: str, n: int) -> None:
        from service.jobs.queue import Jobs  # rq takes its time to import, and few games are disputed

        try:
            Jobs(self._work).enqueue("report", game, n)
        except redis.RedisError as error:
            log.warning("report_not_asked_for", game=game, n=n, reason=type(error).__name__)
