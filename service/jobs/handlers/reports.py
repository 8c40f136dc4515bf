"""The job that makes the report on a dispute, so that it is there when somebody reads it."""

import structlog

from service.games import dispute_reports
from service.games.report_store import RedisReports
from service.jobs.job_context import JobContext

log = structlog.get_logger("trickbook.jobs")


def report(bench: JobContext, game: str, n: int) -> None:
    """Makes the report on dispute `n` as the log is now and keeps it; one that is not there is left alone."""
    try:
        dispute_reports.make(bench.games, RedisReports(bench.work), game, n)
    except LookupError:
        log.warning("no_such_dispute", game=game, n=n)
