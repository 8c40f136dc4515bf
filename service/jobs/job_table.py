"""Every job there is, by the name it has in the queue, and which of them are asked for again and again.

A name that is not here is refused by the worker, whatever else the queue says.
"""

from collections.abc import Mapping
from typing import Final

from service.jobs.handlers import audits, clocks, reports
from service.jobs.job_context import Task, is_game, is_number

TABLE: Final[Mapping[str, Task]] = {
    "audit": Task(audits.audit, takes=(is_game,), seconds=30, pause=300),
    "receipts": Task(audits.every_receipt, takes=(is_game,), seconds=120, pause=300),
    "sweep": Task(audits.sweep, seconds=60),
    "clocks": Task(clocks.Rounds().look, seconds=60),
    "report": Task(reports.report, takes=(is_game, is_number), seconds=30),
}

SCHEDULE: Final[Mapping[str, int]] = {"sweep": 60, "clocks": 60}
"""Jobs without ids, and the seconds from one asking to the next."""
