"""Records from elsewhere over HTTP: the same answers as for our own games, each marked ``imported``, nothing to move."""

from collections.abc import Callable
from functools import wraps
from itertools import islice
from typing import Any, Final

import msgspec
from flask import Response

from events import record
from events.log import BadEvent, NotCanonical, heads, load
from events.record import Record
from events.types import Event
from projections.audit import audit, from_record
from projections.fold import Impossible, fold
from projections.replay.walk import steps
from projections.sheet import sheet
from projections.table import Table, empty
from projections.view import view
from service.games.importing import imported_record
from service.games.refusals import Refused
from service.http import request_reader, responses

HEADER: Final = "Trickbook-Imported"
Render = Callable[..., Response]


def or_imported(render: Render) -> Callable[[Render], Render]:
    """A route that answers for records from elsewhere as well: `render` gets the record where the game is none of ours."""

    def decorate(route: Render) -> Render:
        @wraps(route)
        def answer(game: str, **more: Any) -> Response:
            try:
                return route(game, **more)
            except Refused as refusal:
                found = imported_record(request_reader.games().store, game) if refusal.code == "no_such_game" else None
                if found is None:
                    raise
            response = render(found, **more)
            response.headers[HEADER] = "true"
            return response

        return answer

    return decorate


def read_only(found: Record) -> Response:
    """No move is made in a record."""
    raise Refused("not_allowed", f"game {found.header.game} was imported: it can be read, not played")


def not_ours(found: Record, **more: Any) -> Response:
    """Nobody disputes a record: its disputes are where it was played."""
    raise Refused("not_allowed", f"game {found.header.game} was imported: its score is disputed where it was played")


def _events(found: Record) -> list[Event]:
    try:
        return list(request_reader.games().hidden.events([load(stored) for stored in found.events]))
    except (BadEvent, NotCanonical):
        raise Refused("log_damaged", "this record cannot be read to its end: its audit names the place") from None


def _table(found: Record, events: list[Event]) -> Table:
    try:
        return fold(empty(found.header.game), events)
    except Impossible:
        raise Refused("log_damaged", "this record cannot have happened: its audit names the place") from None


def _marked(body: dict[str, Any]) -> Response:
    return responses.json({**body, "imported": True})


def seen(found: Record) -> dict[str, Any]:
    """The last moment, as anybody may see it. Raises `Refused` (`log_damaged`)."""
    return view(_table(found, _events(found)).open, found.header.head, found.receipt)


def table(found: Record) -> Response:
    """The last moment as an answer."""
    return _marked(seen(found))


def events(found: Record) -> Response:
    """The events as they came."""
    after = request_reader.number("after", 0, 0, 10**9 - 1)
    made = heads(found.header.game, [stored.public for stored in found.events])
    lines = []
    for stored, head in islice(zip(found.events, made, strict=True), after, after + 500):
        line: dict[str, Any] = {"public": msgspec.Raw(stored.public), "head": head.hex()}
        if stored.sealed is not None:
            line["sealed"] = msgspec.Raw(stored.sealed)
        lines.append(line)
    return _marked({"events": lines, "version": len(found.events)})


def scoresheet(found: Record) -> Response:
    """The scored hands as recorded."""
    known = _events(found)
    return _marked(sheet(known, _table(found, known)))


def told(found: Record) -> list[Any]:
    """The steps of a record."""
    try:
        return steps(found.header.game, _events(found))
    except Impossible:
        raise Refused("log_damaged", "this record cannot have happened: its audit names the place") from None


def portable(found: Record) -> Response:
    """The record as it came, byte for byte."""
    return Response(record.write(found), content_type=responses.NDJSON)


def audited(found: Record) -> Response:
    """Its audit, open to anybody: a record holds what its giver wanted to show."""
    return _marked(msgspec.to_builtins(audit(from_record(found))))
