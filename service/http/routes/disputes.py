"""Disputes over HTTP: a seat opens one, both players and the operator read it with its report, the operator settles it."""

from functools import partial

import msgspec
from flask import Blueprint, Response, current_app

from events.cards import SEATS
from events.log import load
from projections.audience import Viewer
from projections.audit import from_commits
from projections.replay.unnamed import named
from service.games import access, dispute_decider, dispute_reports, results
from service.games.commands import OpenDispute, SettleDispute
from service.games.loaded_game import LoadedGame
from service.games.report_store import Reports
from service.games.results import Reader, viewer_of
from service.http import request_reader, responses
from service.http.answers import Disputes, Reported
from service.http.routes import imported
from service.http.schemas import dispute_bodies

blueprint = Blueprint("disputes", __name__)


def _reports() -> Reports:
    found: Reports = current_app.extensions["trickbook.reports"]
    return found


def _party(live: LoadedGame) -> Reader:
    """Who is asking, one of the three a dispute concerns. Raises `Refused` (`unauthorized`)."""
    return access.party(live.table, request_reader.credentials())


@blueprint.post("/v1/games/<game>/disputes")
@imported.or_imported(imported.not_ours)
def dispute(game: str) -> Response:
    """A seat says that the score is wrong."""
    request = request_reader.of_move()
    loaded = request_reader.loaded_game(game)
    done = request_reader.games().handle(loaded, OpenDispute(dispute_bodies.dispute), request)
    if not done.replayed:
        current_app.extensions["trickbook.ask_report"](game, len(done.after.open.disputes))
    return responses.disputed(done)


@blueprint.get("/v1/games/<game>/disputes")
@imported.or_imported(imported.not_ours)
def disputes(game: str) -> Response:
    """Every dispute of a game, without the reports."""
    live = request_reader.live_game(game)
    _party(live)
    events = [load(stored) for commit in request_reader.games().log(game) for stored in commit.events]
    o = live.table.open
    found = tuple(results.dispute(one, results.note_of(events, one.n)) for one in o.disputes)
    return responses.json(Disputes(game, o.version, found))


@blueprint.get("/v1/games/<game>/disputes/<n>")
@imported.or_imported(imported.not_ours)
def one(game: str, n: str) -> Response:
    """One dispute and the report on it."""
    live = request_reader.live_game(game)
    viewer = viewer_of(_party(live))
    number = dispute_decider.number(live.table.open, n)
    key = ("dispute", game, live.at.head, viewer, number)
    names = {seat: live.table.open.player(seat).name for seat in SEATS}
    tag = responses.answer_tag(live.at.version, live.at.head.hex(), viewer, *names.values())
    made = partial(request_reader.answers().get, key, partial(_reported, live, number, viewer), len)
    return responses.conditional(tag, lambda: named(made(), names), storable=False)


def _reported(live: LoadedGame, number: int, viewer: Viewer) -> bytes:
    games = request_reader.games()
    source = from_commits(live.game, games.upto(live))
    events = [load(stored) for stored in source.events]
    shown = results.dispute(live.table.open.disputes[number - 1], results.note_of(events, number))
    report = msgspec.Raw(dispute_reports.for_viewer(games, _reports(), source, number, viewer))
    return msgspec.json.encode(Reported(live.game, live.at.version, shown, report))


@blueprint.post("/v1/games/<game>/disputes/<n>/settlement")
@imported.or_imported(imported.not_ours)
def settlement(game: str, n: str) -> Response:
    """The operator's word on a dispute."""
    request = request_reader.of_move()
    loaded = request_reader.loaded_game(game)
    return responses.disputed(
        request_reader.games().handle(loaded, SettleDispute(dispute_bodies.settlement, dispute=n), request)
    )
