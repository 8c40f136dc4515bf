"""What the service says of itself: keys, rules, version, health, and the description of this API."""

from collections.abc import Callable, Sequence
from functools import cache

import msgspec
from flask import Blueprint, Response, current_app

from events.feed import Lag
from events.ruleset import NAME, OPTIONS, STANDARD, RuleOption
from events.store import Unreachable
from service.base.version import VERSION
from service.http import request_reader, responses
from service.http.answers import FollowerLag, Health, Keys, OptionView, PublicKey, Readiness, RulesList, StoreWarning, Version
from service.http.openapi.document import document
from service.operations.store_state import Concern

blueprint = Blueprint("about", __name__)


@blueprint.get("/v1/keys")
def keys() -> Response:
    """The public keys receipts are signed with, those of games begun before a rotation as well."""
    identity = request_reader.games().identity
    named = (PublicKey(id=s.key.id, ed25519=s.key.ed25519, current=s is identity.signer) for s in identity.signers)
    return responses.json(Keys(tuple(named)))


@blueprint.get("/v1/rules")
def rules() -> Response:
    """The standard ruleset and every option."""
    return responses.json(RulesList(NAME, STANDARD.data(), options()))


def options() -> tuple[OptionView, ...]:
    """Every option of the rules."""
    return tuple(_option(name, option) for name, option in OPTIONS.items())


def _option(name: str, option: RuleOption) -> OptionView:
    shown = OptionView(name=name, meaning=option.meaning, standard=option.standard, choices=option.choices or None)
    return shown if option.choices else msgspec.structs.replace(shown, min=option.lowest, max=option.highest)


@blueprint.get("/v1/openapi.json")
def openapi() -> Response:
    """The API as an OpenAPI 3.1 document."""
    return responses.raw(_openapi())


@cache
def _openapi() -> bytes:
    return msgspec.json.encode(document())


@blueprint.get("/version")
def version() -> Response:
    """Which Trickbook this is."""
    return responses.json(Version("trickbook", VERSION, "v1"))


@blueprint.get("/healthz")
def healthz() -> Response:
    """Whether the process answers."""
    return responses.json(Health("ok"))


@blueprint.get("/readyz")
def readyz() -> Response:
    """Whether moves are accepted, and how durable they are then."""
    ready: Callable[[], str] = current_app.extensions["trickbook.ready"]
    try:
        durability = ready()
    except Unreachable as error:
        return responses.json(Readiness(status="not_ready", reason=str(error)), 503)
    concerns: Sequence[Concern] = current_app.extensions["trickbook.concerns"]()
    frozen = request_reader.games().frozen.ids()
    ready_now = Readiness(
        status="ready",
        durability=durability,
        new_games=not any(concern.refuses_new_games for concern in concerns),
        frozen=len(frozen),
        frozen_games=tuple(sorted(frozen)) if frozen and request_reader.credentials().operator else None,
        warnings=tuple(StoreWarning(concern.code, concern.message) for concern in concerns) or None,
    )
    try:
        lag: dict[str, Lag | None] = current_app.extensions["trickbook.lag"]()
    except Unreachable as error:  # no move needs that server
        return responses.json(msgspec.structs.replace(ready_now, lists=str(error).partition(";")[0]))
    behind = {name: FollowerLag(one.announcements, one.oldest) for name, one in lag.items() if one}
    return responses.json(msgspec.structs.replace(ready_now, followers=behind or None))
