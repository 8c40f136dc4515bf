"""Disputes over HTTP: a seat opens one, both players and the operator read it with its report, the operator settles it."""

from flask import Blueprint, Response, current_app

from events.log import load
from projections.audit import from_commits
from service.games import dispute_reports, results
from service.games.handler import MoveRequest
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused
from service.games.report_store import Reports
from service.games.results import Reader, viewer_of
from service.http import request_reader, responses
from service.http.routes import imported
from service.http.schemas import dispute_bodies

blueprint = Blueprint("disputes", __name__)


def _reports() -> Reports:
    found: Reports = current_app.extensions["trickbook.reports"]
    return found


def _party(live: LoadedGame) -> Reader:
    """Who is asking, one of the three a dispute concerns. Raises `Refused` (`unauthorized`)."""
    who = request_reader.reader(live.table)
    if who == "spectator":
        raise Refused("unauthorized", "disputes are read by the two players and the operator: Authorization: Bearer <token>")
    return who


def _number(text: str, live: LoadedGame) -> int:
    """The dispute of the address. Raises `Refused` (`no_such_dispute`)."""
    known = {str(dispute.n): dispute.n for dispute in live.table.open.disputes}
    if text not in known:
        raise Refused("no_such_dispute", f"this game has no dispute {text[:10]!r}: it has {len(known)}")
    return known[text]


@blueprint.post("/v1/games/<game>/disputes")
@imported.or_imported(imported.not_ours)
def dispute(game: str) -> Response:
    """A seat says that the score is wrong."""
    raw = request_reader.raw_body()
    seat = request_reader.seat_of(request_reader.live_game(game).table)
    body = request_reader.body_of(raw)
    key = request_reader.idempotency_key(required=True)
    assert key is not None
    asked = MoveRequest(key, {"dispute": body}, request_reader.if_match())
    found = request_reader.games().dispute(game, seat, asked, lambda: dispute_bodies.dispute(body))
    if not found.replayed:
        current_app.extensions["trickbook.ask_report"](game, found.body["dispute"]["n"])
    return responses.answer(found)


@blueprint.get("/v1/games/<game>/disputes")
@imported.or_imported(imported.not_ours)
def disputes(game: str) -> Response:
    """Every dispute of a game, without the reports."""
    live = request_reader.live_game(game)
    _party(live)
    events = [load(stored) for commit in request_reader.games().log(game) for stored in commit.events]
    o = live.table.open
    found = [results.dispute(one, results.note_of(events, one.n)) for one in o.disputes]
    return responses.json({"game": game, "version": o.version, "disputes": found})


@blueprint.get("/v1/games/<game>/disputes/<n>")
@imported.or_imported(imported.not_ours)
def one(game: str, n: str) -> Response:
    """One dispute and the report on it."""
    live = request_reader.live_game(game)
    who = _party(live)
    number = _number(n, live)
    source = from_commits(game, [commit for commit in request_reader.games().log(game) if commit.seq <= live.at.version])
    events = [load(stored) for stored in source.events]
    shown = results.dispute(live.table.open.disputes[number - 1], results.note_of(events, number))
    report = dispute_reports.for_viewer(request_reader.games(), _reports(), source, number, viewer_of(who))
    return responses.json({"game": game, "version": live.at.version, "dispute": shown, "report": report})


@blueprint.post("/v1/games/<game>/disputes/<n>/settlement")
@imported.or_imported(imported.not_ours)
def settlement(game: str, n: str) -> Response:
    """The operator's word on a dispute."""
    raw = request_reader.raw_body()
    live = request_reader.live_game(game)
    if _party(live) != "operator":
        raise Refused("not_allowed", "disputes are settled by the operator")
    body = request_reader.body_of(raw)
    key = request_reader.idempotency_key(required=True)
    assert key is not None
    number = _number(n, live)
    asked = MoveRequest(key, {"dispute": number, "settlement": body}, request_reader.if_match())
    return responses.answer(request_reader.games().settle(game, number, asked, lambda: dispute_bodies.settlement(body)))
