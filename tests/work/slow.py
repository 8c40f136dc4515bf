"""A worker whose audits wait in the middle: says the game, goes on when it is told to. To be killed and stopped."""

import sys
from typing import Any

from service.jobs.handlers import audits
from service.jobs.job_context import Task, is_game
from service.jobs.job_table import TABLE
from tests.work.conftest import Shop


def main() -> None:
    shop = Shop(sys.argv[1])

    def audit(bench: Any, game: str) -> None:
        sys.stdout.write(f"{game}\n")
        sys.stdout.flush()
        sys.stdin.readline()
        audits.audit(bench, game)

    shop.do_all(shop.with_table({**TABLE, "audit": Task(audit, (is_game,), seconds=60)}))


if __name__ == "__main__":
    main()
