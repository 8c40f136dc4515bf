"""The WSGI app of a web worker, made from the environment alone: the composition root of the running service."""

import os
from collections.abc import Mapping
from functools import partial
from typing import Final

from flask import Flask

from service import settings
from service.clock import SystemClock
from service.disputes.reports import RedisReports
from service.entropy import Csprng
from service.following.lag import lags
from service.following.opening import open_books
from service.games import Games
from service.gauges import gauges
from service.house import House
from service.lists.lists import Lists
from service.logs import configure_logging
from service.opening import data_directory, open_identity, open_store
from service.process import ending
from service.web import schemas
from service.web.app import create_app
from service.work.asking import AskReport
from service.work.opening import connect_work, work_url

_LIST_SECONDS: Final = 1.0  # who asks for a list, or whether we are ready, waits no longer for the server of the lists


def create_from_environment() -> Flask:
    """The app that granian serves. Raises what the settings, the store or the secrets are wrong with, in one sentence."""
    return create(os.environ)


def create(environment: Mapping[str, str]) -> Flask:
    """The app of an environment; it holds the store open as long as the process lives."""
    configure_logging(environment)
    chosen = settings.read(environment)
    data = data_directory(environment)
    opened = open_store(environment, data)
    identity = open_identity(environment, data, opened.store)
    games = Games(opened.store, identity, SystemClock(), Csprng())
    ending.call(opened.store.wake_all)  # who waits for news must not hold up the end
    games.noticed = House(games, schemas.move).notice
    limiter = work_url(environment, opened).replace("unix://", "redis+unix://", 1)
    books = open_books(environment, opened, patience=_LIST_SECONDS)
    work = connect_work(environment, opened, answer=_LIST_SECONDS)
    lists = Lists(opened.store, books, identity)
    app = create_app(
        games,
        chosen,
        limiter_url=limiter,
        ready=opened.ready,
        kept_lists=lists,
        gauges=partial(gauges, opened, books, lists),
        lag=partial(lags, opened.store, books),
        reports=RedisReports(work),
        ask_report=AskReport(work),
    )
    app.extensions["trickbook.store"] = opened
    return app
