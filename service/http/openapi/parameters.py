"""The parameters of requests and the headers of answers, each with its pattern."""

from typing import Any, Final

from events.types import GAME_ID
from projections.positions import PATTERN as POSITION
from service.base.names import ALLOWED
from service.base.names import PATTERN as NAME
from service.http import request_reader
from service.readmodels.queries import FILTERS, MAX_PAGE

Parameter = dict[str, Any]
_TAG: Final = r'"[^"\s]{1,120}"'


def _text(name: str, place: str, pattern: str, description: str = "", **more: Any) -> Parameter:
    schema = {"type": "string", "pattern": pattern}
    shown = {"description": description} if description else {}
    return {"name": name, "in": place, "schema": schema, **({"required": True} if place == "path" else {}), **shown, **more}


def _number(name: str, lowest: int, highest: int, description: str) -> Parameter:
    schema = {"type": "integer", "minimum": lowest, "maximum": highest}
    return {"name": name, "in": "query", "schema": schema, "description": description}


GAME: Final = _text("game", "path", GAME_ID)
DISPUTE: Final = _text("n", "path", r"^[1-9][0-9]{0,3}$", example="1")
POSITION_IN_PATH: Final = _text("position", "path", POSITION, example="3.5.2")
PLAYER: Final = _text("name", "path", NAME, f"A name: {ALLOWED}.", example="Ann")
FILE: Final = _text("name", "path", r"^[a-z-]{1,40}\.(mjs|css|svg)$")
FILE_VERSION: Final = _text("named", "path", r"^[0-9a-f]{16}$", "Sixteen hex digits over all files.")

WAIT: Final = _number("wait", 0, request_reader.MAX_WAIT, "Seconds to wait for news.")
HAND: Final = _number("hand", 0, 1000, "One hand only; 0 is what came before the first.")
AFTER_VERSION: Final = _number("after", 0, request_reader.MOST, "Only what followed this version.")
AFTER_RANK: Final = _number("after", 0, request_reader.MOST, "How many players to pass over.")
LIMIT: Final = _number("limit", 1, MAX_PAGE, "How many at most; 50 by default.")
AFTER_PAGE: Final = _text("after", "query", r"^[A-Za-z0-9_-]{1,100}$", "The `next` of the page before.")
PLAYER_FILTER: Final = _text("player", "query", NAME, "Games this name sits in.")
STATUS: Final[Parameter] = {
    "name": "status",
    "in": "query",
    "schema": {"enum": list(FILTERS)},
    "description": "`stalled`: running, and nobody has moved within the limit, or for a day where there is none.",
}
AT: Final = _text(
    "at",
    "query",
    POSITION,
    "A position: the hand it lies in, and `at`, the version of the step that shows it. A hand is shown at its beginning, "
    "a trick as it is taken.",
)

KEY: Final = _text(
    "Idempotency-Key",
    "header",
    request_reader.KEY_PATTERN,
    "A fresh UUID for each request, the same again to repeat it. As secret as the seat.",
)
KEY_REQUIRED: Final[Parameter] = {**KEY, "required": True}
IF_MATCH: Final = _text("If-Match", "header", request_reader.IF_MATCH_PATTERN, 'The version ("187"), the whole ETag, or *.')
IF_NONE_MATCH: Final = _text(
    "If-None-Match", "header", rf"^(W/)?{_TAG}$", "The ETag you have; 304 while it is the current one."
)
LAST_EVENT_ID: Final = _text(
    "Last-Event-ID",
    "header",
    r"^[0-9]{1,9}$",
    "The id of the last event you received: the stream continues after it, or begins with a reset.",
)


def _header(pattern: str, description: str) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string", "pattern": pattern}}


HEADERS: Final[dict[str, dict[str, Any]]] = {
    "ETag": _header(f"^{_TAG}$", "The version of the answer; of a game's view it is `version.head`."),
    "Idempotency-Replayed": _header("^true$", "The request was repeated: this is its first answer."),
    "Trickbook-Imported": _header("^true$", "The game is a record from elsewhere."),
    "Content-Disposition": _header(r'^attachment; filename="[0-9a-z]{16}\.trickbook\.ndjson"$', "The name of the file."),
    "Retry-After": _header(r"^[0-9]{1,3}$", "Seconds to wait before the next request."),
    "Allow": _header(r"^[A-Z]+(, [A-Z]+)*$", "The methods of this address."),
    "WWW-Authenticate": _header("^Bearer ", "A token is needed."),
    "Cache-Control": _header(r"^(private|public), [a-z0-9=, -]+$", "Who may keep the answer."),
    "Vary": _header(r"^[A-Za-z, -]+$", "The request headers that the answer depends on."),
    "X-Content-Type-Options": _header("^nosniff$", "The type is the one stated."),
    "X-Accel-Buffering": _header("^no$", "A proxy must not hold the stream back."),
    "Content-Security-Policy": _header("^default-src 'self'; ", "Nothing from elsewhere, nothing inline."),
    "Referrer-Policy": _header("^no-referrer$", "No link tells where it was followed."),
}
"""Every header of an answer, by its name."""
