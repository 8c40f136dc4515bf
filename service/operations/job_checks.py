"""What the doctor looks at in the work that can wait: its server, its queue, and the verdicts on finished games."""

from collections.abc import Callable, Iterator
from typing import Final

from redis.exceptions import RedisError

from events.redis_client import address, connect
from service.base.clock import Clock
from service.base.settings import WORK_URL, BadSetting
from service.jobs.status import Numbers, numbers

LATE_MS: Final = 5 * 60 * 1000
"""A job that waits longer has nobody to do it."""

Row = tuple[str, bool, str, str]
"""A name, whether it is in order, what was found, and the remedy."""


def checks(work_url: Callable[[], str], clock: Clock) -> Iterator[Row]:
    """Every check; it never raises for what it finds.

    `work_url` returns the address of the work server, or raises `BadSetting`.
    """
    try:
        url = work_url()
        with connect(url) as work:
            found = numbers(work)
    except BadSetting as error:
        yield "work server", False, str(error), "mend that variable"
        return
    except RedisError as error:
        yield "work server", False, f"{address(url)} does not answer: {type(error).__name__}", f"start it, or mend {WORK_URL}"
        return
    yield _jobs(found)
    yield _verdicts(found, clock)


def _jobs(found: Numbers) -> Row:
    late = found.oldest > LATE_MS
    oldest = f", the first for {found.oldest // 1000} s" if found.waiting else ""
    remedy = "run `trickbook worker`, or serve without --no-worker" if late else (
        "the log of the worker says why; what failed is listed for a day"
    )  # fmt: skip
    return "jobs", not late and not found.failed, f"{found.waiting} waiting{oldest}; {found.failed} failed", remedy


def _verdicts(found: Numbers, clock: Clock) -> Row:
    swept = found.swept
    if swept is None:
        return "verdicts", True, "no sweep has looked at the finished games yet", ""
    seconds = max(0, clock.now() - swept.at) // 1000
    text = f"{swept.bad} bad, {swept.missing} missing of {swept.finished} finished games, {seconds} s ago"
    return "verdicts", not swept.bad, text, "`trickbook games --verdict bad` names the games, `trickbook audit` what is wrong"
