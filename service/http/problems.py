"""Problems (RFC 9457): one table from the stable codes of the inside to the status codes of the web."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from flask import Response
from msgspec import Meta

from service.games.refusals import Refused

TYPE: Final = "urn:trickbook:problem:"
MEDIA_TYPE: Final = "application/problem+json"

STATUS: Final[dict[str, int]] = {
    "not_json": 400,
    "bad_key": 400,
    "bad_if_match": 400,
    "bad_parameter": 400,
    "bad_request": 400,
    "unauthorized": 401,
    "not_allowed": 403,
    "not_found": 404,
    "no_such_game": 404,
    "no_such_player": 404,
    "no_such_position": 404,
    "no_such_dispute": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "body_timeout": 408,
    "not_your_turn": 409,
    "wrong_phase": 409,
    "game_over": 409,
    "seat_taken": 409,
    "name_taken": 409,
    "already_joined": 409,
    "no_timeout": 409,
    "history_lost": 409,
    "log_damaged": 409,
    "dispute_open": 409,
    "dispute_settled": 409,
    "too_many_disputes": 409,
    "version_mismatch": 412,
    "if_match_required": 428,
    "too_large": 413,
    "wrong_media_type": 415,
    "invalid": 422,
    "key_reused": 422,
    "contribution_mismatch": 422,
    "must_follow_suit": 422,
    "spades_not_broken": 422,
    "card_not_held": 422,
    "card_twice": 422,
    "too_many_cards": 422,
    "bad_claim": 422,
    "bad_receipt": 422,
    "unfounded_correction": 422,
    "too_many_requests": 429,
    "internal": 500,
    "busy": 503,
    "key_missing": 503,
    "no_new_games": 503,
    "store_unreachable": 503,
}
"""Every code there is, with its status: one that is missing here is answered as an internal error."""

TITLES: Final[dict[int, str]] = {
    400: "The request cannot be read",
    401: "A token is needed, and this is not one for this game",
    403: "Not allowed",
    404: "Not found",
    405: "This address does not take that method",
    406: "No such form of this answer",
    408: "The request took too long",
    409: "Not now",
    412: "The game has moved on",
    413: "Too large",
    415: "The body must be application/json",
    422: "Well-formed, but not possible",
    428: "The move must name the head it is made on",
    429: "Too many requests",
    500: "Internal error",
    503: "Not available right now",
}
_RETRY_SECONDS: Final = 2


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """RFC 9457. `code` is stable, `detail` a sentence for a person, `errors` names the fields of the body that are wrong,
    `version` is the one the game is at."""

    type: Annotated[str, Meta(pattern=f"^{TYPE}[a-z_]+$")]
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: str
    code: Annotated[str, Meta(extra_json_schema={"enum": sorted(STATUS)})]
    errors: dict[str, Any] | None = None
    version: Annotated[int, Meta(ge=0)] | None = None


def problem(code: str, detail: str, headers: Mapping[str, str] | None = None, **facts: Any) -> Response:
    """The response of a problem; `facts` are further members of `Problem`."""
    status = STATUS.get(code, 500)
    body = Problem(TYPE + code, TITLES[status], status, detail, code, **facts)
    response = Response(msgspec.json.encode(body), status, headers, content_type=MEDIA_TYPE)
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="trickbook"'
    if status in (429, 503) and "Retry-After" not in response.headers:
        response.headers["Retry-After"] = str(_RETRY_SECONDS)
    return response


def refused(error: Refused) -> Response:
    """The response of a refusal."""
    return problem(error.code, error.message, **error.facts)
