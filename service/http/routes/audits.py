"""The audit of a game over HTTP (design §4), kept by the bytes it judged."""

from collections.abc import Callable

import msgspec
from flask import Blueprint, Response

from events.keys import is_game_id
from projections.audit import Audit, Source, audit, integrity
from service.games.refusals import Refused
from service.games.stored_logs import own_log
from service.http import request_reader, responses
from service.http.request_reader import answers
from service.http.routes import imported

blueprint = Blueprint("audits", __name__)


@blueprint.get("/v1/games/<game>/audit")
@imported.or_imported(imported.audited)
def whole_audit(game: str) -> Response:
    """The audit, also of a log too damaged to be folded: for anyone once play has ended, for the operator before.

    Where a log is damaged, everybody may know the place. The log is read each time, and audited where its bytes are others.
    """
    log = own_log(request_reader.games().store, game) if is_game_id(game) else None
    if log is None:
        raise Refused("no_such_game", f"There is no game {game[:16]} on this service")
    judge: Callable[[Source], Audit | None] = audit
    if not request_reader.is_operator():
        try:
            request_reader.reader(request_reader.live_game(game).table)
        except Refused as refusal:
            if refusal.code not in ("log_damaged", "history_lost"):  # which the audit is to explain
                raise
        if not log.ended:
            judge = _damage
    tag = responses.answer_tag(log.source.length, responses.digest(log.source), judge.__name__)
    return responses.conditional(tag, lambda: _audited(tag, log.source, judge), storable=log.ended)


def _audited(tag: str, source: Source, judge: Callable[[Source], Audit | None]) -> bytes:
    """The audit as JSON. Raises `Refused` (`not_allowed`) where there is none to see yet."""
    found = answers().get(("audit", source.game, tag), lambda: _as_json(judge(source)), len)
    if not found:
        raise Refused("not_allowed", "the audit is open to everybody once play has ended; before, to the operator")
    return found


def _as_json(found: Audit | None) -> bytes:
    return b"" if found is None else msgspec.json.encode(found)


def _damage(source: Source) -> Audit | None:
    """What everybody may know of a log before play has ended: where it is damaged, which tells no card; None without damage."""
    found = tuple(sorted(integrity.check(source).findings, key=lambda finding: finding.version))
    if not found:
        return None
    later = "moves, scores and cards: these are open to everybody once play has ended, before to the operator"
    return Audit("bad", found, ("form, numbers, chain, receipts and seals",), (later,))
