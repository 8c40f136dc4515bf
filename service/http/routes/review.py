"""Looking at a game afterwards, or as far as one may: score sheet, replay, explanation, record, audit (design §4)."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from flask import Blueprint, Response, request

from events import record
from events.keys import is_game_id
from events.log import Commit, load
from events.types import Event
from projections.audience import Viewer, seen_by
from projections.audit import Audit, Source, audit, integrity
from projections.claims import facts_of
from projections.claims.evidence import explained, grounds
from projections.positions import BadPosition
from projections.replay.step_lookup import events_of, opening, step_at
from projections.replay.walk import Step, steps
from projections.sheet import sheet
from service.games.exporting import record_for
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused
from service.games.results import viewer_of
from service.games.stored_logs import own_log
from service.http import request_reader, responses
from service.http.routes import imported
from service.http.routes.imported import Elsewhere

blueprint = Blueprint("review", __name__)


def _ended(live: LoadedGame) -> bool:
    return live.table.open.ended


def _read(game: str) -> tuple[LoadedGame, Viewer, tuple[Commit, ...]]:
    live = request_reader.live_game(game)
    return live, viewer_of(request_reader.reader(live.table)), request_reader.games().log(game)


def _seen(live: LoadedGame, viewer: Viewer, commits: tuple[Commit, ...]) -> list[Event]:
    loaded = (load(stored) for commit in commits for stored in commit.events)
    shown = request_reader.games().hidden.events(tuple(loaded))
    return [seen_by(event, viewer, ended=_ended(live)) for event in shown]


@blueprint.get("/v1/games/<game>/scoresheet")
@imported.or_imported(imported.scoresheet)
def scoresheet(game: str) -> Response:
    """Every scored hand with its arithmetic."""
    live, viewer, commits = _read(game)
    return responses.json(sheet(_seen(live, viewer, commits), live.table))


def _imported_replay(found: Elsewhere) -> Response:
    return _replay(found.game, imported.told(found), imported=True)


@blueprint.get("/v1/games/<game>/replay")
@imported.or_imported(_imported_replay)
def replay(game: str) -> Response:
    """The steps of one hand, of the hand a position lies in, or of the whole game; all or those after a version."""
    live, viewer, commits = _read(game)
    return _replay(game, steps(game, _seen(live, viewer, commits)))


def _replay(game: str, found: list[Step], **more: bool) -> Response:
    after = request_reader.number("after", 0, 0, 10**9 - 1)
    answer: dict[str, Any] = {"game": game, "hands": found[-1].hand, "version": found[-1].version}
    hand: int | None = None
    if (position := request.args.get("at")) is not None:
        opened = _at(found, position, opening)
        hand, answer["at"] = opened.hand, opened.version
    elif "hand" in request.args:
        hand = request_reader.number("hand", 0, 0, 1000)
    chosen = [step for step in found if hand in (None, step.hand)]
    if not chosen:
        raise Refused("no_such_position", f"this game has no hand {hand}: it has {found[-1].hand}")
    chosen = [step for step in chosen if step.version > after]
    facts = facts_of(events_of(found))
    answer["steps"] = [data | {"why": data["why"] + grounds(facts, step)} for step in chosen for data in (step.data(),)]
    return responses.json(answer | more)


def _imported_explain(found: Elsewhere, position: str) -> Response:
    return _explain(imported.told(found), position, imported=True)


@blueprint.get("/v1/games/<game>/explain/<position>")
@imported.or_imported(_imported_explain)
def explain(game: str, position: str) -> Response:
    """Why one moment was as it was."""
    live, viewer, commits = _read(game)
    return _explain(steps(game, _seen(live, viewer, commits)), position)


def _explain(found: list[Step], position: str, **more: bool) -> Response:
    return responses.json(explained(facts_of(events_of(found)), _at(found, position, step_at), found[-1]) | more)


def _at(found: list[Step], position: str, chosen: Callable[[Sequence[Step], str], Step]) -> Step:
    try:
        return chosen(found, position)
    except BadPosition as error:
        raise Refused("no_such_position", str(error)) from None


@blueprint.get("/v1/games/<game>/record")
@imported.or_imported(imported.portable)
def portable_record(game: str) -> Response:
    """The portable record: for anyone once play has ended, for a seat before."""
    live, viewer, commits = _read(game)
    if not _ended(live) and viewer == "spectator":
        raise Refused("not_allowed", "the record is open to everybody once play has ended; before, to the two seats")
    raw = record.write(record_for(game, commits, viewer, ended=_ended(live)))
    response = Response(raw, content_type=responses.NDJSON)
    response.headers["Content-Disposition"] = f'attachment; filename="{game}.trickbook.ndjson"'
    return response


@blueprint.get("/v1/games/<game>/audit")
@imported.or_imported(imported.audited)
def whole_audit(game: str) -> Response:
    """The audit, also of a log too damaged to be folded: for anyone once play has ended, for the operator before.

    Where a log is damaged, everybody may know the place.
    """
    log = own_log(request_reader.games().store, game) if is_game_id(game) else None
    if log is None:
        raise Refused("no_such_game", f"There is no game {game[:16]} on this service")
    if not request_reader.is_operator():
        try:
            request_reader.reader(request_reader.live_game(game).table)
        except Refused as refusal:
            if refusal.code not in ("log_damaged", "history_lost"):  # which the audit is to explain
                raise
        if not log.ended:
            return responses.json(msgspec.to_builtins(_damage(log.source)))
    return responses.json(msgspec.to_builtins(audit(log.source)))


def _damage(source: Source) -> Audit:
    """What everybody may know of a log before play has ended: where it is damaged, which tells no card.

    Raises `Refused` (`not_allowed`) where it is not damaged.
    """
    found = tuple(sorted(integrity.check(source).findings, key=lambda finding: finding.version))
    if not found:
        raise Refused("not_allowed", "the audit is open to everybody once play has ended; before, to the operator")
    later = "moves, scores and cards: these are open to everybody once play has ended, before to the operator"
    return Audit("bad", found, ("form, numbers, chain, receipts and seals",), (later,))
