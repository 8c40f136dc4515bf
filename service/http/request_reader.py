"""Reading a request, in the fixed order of design §4: size, media type, game, token, JSON, key; nothing is guessed."""

import re
import secrets
from collections.abc import Collection
from typing import Any, Final

import msgspec
from flask import current_app, request
from werkzeug.exceptions import RequestEntityTooLarge

from events.canonical import NotCanonical, parse
from events.keys import is_game_id
from projections.table import Table
from service.base.identity import same
from service.base.settings import Settings
from service.games import access
from service.games.access import Credentials
from service.games.answer_cache import AnswerCache
from service.games.handler import Games
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused
from service.games.requests import IfMatch, MoveRequest
from service.games.results import Reader

MAX_BODY: Final = 16 * 1024
MAX_MOVE: Final = 4 * 1024
"""Bytes of the body of a move."""
IN_ADDRESS: Final = "A token in an address ends up in logs."
MAX_WAIT: Final = 25
"""Seconds."""

MOST: Final = 10**9 - 1
"""The highest version or place that may be named."""

KEY_PATTERN: Final = r"^[A-Za-z0-9_-]{22,128}\Z"
"""An Idempotency-Key; every UUID is one."""

IF_MATCH_PATTERN: Final = r'^(?:\*|"([1-9][0-9]{0,8})(?:\.([0-9a-f]{64}))?")\Z'


def games() -> Games:
    """The handler this app was made with."""
    found: Games = current_app.extensions["trickbook.games"]
    return found


def answers() -> AnswerCache:
    """What this app keeps of the answers it computed."""
    found: AnswerCache = current_app.extensions["trickbook.answers"]
    return found


def settings() -> Settings:
    """The settings this app was made with."""
    found: Settings = current_app.extensions["trickbook.settings"]
    return found


def raw_body(most: int = MAX_BODY) -> bytes:
    """The body, at most `most` bytes of it, as JSON. Raises `Refused` (`too_large`, `wrong_media_type`)."""
    try:
        raw = request.get_data(cache=False)
        if len(raw) > most:
            raise RequestEntityTooLarge
    except RequestEntityTooLarge:
        raise Refused("too_large", f"the body is larger than {most // 1024} KiB") from None
    if request.mimetype != "application/json":
        raise Refused("wrong_media_type", "send the body as Content-Type: application/json")
    return raw


def live_game(game: str) -> LoadedGame:
    """The game of the address as it is in the log now, to show. Raises `Refused` (`no_such_game`)."""
    return games().live(game_id(game))


def loaded_game(game: str) -> LoadedGame:
    """The game of the address to decide on, which may be behind the log. Raises `Refused` (`no_such_game`)."""
    return games().load(game_id(game))


def game_id(game: str) -> str:
    """The id of the address. Raises `Refused` (`no_such_game`) where it has not the form of one."""
    if not is_game_id(game):
        raise Refused("no_such_game", "there is no such game: an id has 16 characters, 0-9 and a-z without i, l, o, u")
    return game


def credentials() -> Credentials:
    """The ``Authorization`` of the request, not yet judged."""
    header = request.headers.get("Authorization")
    if header is None:
        return Credentials()
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        return Credentials(malformed=True)
    operator = settings().operator_token
    return Credentials(token.strip(), operator is not None and same(token.strip(), operator))


def is_operator() -> bool:
    """Whether the operator asks. Raises `Refused` (`unauthorized`) for another scheme than Bearer."""
    return access.is_operator(credentials())


def operator(why: str) -> None:
    """Nobody but the operator. Raises `Refused` (`unauthorized` without a token, `not_allowed` with another)."""
    if not is_operator():
        raise Refused("unauthorized" if credentials().token is None else "not_allowed", why)


def reader(table: Table) -> Reader:
    """Who is reading: a seat, the operator, or a spectator without a token. Raises `Refused` (`unauthorized`)."""
    return access.reader(table, credentials())


def of_move(most: int = MAX_BODY) -> MoveRequest:
    """The request of a seat or the operator to write, as values: body, key, credentials and If-Match.

    Only size and media type are judged here, before the game is looked at. Raises `Refused` (`too_large`, `wrong_media_type`).
    """
    request = _written(most, key_required=True)
    try:
        return msgspec.structs.replace(request, if_match=if_match())
    except Refused as objection:
        return msgspec.structs.replace(request, bad_if_match=objection)


def of_newcomer() -> MoveRequest:
    """The request of somebody without a seat, to create a game or to join it, as `of_move`: there is no If-Match, and a key
    that was left out is drawn."""
    return _written(MAX_BODY, key_required=False)


def _written(most: int, *, key_required: bool) -> MoveRequest:
    raw = raw_body(most)
    try:
        body = body_of(raw)
        key = idempotency_key(required=key_required) or secrets.token_bytes(32)
    except Refused as objection:
        return MoveRequest(b"", None, credentials(), malformed=objection)
    return MoveRequest(key, body, credentials())


def body_of(raw: bytes) -> dict[str, Any]:
    """The JSON object of a body. Raises `Refused` (`not_json`)."""
    try:
        value = parse(raw)
    except NotCanonical as error:
        raise Refused("not_json", f"The body is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused("not_json", "the body must be a JSON object")
    return value


def idempotency_key(*, required: bool) -> bytes | None:
    """The key of the request. Raises `Refused` (`bad_key`)."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        if required:
            raise Refused("bad_key", "a move needs an Idempotency-Key header: a fresh UUID for each, the same to repeat it")
        return None
    if not re.match(KEY_PATTERN, key):
        raise Refused("bad_key", "an Idempotency-Key is a UUID, or 22 to 128 characters of A-Z a-z 0-9 - _")
    return key.encode()


def if_match() -> IfMatch | None:
    """The place the client insists on, None where it does not. Raises `Refused` (`bad_if_match`)."""
    match = re.match(IF_MATCH_PATTERN, request.headers.get("If-Match", "*").strip())
    if match is None:
        raise Refused("bad_if_match", 'If-Match takes "187" or the whole ETag, with the quotes')
    return None if match[1] is None else IfMatch(int(match[1]), match[2])


def known_tags() -> set[str]:
    """The ETags of If-None-Match, each with its quotes."""
    return {tag.strip().removeprefix("W/") for tag in request.headers.get("If-None-Match", "").split(",")}


def require_known_query(known: Collection[str]) -> None:
    """Raises `Refused` (`bad_parameter`) for a query parameter that the address does not take, or one that is repeated."""
    for name in request.args:
        if name == "token":
            raise Refused("bad_parameter", f"{IN_ADDRESS} Send it as Authorization: Bearer <token>.")
        if name not in known:
            takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            raise Refused("bad_parameter", f"this address has no query parameter {name[:40]!r}: {takes}")
        if len(request.args.getlist(name)) > 1:
            raise Refused("bad_parameter", f"{name} is given more than once")


def number(name: str, standard: int, lowest: int, highest: int) -> int:
    """A whole number of the query. Raises `Refused` (`bad_parameter`)."""
    text = request.args.get(name)
    if text is None:
        return standard
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not lowest <= int(text) <= highest:
        raise Refused("bad_parameter", f"{name} must be a whole number from {lowest} to {highest}")
    return int(text)
