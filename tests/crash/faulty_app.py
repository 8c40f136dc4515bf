"""The service with a planted fault, for checkers to catch; each function is a factory as `run_server` takes one."""

from flask import Flask

from service.http.lanes import LanePlan
from service.operations import store_state
from service.runtime.idle_connections import IdleConnections
from service.runtime.web_process import create_from_environment


def without_deadline() -> Flask:
    """Bodies may take as long as they like."""
    LanePlan.body_seconds = 600.0  # type: ignore[misc]
    IdleConnections.start = lambda *_: None  # type: ignore[method-assign]
    return create_from_environment()


def without_bounds() -> Flask:
    """Any number of idle connections stay."""
    IdleConnections.start = lambda *_: None  # type: ignore[method-assign]
    return create_from_environment()


def without_lanes() -> Flask:
    """Whoever waits shares the threads with those who move, and nobody refuses a wait."""
    app = create_from_environment()
    plan = LanePlan(4)
    plan.max_body = app.extensions["trickbook.lanes"].max_body
    app.extensions["trickbook.lanes"] = plan
    return app


def blind_to_the_store() -> Flask:
    """Nobody looks at how the store is set up and what room it has."""
    store_state.look = lambda opened: ()
    return create_from_environment()
