"""What an operator watches, as gauges: games by status, verdicts, how far followers and jobs are behind, durability."""

from collections.abc import Iterator
from functools import partial

from prometheus_client.core import GaugeMetricFamily
from redis.exceptions import RedisError

from events.store import Unreachable
from service.jobs.status import numbers
from service.operations.open_store import OpenStore
from service.readmodels.lag import lags
from service.readmodels.lists import Lists
from service.readmodels.model_store import ReadModelStore
from service.readmodels.queries import counts


def gauges(opened: OpenStore, books: ReadModelStore, lists: Lists) -> Iterator[GaugeMetricFamily]:
    """Every gauge with its value now; where the server for work is away, what can be told without it.

    Raises `Unreachable` where the store itself is away."""
    durable = GaugeMetricFamily("trickbook_durability", "How durable the store is; 1 for what it has.", labels=["kind"])
    durable.add_metric([opened.ready()], 1)
    yield durable
    frozen = len(opened.store.frozen_games())
    yield GaugeMetricFamily("trickbook_games_frozen", "Games whose history was lost.", value=float(frozen))
    try:
        found = [*_lists(lists), *_followers(opened, books), *_work(books)]
    except (Unreachable, RedisError):
        found = []
    yield GaugeMetricFamily("trickbook_work_server_up", "Whether the server for work answers.", value=float(bool(found)))
    yield from found


def _lists(lists: Lists) -> Iterator[GaugeMetricFamily]:
    """Games and players."""
    games = GaugeMetricFamily("trickbook_games", "Games by status; disputed ones are counted again.", labels=["status"])
    for status, number in counts(lists.mirror.rows()).items():
        games.add_metric([status], number)
    yield games
    yield GaugeMetricFamily("trickbook_players_rated", "Players on the ladder.", value=len(lists.mirror.standings()))


def _followers(opened: OpenStore, books: ReadModelStore) -> Iterator[GaugeMetricFamily]:
    """How far they are behind."""
    behind = GaugeMetricFamily("trickbook_follower_announcements", "Announcements not acknowledged yet.", labels=["model"])
    oldest = GaugeMetricFamily("trickbook_follower_oldest_seconds", "Age of the oldest of them.", labels=["model"])
    built = GaugeMetricFamily("trickbook_model_built", "Whether the read model is there.", labels=["model"])
    for model, lag in lags(opened.store, books).items():
        built.add_metric([model], float(lag is not None))
        if lag is not None:
            behind.add_metric([model], lag.announcements)
            oldest.add_metric([model], lag.oldest / 1000)
    yield from (behind, oldest, built)


def _work(books: ReadModelStore) -> Iterator[GaugeMetricFamily]:
    """The jobs, and what the last sweep saw of the verdicts."""
    found = books.server.ask(partial(numbers, books.server.client))
    jobs = GaugeMetricFamily("trickbook_jobs", "Jobs by what has become of them.", labels=["state"])
    jobs.add_metric(["waiting"], found.waiting)
    jobs.add_metric(["failed"], found.failed)
    yield jobs
    yield GaugeMetricFamily("trickbook_jobs_oldest_seconds", "How long the first job waits.", value=found.oldest / 1000)
    if found.swept is not None:
        swept = found.swept
        yield GaugeMetricFamily("trickbook_verdicts_bad", "Finished games whose audit found something.", value=swept.bad)
        yield GaugeMetricFamily("trickbook_verdicts_missing", "Finished games not audited yet.", value=swept.missing)
        yield GaugeMetricFamily("trickbook_sweep_timestamp_seconds", "When verdicts were counted.", value=swept.at / 1000)
