"""The follower process: keeps every read model from the feed until SIGTERM, and requests the audit of each game that ends."""

from collections.abc import Mapping

import redis
import structlog
from redis.exceptions import RedisError

from events.redis_client import connect
from projections.across.models import GAMES, Model
from service.base.logs import configure_logging
from service.base.process_ends import ending
from service.readmodels.keepers import Saved, keep
from service.runtime.compose import data_directory, open_books, open_store, work_url

log = structlog.get_logger("trickbook.following")


def run(environment: Mapping[str, str]) -> None:
    """Follows until SIGTERM. Raises what is wrong with the settings or the store, in one sentence."""
    ending.follow_signals()
    configure_logging(environment)
    with open_store(environment, data_directory(environment)) as opened:
        if opened.embedded is not None:
            opened.embedded.watch()
        keepers = keep(opened.store, open_books(environment, opened), saved=_audits(connect(work_url(environment, opened))))
        ending.begin()
        while not ending.wait(3600):
            pass
        for keeper in keepers:
            keeper.end()
        for keeper in keepers:
            keeper.join(2.0)


def _audits(work: redis.Redis) -> Saved:
    """Asks for the audit of a game that has ended; where nobody takes the wish, the sweep finds the game later."""
    from service.jobs.queue import Jobs  # rq takes its time to import

    jobs = Jobs(work)

    def saved(model: Model, changed: Mapping[str, bytes]) -> None:
        if model is not GAMES:
            return
        for game, raw in changed.items():
            if b'"status":"finished"' in raw or b'"status":"damaged"' in raw:
                try:
                    jobs.enqueue("audit", game)
                except RedisError as error:
                    log.warning("work_server_unreachable", reason=type(error).__name__)
                    return

    return saved
