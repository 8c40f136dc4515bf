"""What the service says of itself: keys, rules, version, health, and the description of this API."""

from collections.abc import Callable
from typing import Any

import msgspec
from flask import Blueprint, Response, current_app

from events.feed import Lag
from events.ruleset import NAME, OPTIONS, STANDARD
from events.store import Unreachable
from service.base.version import VERSION
from service.http import request_reader, responses
from service.http.openapi import document

blueprint = Blueprint("about", __name__)


@blueprint.get("/v1/keys")
def keys() -> Response:
    """The public keys receipts are signed with, those of games begun before a rotation as well."""
    identity = request_reader.games().identity
    named = [msgspec.to_builtins(signer.key) | {"current": signer is identity.signer} for signer in identity.signers]
    return responses.json({"keys": named})


@blueprint.get("/v1/rules")
def rules() -> Response:
    """The standard ruleset and every option."""
    options = []
    for name, option in OPTIONS.items():
        bounds: dict[str, Any] = {"min": option.lowest, "max": option.highest}
        allowed = {"choices": list(option.choices)} if option.choices else bounds
        standard = {} if option.standard is None else {"standard": option.standard}
        options.append({"name": name, "meaning": option.meaning, **standard, **allowed})
    return responses.json({"ruleset": NAME, "standard": STANDARD.data(), "options": options})


@blueprint.get("/v1/openapi.json")
def openapi() -> Response:
    """This API, as an OpenAPI 3.1 document."""
    return responses.json(document())


@blueprint.get("/version")
def version() -> Response:
    """Which Trickbook this is."""
    return responses.json({"name": "trickbook", "version": VERSION, "api": "v1"})


@blueprint.get("/healthz")
def healthz() -> Response:
    """Whether the process answers."""
    return responses.json({"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """Whether moves are accepted, and how durable they are then."""
    ready: Callable[[], str] = current_app.extensions["trickbook.ready"]
    try:
        durability = ready()
    except Unreachable as error:
        return responses.json({"status": "not_ready", "reason": str(error)}, 503)
    frozen = request_reader.games().frozen.ids()
    told: dict[str, Any] = {"status": "ready", "durability": durability, "frozen": len(frozen)}
    if frozen and request_reader.is_operator():
        told["frozen_games"] = sorted(frozen)
    try:
        lag: dict[str, Lag | None] = current_app.extensions["trickbook.lag"]()
    except Unreachable as error:  # no move needs that server
        return responses.json({**told, "lists": str(error).partition(";")[0]})
    behind = {name: {"announcements": one.announcements, "oldest_ms": one.oldest} for name, one in lag.items() if one}
    return responses.json({**told, "followers": behind} if behind else told)
