"""The WSGI app of a web worker, made from the environment alone: the composition root of the running service."""

import os
from collections.abc import Mapping
from functools import partial
from typing import Final

from flask import Flask

from service.base import settings
from service.base.clock import SystemClock
from service.base.entropy import Csprng
from service.base.logs import configure_logging
from service.base.process_ends import ending
from service.games.handler import Games
from service.games.report_store import RedisReports
from service.house.house_player import HousePlayer
from service.http.app import create_app
from service.http.schemas import bodies
from service.jobs.report_request import AskReport
from service.operations.gauges import gauges
from service.operations.store_state import StoreState
from service.readmodels.lag import lags
from service.readmodels.lists import Lists
from service.runtime.compose import connect_work, data_directory, open_books, open_identity, open_store, work_url
from service.runtime.history import History

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
    history = History(data, opened)
    history.watch()
    identity = open_identity(environment, data, opened.store)
    games = Games(opened.store, identity, SystemClock(), Csprng())
    state = StoreState(opened)
    games.new_game_objection = state.new_game_objection
    history.keep(games)
    ending.call(opened.store.wake_all)  # who waits for news must not hold up the end
    games.noticed = HousePlayer(games, bodies.move).notice
    limiter = work_url(environment, opened).replace("unix://", "redis+unix://", 1)
    books = open_books(environment, opened, patience=_LIST_SECONDS)
    work = connect_work(environment, opened, answer=_LIST_SECONDS)
    lists = Lists(opened.store, books, identity)
    app = create_app(
        games,
        chosen,
        limiter_url=limiter,
        ready=opened.ready,
        concerns=lambda: (*state.concerns(), *history.concerns()),
        kept_lists=lists,
        gauges=partial(gauges, opened, books, lists),
        lag=partial(lags, opened.store, books),
        reports=RedisReports(work),
        ask_report=AskReport(work),
    )
    app.extensions["trickbook.store"] = opened
    ending.call(history.high_water.stop)
    return app
