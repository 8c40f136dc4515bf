"""Records from elsewhere over HTTP: the same answers as for our own games, each marked ``imported``, nothing to move."""

import hashlib
import io
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from itertools import islice
from typing import Any, Final

import msgspec
import structlog
from flask import Response, request

from events import record
from events.keys import is_game_id
from events.log import heads
from events.record import Record
from events.types import Event
from projections.audit import audit, integrity
from projections.fold import Impossible, fold
from projections.sheet import ScoreSheet, sheet
from projections.table import Open, Table, empty
from projections.view import view
from projections.view_types import View
from service.games.game_review import GameReview, review
from service.games.reading import undamaged
from service.games.refusals import Refused
from service.games.result_types import EventLine
from service.games.stored_logs import imported_log
from service.http import request_reader, responses
from service.http.answers import AuditAnswer, Events

log = structlog.get_logger("trickbook.web")

HEADER: Final = "Trickbook-Imported"
Render = Callable[..., Response]

_READS: Final = ("GET", "HEAD")
_DAMAGED: Final = ("bytes", "chain", "seals")
"""The stages whose findings say that these are not the bytes that were written."""


_TIMES: Final = 8
"""How many times as large as its bytes a record is in memory, about."""


class Elsewhere(msgspec.Struct, frozen=True):
    """A record from elsewhere as the store holds it under a game's id. Nothing in `raw` has been checked."""

    game: str
    raw: bytes

    @property
    def digest(self) -> str:
        """The SHA-256 of its bytes, in hex."""
        return hashlib.sha256(self.raw).hexdigest()


class _Whole(msgspec.Struct, frozen=True):
    """A record that can be read and folded to its end, with the names that are in it."""

    record: Record
    events: list[Event]
    table: Table


def kept(game: str) -> Elsewhere | None:
    """The record that was imported under this id, None where there is none."""
    raw = request_reader.games().store.imported(game) if is_game_id(game) else None
    return None if raw is None else Elsewhere(game, raw)


def or_imported(render: Render) -> Callable[[Render], Render]:
    """A route of a game: `render` gets the record from elsewhere where the game is none of the service's own.

    Whatever a reading route finds damaged in the log is refused as `log_damaged`.
    """

    def decorate(route: Render) -> Render:
        @wraps(route)
        def answer(game: str, **more: Any) -> Response:
            try:
                with undamaged(game) if request.method in _READS else nullcontext():
                    return route(game, **more)
            except Refused as refusal:
                found = kept(game) if refusal.code == "no_such_game" else None
                if found is None:
                    raise
            response = render(found, **more)
            response.headers[HEADER] = "true"
            return response

        return answer

    return decorate


def read_only(found: Elsewhere) -> Response:
    """Raises `Refused`: no move is made in a record."""
    raise Refused("not_allowed", f"game {found.game} was imported: it can be read, not played")


def not_ours(found: Elsewhere, **more: Any) -> Response:
    """Raises `Refused`: the score of a record is disputed where it was played."""
    raise Refused("not_allowed", f"game {found.game} was imported: its score is disputed where it was played")


def _whole(kept: Elsewhere) -> _Whole:
    """The record, read once. Raises `Refused` (`log_damaged`)."""
    key = ("record", kept.game, kept.digest)
    return request_reader.answers().get(key, lambda: _read(kept), lambda _: _TIMES * len(kept.raw))


def _read(kept: Elsewhere) -> _Whole:
    """The record. Raises `Refused` (`log_damaged`) unless its bytes, chain and seals are in order and it can be folded."""
    source = imported_log(kept.game, kept.raw)
    intact = integrity.check(source)
    wrong = next((finding for finding in intact.findings if finding.code.stage in _DAMAGED), None)
    if wrong is not None:
        raise _damaged(kept.game, wrong.message)
    events = list(intact.events)
    try:
        folded = fold(empty(kept.game), events)
    except Impossible as error:
        raise _damaged(kept.game, str(error)) from None
    return _Whole(record.read(io.BytesIO(kept.raw)), events, folded)


def _damaged(game: str, reason: str) -> Refused:
    log.error("record_damaged", game=game, reason=reason)
    return Refused("log_damaged", f"The record of game {game} is damaged. GET /v1/games/{game}/audit names the place")


def _marked(body: View | Events | ScoreSheet) -> Response:
    return responses.json(msgspec.structs.replace(body, imported=True))


def seen(found: Elsewhere) -> View:
    """The last moment, as anybody may see it. Raises `Refused` (`log_damaged`)."""
    whole = _whole(found)
    return view(_shown(whole), whole.record.header.head, whole.record.receipt)


def table(found: Elsewhere) -> Response:
    """The last moment as an answer."""
    return _marked(seen(found))


def events(found: Elsewhere) -> Response:
    """The events as they came."""
    after = request_reader.number("after", 0, 0, 10**9 - 1)
    stored_events = _whole(found).record.events
    made = heads(found.game, [stored.public for stored in stored_events])
    lines = []
    for stored, head in islice(zip(stored_events, made, strict=True), after, after + 500):
        sealed = None if stored.sealed is None else msgspec.Raw(stored.sealed)
        lines.append(EventLine(public=msgspec.Raw(stored.public), sealed=sealed, head=head.hex()))
    return _marked(Events(events=tuple(lines), version=len(stored_events)))


def scoresheet(found: Elsewhere) -> Response:
    """The scored hands as recorded."""
    whole = _whole(found)
    return _marked(sheet(whole.events, whole.table))


def _shown(whole: _Whole) -> Open:
    return request_reader.games().hidden.table(whole.table).open


def reviewed(found: Elsewhere) -> tuple[GameReview, Open]:
    """The review of a record, and its table as it is shown to people."""
    whole = _whole(found)
    key = ("review", found.game, found.digest)
    made = request_reader.answers().get(key, lambda: review(found.game, whole.events), lambda made: made.size)
    return made, _shown(whole)


def portable(found: Elsewhere) -> Response:
    """The record as it came, byte for byte."""
    return Response(record.write(_whole(found).record), content_type=responses.NDJSON)


def audited(found: Elsewhere) -> Response:
    """Its audit, open to anybody: a record holds what its giver wanted to show."""
    tag = responses.answer_tag(0, found.digest)
    made = request_reader.answers().get(("audit", found.game, found.digest), lambda: _audit(found), len)
    return responses.conditional(tag, lambda: made, storable=True)


def _audit(found: Elsewhere) -> bytes:
    judged = audit(imported_log(found.game, found.raw))
    return msgspec.json.encode(AuditAnswer(**msgspec.structs.asdict(judged), imported=True))
