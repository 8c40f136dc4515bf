"""Whose request it is: the credentials of a request compared with the token hashes in the log (design §4)."""

import msgspec

from events.cards import SEATS, Seat
from projections.table import Table
from service.base.identity import same, token_hash
from service.games.refusals import Refused
from service.games.results import Reader


class Credentials(msgspec.Struct, frozen=True):
    """The ``Authorization`` of a request as values, not yet judged.

    `token` is None without one; `operator` says that it is the operator's; `malformed` that the header is no Bearer token.
    """

    token: str | None = None
    operator: bool = False
    malformed: bool = False


def is_operator(credentials: Credentials) -> bool:
    """Whether the token is the operator's. Raises `Refused` (`unauthorized`) for another scheme than Bearer."""
    if credentials.malformed:
        raise Refused("unauthorized", "send the token as Authorization: Bearer <token>")
    return credentials.operator


def reader(table: Table, credentials: Credentials) -> Reader:
    """The seat of the token, ``operator``, or ``spectator`` without a token. Raises `Refused` (`unauthorized`)."""
    if is_operator(credentials):
        return "operator"
    if credentials.token is None:
        return "spectator"
    hashed = token_hash(credentials.token)
    found: Reader | None = None
    for seat in SEATS:  # every seat is compared, so that the time reveals nothing
        if same(hashed, table.house.token_hash(seat) or ""):
            found = seat
    if found is None:
        raise Refused("unauthorized", "this token is not one for this game")
    return found


def seat(table: Table, credentials: Credentials) -> Seat:
    """The seat of the token. Raises `Refused` (`unauthorized`, `not_allowed`)."""
    who = reader(table, credentials)
    if who == "spectator":
        raise Refused("unauthorized", "a move needs the token of a seat: Authorization: Bearer <token>")
    if who == "operator":
        raise Refused("not_allowed", "the operator has no seat and makes no moves")
    return who


def party(table: Table, credentials: Credentials) -> Reader:
    """The seat of the token or ``operator``: the three that a dispute concerns. Raises `Refused` (`unauthorized`)."""
    who = reader(table, credentials)
    if who == "spectator":
        raise Refused("unauthorized", "disputes are read by the two players and the operator: Authorization: Bearer <token>")
    return who
