"""The app factory: everything the API needs is handed in, so that a test gives its own store, clock and settings."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import structlog
from flask import Flask, Response, g, request
from flask_limiter import Limiter, RateLimitExceeded
from prometheus_client.core import GaugeMetricFamily
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from events.feed import Lag
from events.store import Unreachable
from service.base.settings import Settings
from service.games.answer_cache import AnswerCache
from service.games.handler import Games
from service.games.refusals import Refused
from service.games.report_store import NoReports, Reports
from service.games.tail_cache import TailCache
from service.http import problems, request_reader
from service.http.client_address import client_address
from service.http.connection_slots import ConnectionSlots
from service.http.lanes import LanePlan, slots
from service.http.openapi.operations import QUERIES
from service.http.request_reader import MAX_BODY
from service.http.routes import (
    about,
    assets,
    audits,
    disputes,
    docs,
    kept_receipts,
    lists,
    metrics,
    pages,
    play,
    review,
)
from service.http.routes.metrics import Gauges
from service.operations.store_state import Concern
from service.readmodels.lists import Lists

_LIMITER_PATIENCE: Final[dict[str, str | int]] = {"socket_timeout": 1, "socket_connect_timeout": 1}
"""Seconds: a work server that hangs holds up a create no longer."""

log = structlog.get_logger("trickbook.web")


def _no_gauges() -> Iterator[GaugeMetricFamily]:
    """Nothing is watched."""
    return iter(())


def _ask_nobody(game: str, n: int) -> None:
    """Reports are made when they are read."""


def create_app(
    games: Games,
    settings: Settings,
    *,
    limiter_url: str = "memory://",
    ready: Callable[[], str] = lambda: "memory",
    concerns: Callable[[], Sequence[Concern]] = tuple,
    kept_lists: Lists | None = None,
    gauges: Gauges = _no_gauges,
    lag: Callable[[], dict[str, Lag | None]] = dict,
    reports: Reports | None = None,
    ask_report: Callable[[str, int], None] = _ask_nobody,
) -> Flask:
    """The WSGI app. `limiter_url` is where creates are counted; `ready` answers with the durability or raises `Unreachable`;
    `concerns` are what threatens the games of the store;
    `kept_lists` are the lists over many games, None where nobody keeps any, `gauges` what
    the operator watches, `lag` how far each read model is behind, `reports` those on disputes, and
    `ask_report` asks for one of a game by its number."""
    app = Flask("trickbook", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY + 1  # what does not say its length is cut there, and found too large
    app.url_map.strict_slashes = False
    app.extensions["trickbook.games"] = games
    app.extensions["trickbook.settings"] = settings
    app.extensions["trickbook.ready"] = ready
    app.extensions["trickbook.concerns"] = concerns
    app.extensions["trickbook.gauges"] = gauges
    app.extensions["trickbook.lag"] = lag
    app.extensions["trickbook.lists"] = kept_lists
    app.extensions["trickbook.reports"] = reports or NoReports()
    app.extensions["trickbook.ask_report"] = ask_report
    app.extensions["trickbook.answers"] = AnswerCache()
    app.extensions["trickbook.news"] = TailCache(games)
    app.extensions["trickbook.places"] = ConnectionSlots(slots(settings.threads), settings.waits_per_address)
    app.extensions["trickbook.lanes"] = LanePlan(settings.threads, settings)
    for module in (play, lists, review, audits, disputes, kept_receipts, about, docs, metrics, pages, assets):
        app.register_blueprint(module.blueprint)
    _limit_creates(app, settings, limiter_url)
    _handle_errors(app)
    app.before_request(_start)
    app.before_request(_require_known_query)
    app.after_request(_finish)
    return app


def _limit_creates(app: Flask, settings: Settings, url: str) -> None:
    """Only creating is limited; the limiter being out of reach never stops a game."""
    limiter = Limiter(
        lambda: client_address(request, settings.trusted_proxies),
        storage_uri=url,
        storage_options=_LIMITER_PATIENCE,
        swallow_errors=True,
        enabled=settings.create_limit > 0,
        key_prefix="trickbook",
    )
    limiter.init_app(app)
    app.extensions["trickbook.limiter"] = limiter  # its decorators hold it by a weak reference only
    limited = limiter.limit(f"{max(settings.create_limit, 1)} per minute")
    views: dict[str, Any] = app.view_functions
    views["play.create"] = limited(views["play.create"])


def _handle_errors(app: Flask) -> None:
    @app.errorhandler(Refused)
    def refused(error: Refused) -> Response:
        return problems.refused(error)

    @app.errorhandler(Unreachable)
    def unreachable(error: Unreachable) -> Response:
        log.error("store_unreachable", reason=str(error))
        return problems.problem(
            "store_unreachable", "the store did not answer, so it is not known whether this was done: repeat with the same key"
        )

    @app.errorhandler(RateLimitExceeded)
    def limited(error: RateLimitExceeded) -> Response:
        return problems.problem("too_many_requests", f"at most {error.limit.limit}; wait a little", {"Retry-After": "60"})

    @app.errorhandler(HTTPException)
    def other(error: HTTPException) -> Response:
        if isinstance(error, NotFound):
            return pages.fault(error) or problems.problem("not_found", "there is nothing at this address")
        if isinstance(error, MethodNotAllowed):
            allowed = ", ".join(sorted(set(error.valid_methods or ()) - {"OPTIONS", "HEAD"}))
            return problems.problem("method_not_allowed", f"this address takes {allowed}", {"Allow": allowed})
        code = {413: "too_large", 415: "wrong_media_type"}.get(error.code or 0, "bad_request")
        return problems.problem(code, error.description or "the request cannot be read")

    @app.errorhandler(Exception)
    def fault(error: Exception) -> Response:
        log.exception("fault", route=_route())
        return problems.problem("internal", "Internal error. It has been logged")


def _route() -> str:
    """The route's pattern: never the path itself, which may hold what does not belong in a log."""
    return request.url_rule.rule if request.url_rule else "unknown"


def _start() -> None:
    g.started = time.perf_counter()


def _require_known_query() -> Response | None:
    """The API refuses what it does not know; the pages do not, for links to them are shared with marks of others. A token is
    refused everywhere."""
    if "token" in request.args and not request.path.startswith("/v1/"):
        return pages.failure(400, f"{request_reader.IN_ADDRESS} Take ?token=… out of the address, and open it again.")
    if request.args and request.url_rule is not None and request.path.startswith("/v1/"):
        method = "get" if request.method == "HEAD" else request.method.lower()
        request_reader.require_known_query(QUERIES.get((method, request.url_rule.rule), frozenset()))
    return None


def _finish(response: Response) -> Response:
    response.headers.setdefault("Cache-Control", "private, no-store")
    response.headers.setdefault("Vary", "Authorization")
    response.headers["X-Content-Type-Options"] = "nosniff"
    took = round((time.perf_counter() - g.started) * 1000, 1) if "started" in g else None
    log.debug("request", method=request.method, route=_route(), status=response.status_code, ms=took)
    return response
