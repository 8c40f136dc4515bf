"""``/metrics``: gauges for the operator in the Prometheus text format, each read when it is asked for.

They tell of the whole service, not of the process that answers; nothing in them comes from a sealed part.
"""

from collections.abc import Callable, Iterator

from flask import Blueprint, Response, current_app
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from service.http import request_reader

Gauges = Callable[[], Iterator[GaugeMetricFamily]]

blueprint = Blueprint("metrics", __name__)


class _Read(Collector):
    def __init__(self, gauges: Gauges) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from self._gauges()


@blueprint.get("/metrics")
def metrics() -> Response:
    """The gauges, for the operator alone."""
    request_reader.operator("metrics are for the operator: send its token as Authorization: Bearer <token>")
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Read(current_app.extensions["trickbook.gauges"]))
    return Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)
