"""What an operator watches, as gauges: games by status, how far followers are behind, how durable the store is."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily

from service.following.books import Books
from service.following.lag import lags
from service.lists.lists import Lists
from service.lists.query import counts
from service.opening import OpenStore


def gauges(opened: OpenStore, books: Books, lists: Lists) -> Iterator[GaugeMetricFamily]:
    """Every gauge with its value now. Raises `Unreachable`."""
    games = GaugeMetricFamily("trickbook_games", "Games by status; disputed ones are counted again.", labels=["status"])
    for status, number in counts(lists.mirror.rows()).items():
        games.add_metric([status], number)
    yield games
    yield GaugeMetricFamily("trickbook_players_rated", "Players on the ladder.", value=len(lists.mirror.standings()))
    behind = GaugeMetricFamily("trickbook_follower_announcements", "Announcements not acknowledged yet.", labels=["model"])
    oldest = GaugeMetricFamily("trickbook_follower_oldest_seconds", "Age of the oldest of them.", labels=["model"])
    built = GaugeMetricFamily("trickbook_model_built", "Whether the read model is there.", labels=["model"])
    for model, lag in lags(opened.store, books).items():
        built.add_metric([model], float(lag is not None))
        if lag is not None:
            behind.add_metric([model], lag.announcements)
            oldest.add_metric([model], lag.oldest / 1000)
    yield from (behind, oldest, built)
    durable = GaugeMetricFamily("trickbook_durability", "How durable the store is; 1 for what it has.", labels=["kind"])
    durable.add_metric([opened.ready()], 1)
    yield durable
