"""The pages people open in a browser. They say only what everybody may know; the rest the page's own script asks for.

Nothing here reads a token: it stands in the address behind the ``#``, which no browser sends.
"""

from functools import cache
from typing import Any, Final

import msgspec
from flask import Blueprint, Response, render_template, request
from werkzeug.exceptions import HTTPException

from events.store import Unreachable
from projections.view_types import View
from service.base.version import VERSION
from service.games.refusals import Refused
from service.http import page_summary, problems, request_reader
from service.http.page_summary import Summary
from service.http.routes import about, assets, imported

CSP: Final = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
"""Everything from here, nothing inline, nobody's frame."""

blueprint = Blueprint("pages", __name__, template_folder="../templates")
blueprint.add_app_template_global(assets.address, "asset")


@blueprint.get("/")
def home() -> Response:
    """Start a game, join one, watch one."""
    return _page("home.html", page_summary.HOME, options=_options())


@cache
def _options() -> str:
    """The options of the rules as `GET /v1/rules` has them, so that the form needs no request of its own."""
    return msgspec.json.encode(about.options()).decode()


@blueprint.get("/g/<game>")
def table(game: str) -> Response:
    """The table: for a seat to play at, for everybody else to watch."""
    return _of_game("table.html", game)


@blueprint.get("/g/<game>/replay")
def replay(game: str) -> Response:
    """The game step by step."""
    return _of_game("replay.html", game, "Replay")


@blueprint.get("/g/<game>/score")
def score(game: str) -> Response:
    """The score sheet."""
    return _of_game("score.html", game, "Score sheet")


def _of_game(template: str, game: str, what: str | None = None) -> Response:
    try:
        told = page_summary.of_game(_seen(game))
    except (Refused, Unreachable) as error:
        return _cannot(error)
    return _page(template, told, game=game, what=what)


def _seen(game: str) -> View:
    """The game as everybody may see it, one from elsewhere as well. Raises `Refused`, `Unreachable`."""
    try:
        live = request_reader.live_game(game)
    except Refused as refusal:
        found = imported.kept(game) if refusal.code == "no_such_game" else None
        if found is None:
            raise
        return imported.seen(found)
    return page_summary.public_view(live)


def _cannot(error: Refused | Unreachable) -> Response:
    """A page that says in a sentence why there is no other."""
    if isinstance(error, Unreachable):
        return failure(503, "The store does not answer at the moment. Nothing is lost: open this page again in a little while.")
    return failure(problems.STATUS.get(error.code, 500), error.message[0].upper() + error.message[1:] + ".")


def failure(status: int, sentence: str) -> Response:
    """The page of something that cannot be shown."""
    told = Summary(problems.TITLES.get(status, "Not possible"), sentence)
    return _page("failure.html", told, status, sentence=sentence)


def fault(error: HTTPException) -> Response | None:
    """The page for an address that does not exist, where a person asked; None where a program did."""
    wants = request.accept_mimetypes
    if request.path.startswith(("/v1/", "/static/")) or wants.quality("text/html") <= wants.quality("application/json"):
        return None
    return failure(error.code or 404, "There is nothing at this address.")


def _page(template: str, told: Summary, status: int = 200, **facts: Any) -> Response:
    here = (request_reader.settings().public_url or request.host_url.rstrip("/")) + request.path
    page = render_template(template, told=told, here=here, version=VERSION, **facts)
    response = Response(page, status, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = CSP
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
