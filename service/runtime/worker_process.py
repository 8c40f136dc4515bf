"""The process that does jobs: worker and schedule on the store that the environment names, until SIGTERM."""

import os
from collections.abc import Mapping
from typing import Final

from events.redis_client import connect
from service.base.clock import SystemClock
from service.base.entropy import Csprng
from service.base.logs import configure_logging
from service.base.process_ends import ending
from service.games.handler import Games
from service.house.house_player import HousePlayer
from service.http.schemas import bodies
from service.jobs.job_context import JobContext
from service.jobs.queue import Jobs
from service.jobs.schedule import Scheduler
from service.jobs.work_loop import work_until_stopped
from service.jobs.worker import quieten
from service.runtime.compose import data_directory, open_identity, open_store, work_url
from service.runtime.history import History

_NICE: Final = 5  # moves come first


def run(environment: Mapping[str, str]) -> None:
    """Does jobs until SIGTERM, or until a job was interrupted: then it is to be started again.

    Raises what the settings, the store or the secrets are wrong with, in one sentence.
    """
    ending.follow_signals()
    os.nice(_NICE)
    configure_logging(environment)
    quieten()
    data = data_directory(environment)
    with open_store(environment, data) as opened:
        if opened.embedded is not None:
            opened.embedded.watch()
        history = History(data, opened)
        history.watch()
        url = work_url(environment, opened)
        work, clock = connect(url), SystemClock()
        jobs = Jobs(work)
        games = Games(opened.store, open_identity(environment, data, opened.store), clock, Csprng())
        history.keep(games)
        scheduler = Scheduler(jobs, work)
        scheduler.start()
        try:
            house = HousePlayer(games, bodies.move)
            work_until_stopped(JobContext(opened.store, games, work, clock, jobs.enqueue, house.attend), jobs, url)
        finally:
            scheduler.stop()
            history.high_water.stop()
