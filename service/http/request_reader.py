"""Reading a request, in the fixed order of design §4: size, media type, game, token, JSON, key; nothing is guessed."""

import re
from collections.abc import Callable
from typing import Any, Final

from flask import current_app, request
from werkzeug.exceptions import RequestEntityTooLarge

from events.canonical import NotCanonical, parse
from events.cards import SEATS, Seat
from events.keys import is_game_id
from events.store import LogHead
from projections.table import Table
from service.base.identity import same, token_hash
from service.base.settings import Settings
from service.games.handler import Games
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused
from service.games.results import Reader

MAX_BODY: Final = 16 * 1024
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{22,128}\Z")
_IF_MATCH: Final = re.compile(r'"(?P<version>[1-9][0-9]{0,8})(\.(?P<head>[0-9a-f]{64}))?"\Z')


def games() -> Games:
    """The handler this app was made with."""
    found: Games = current_app.extensions["trickbook.games"]
    return found


def settings() -> Settings:
    """The settings this app was made with."""
    found: Settings = current_app.extensions["trickbook.settings"]
    return found


def raw_body() -> bytes:
    """The body, at most `MAX_BODY` bytes of it, as JSON. Raises `Refused` (`too_large`, `wrong_media_type`)."""
    try:
        raw = request.get_data(cache=False)
        if len(raw) > MAX_BODY:
            raise RequestEntityTooLarge
    except RequestEntityTooLarge:
        raise Refused("too_large", f"the body is larger than {MAX_BODY // 1024} KiB") from None
    if request.mimetype != "application/json":
        raise Refused("wrong_media_type", "send the body as Content-Type: application/json")
    return raw


def live_game(game: str) -> LoadedGame:
    """The game of the address. Raises `Refused` (`no_such_game`)."""
    if not is_game_id(game):
        raise Refused("no_such_game", "there is no such game: an id has 16 characters, 0-9 and a-z without i, l, o, u")
    return games().live(game)


def bearer() -> str | None:
    """The token of the request, None without one. Raises `Refused` (`unauthorized`) for another scheme."""
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Refused("unauthorized", "send the token as Authorization: Bearer <token>")
    return token.strip()


def is_operator() -> bool:
    """Whether the operator asks. Raises `Refused` (`unauthorized`) for another scheme than Bearer."""
    token, operator = bearer(), settings().operator_token
    return token is not None and operator is not None and same(token, operator)


def operator(why: str) -> None:
    """Nobody but the operator. Raises `Refused` (`unauthorized` without a token, `not_allowed` with another)."""
    if not is_operator():
        raise Refused("unauthorized" if bearer() is None else "not_allowed", why)


def reader(table: Table) -> Reader:
    """Who is reading: a seat, the operator, or a spectator without a token. Raises `Refused` (`unauthorized`)."""
    token = bearer()
    if token is None:
        return "spectator"
    if is_operator():
        return "operator"
    hashed = token_hash(token)
    found: Reader | None = None
    for seat in SEATS:  # every seat is compared, so that the time tells nothing
        if same(hashed, table.house.token_hash(seat) or ""):
            found = seat
    if found is None:
        raise Refused("unauthorized", "this token is not one for this game")
    return found


def seat_of(table: Table) -> Seat:
    """The seat of whoever is asking. Raises `Refused` (`unauthorized`, `not_allowed`)."""
    who = reader(table)
    if who == "spectator":
        raise Refused("unauthorized", "a move needs the token of a seat: Authorization: Bearer <token>")
    if who == "operator":
        raise Refused("not_allowed", "the operator has no seat and makes no moves")
    return who


def body_of(raw: bytes) -> dict[str, Any]:
    """The JSON object of a body. Raises `Refused` (`not_json`)."""
    try:
        value = parse(raw)
    except NotCanonical as error:
        raise Refused("not_json", f"the body is not JSON as it is used here: {error}") from None
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
    if not _UUID.match(key) and not _KEY.match(key):
        raise Refused("bad_key", "an Idempotency-Key is a UUID, or 22 to 128 characters of A-Z a-z 0-9 - _")
    return key.encode()


def if_match() -> Callable[[LogHead], None]:
    """A check of the place a move is made at. Raises `Refused` (`bad_if_match`); the check raises `version_mismatch`."""
    header = request.headers.get("If-Match", "*").strip()
    match = _IF_MATCH.match(header)

    def check(at: LogHead) -> None:
        if match is None:
            if header != "*":
                raise Refused("bad_if_match", 'If-Match takes "187" or the whole ETag, with the quotes')
            return
        if int(match["version"]) != at.version:
            raise Refused("version_mismatch", f"the game is at version {at.version}", version=at.version)
        if match["head"] and match["head"] != at.head.hex():
            raise Refused(
                "version_mismatch",
                f"the game is at version {at.version}, but with another head than the one you know: keep your receipts",
                version=at.version,
            )

    return check


def number(name: str, standard: int, lowest: int, highest: int) -> int:
    """A whole number of the query. Raises `Refused` (`bad_parameter`)."""
    text = request.args.get(name)
    if text is None:
        return standard
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not lowest <= int(text) <= highest:
        raise Refused("bad_parameter", f"{name} must be a whole number from {lowest} to {highest}")
    return int(text)
