"""Lists over many games: games, players, the ladder (design §4)."""

from flask import Blueprint, Response, current_app, request

from service.base import names
from service.games.refusals import Refused
from service.http import request_reader, responses
from service.readmodels.listed import LadderPage
from service.readmodels.lists import Lists
from service.readmodels.queries import FILTERS, MAX_PAGE, BadCursor, GameQuery

blueprint = Blueprint("lists", __name__)


@blueprint.get("/v1/games")
def games() -> Response:
    """Games that are listed, all of them for the operator; the one made last first."""
    status = request.args.get("status")
    if status is not None and status not in FILTERS:
        raise Refused("bad_parameter", f"status must be one of {', '.join(FILTERS)}")
    wanted = GameQuery(
        status=status,  # type: ignore[arg-type]  # it is one of the filters
        player=_name(request.args["player"]) if "player" in request.args else None,
        after=request.args.get("after"),
        limit=request_reader.number("limit", 50, 1, MAX_PAGE),
        everything=request_reader.is_operator(),
    )
    try:
        return responses.json(_lists().games(wanted))
    except BadCursor as error:
        raise Refused("bad_parameter", f"after: {error}") from None


@blueprint.get("/v1/players/<name>")
def player(name: str) -> Response:
    """A player's standing and figures over rated games, and the games that may be listed."""
    found = _lists().player(_name(name), everything=request_reader.is_operator())
    if found is None:
        raise Refused("no_such_player", "nobody of this name is in a listed or a rated game")
    return responses.json(found)


@blueprint.get("/v1/leaderboard")
def leaderboard() -> Response:
    """Everybody over rated games, the best first."""
    after, limit = request_reader.number("after", 0, 0, request_reader.MOST), request_reader.number("limit", 50, 1, MAX_PAGE)
    everybody = _lists().ladder()
    end = after + limit
    return responses.json(LadderPage(players=tuple(everybody[after:end]), next=end if end < len(everybody) else None))


def _lists() -> Lists:
    found: Lists | None = current_app.extensions.get("trickbook.lists")
    if found is None:
        raise Refused("not_found", "this service keeps no lists")
    return found


def _name(text: str) -> str:
    name = names.entered(text)
    if name is None:
        raise Refused("bad_parameter", f"a player's name has {names.ALLOWED}")
    return name
