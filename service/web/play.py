"""Playing over HTTP: create, join, move, look at the table, read the events (design §4)."""

import secrets
from itertools import islice
from typing import Final

from flask import Blueprint, Response, current_app, request

from events.cards import SEATS
from service import answers
from service.answers import Reader
from service.games import Answer, Asked
from service.live import Live
from service.news import News
from service.refusals import Refused
from service.web import creating, imported, reading, replies, schemas, stream
from service.web.address import client_address
from service.web.places import Places

MAX_WAIT: Final = 25
MAX_EVENTS: Final = 500

blueprint = Blueprint("play", __name__)


@blueprint.post("/v1/games")
def create() -> Response:
    """Makes a game; the creator sits north."""
    body = reading.body_of(reading.raw_body())
    key = reading.idempotency_key(required=False) or secrets.token_bytes(32)
    found = reading.games().create(Asked(key, body), lambda: creating.new_game(body))
    if "invite" in found.body:
        found.body["invite_link"] = f"{_base()}/g/{found.body['game']}#join={found.body['invite']}"
    return replies.answer(found)


def _base() -> str:
    """The address people reach us by."""
    return reading.settings().public_url or request.host_url.rstrip("/")


@blueprint.post("/v1/games/<game>/join")
@imported.or_imported(imported.read_only)
def join(game: str) -> Response:
    """Takes the other seat."""
    raw = reading.raw_body()
    reading.live_game(game)
    body = reading.body_of(raw)
    key = reading.idempotency_key(required=False) or secrets.token_bytes(32)
    return replies.answer(reading.games().join(game, Asked(key, body), lambda: schemas.new_player(body)))


@blueprint.post("/v1/games/<game>/moves")
@imported.or_imported(imported.read_only)
def move(game: str) -> Response:
    """Makes a move."""
    raw = reading.raw_body()
    seat = reading.seat_of(reading.live_game(game).table)
    body = reading.body_of(raw)
    key = reading.idempotency_key(required=True)
    assert key is not None
    asked = Asked(key, body, reading.if_match())
    found: Answer = reading.games().move(game, seat, asked, lambda: schemas.move(body))
    return replies.answer(found)


@blueprint.get("/v1/games/<game>")
@imported.or_imported(imported.table)
def view(game: str) -> Response:
    """The table as the reader may see it; with ``wait`` and If-None-Match it waits for news."""
    live = reading.live_game(game)
    who = reading.reader(live.table)
    seconds = reading.number("wait", 0, 0, MAX_WAIT)
    known = request.headers.get("If-None-Match", "").removeprefix("W/")
    if seconds and known == _etag(live):
        live = _wait(game, live, who, seconds)
    if known == _etag(live):
        response = Response(status=304)
    else:
        response = replies.json(answers.view_for(who, live.table, live.at.head, live.receipt))
    response.headers["ETag"] = _etag(live)
    return response


def _etag(live: Live) -> str:
    return f'"{live.at.version}.{live.at.head.hex()}"'


def _places() -> Places:
    found: Places = current_app.extensions["trickbook.places"]
    return found


def _address() -> str:
    return client_address(request, reading.settings().trusted_proxies)


def _seat_name(game: str, who: Reader) -> str | None:
    """What a seat is counted under; spectators are counted by address alone."""
    return f"{game}/{who}" if who in SEATS else None


def _wait(game: str, live: Live, who: Reader, seconds: int) -> Live:
    """The game after news or after the time; at once where there is no place left to wait at."""
    with _places().one(_address(), _seat_name(game, who)) as placed:
        if not placed or not reading.games().store.wait(game, live.at.version, seconds):
            return live
    return reading.live_game(game)


@blueprint.get("/v1/games/<game>/events")
@imported.or_imported(imported.events)
def events(game: str) -> Response:
    """The events after a version, as the reader may have them; at most 500, JSON or NDJSON by Accept."""
    live = reading.live_game(game)
    who = reading.reader(live.table)
    after = reading.number("after", 0, 0, 10**9 - 1)
    kinds = [replies.JSON, replies.NDJSON, stream.MEDIA_TYPE]
    kind = request.accept_mimetypes.best_match(kinds) if request.accept_mimetypes else replies.JSON
    if kind is None:
        raise Refused("not_acceptable", f"events come as {', '.join(kinds)}")
    if kind == stream.MEDIA_TYPE:
        return _stream(game, live, who, after)
    place, commits = reading.games().since(game, after)
    ended = live.table.open.phase == "ended"
    found = (line for seq, line in answers.event_lines(commits, place.head, who, ended=ended) if seq > after)
    lines = list(islice(found, MAX_EVENTS))
    if kind == replies.NDJSON:
        return replies.ndjson(lines)
    return replies.json({"events": lines, "version": commits[-1].seq if commits else live.at.version})


def _stream(game: str, live: Live, who: Reader, after: int) -> Response:
    """The live form; what the client says it had last counts more than ``after``, and what it cannot have had resets it."""
    place = (_places(), _address(), _seat_name(game, who))
    if not place[0].take(*place[1:]):
        raise Refused(
            "too_many_requests", "too many streams are open: two a seat, four an address, half of the server's threads"
        )
    told = request.headers.get("Last-Event-ID")
    last: int | None = after
    if told is not None:
        last = int(told) if told.isascii() and told.isdigit() and len(told) < 10 else None
    if last is not None and last > live.at.version:
        last = None
    news: News = current_app.extensions["trickbook.news"]
    return stream.stream(news, reading.games(), live, who, last, place, reading.settings().heartbeat_seconds)
