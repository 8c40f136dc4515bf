"""Playing over HTTP: create, join, move, look at the table, read the events (design §4)."""

from itertools import islice
from typing import Final

from flask import Blueprint, Response, current_app, request

from events.cards import SEATS
from events.store import FrozenGame
from service.games import results
from service.games.commands import CreateGame, JoinGame, MakeMove
from service.games.frozen import frozen_view
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused
from service.games.results import Reader
from service.games.tail_cache import TailCache
from service.http import create_request, request_reader, responses, stream
from service.http.answers import Events
from service.http.client_address import client_address
from service.http.connection_slots import ConnectionSlots
from service.http.routes import imported
from service.http.schemas import bodies

MAX_EVENTS: Final = 500

blueprint = Blueprint("play", __name__)


@blueprint.post("/v1/games")
def create() -> Response:
    """Makes a game; the creator sits north."""
    request = request_reader.of_newcomer()
    games = request_reader.games()
    done = games.handle(games.begin(request), CreateGame(create_request.new_game), request)
    return responses.created(done, request.key, _base())


def _base() -> str:
    """The address people reach us by."""
    return request_reader.settings().public_url or request.host_url.rstrip("/")


@blueprint.post("/v1/games/<game>/join")
@imported.or_imported(imported.read_only)
def join(game: str) -> Response:
    """Takes the other seat."""
    request = request_reader.of_newcomer()
    loaded = request_reader.loaded_game(game)
    done = request_reader.games().handle(loaded, JoinGame(bodies.new_player), request)
    return responses.joined(done, request.key)


@blueprint.post("/v1/games/<game>/moves")
@imported.or_imported(imported.read_only)
def move(game: str) -> Response:
    """Makes a move."""
    request = request_reader.of_move(request_reader.MAX_MOVE)
    loaded = request_reader.loaded_game(game)
    return responses.moved(request_reader.games().handle(loaded, MakeMove(bodies.move), request))


@blueprint.get("/v1/games/<game>")
@imported.or_imported(imported.table)
def view(game: str) -> Response:
    """The table as the reader may see it; with ``wait`` and If-None-Match it waits for news."""
    live = request_reader.live_game(game)
    who = request_reader.reader(live.table)
    seconds = request_reader.number("wait", 0, 0, request_reader.MAX_WAIT)
    known = request_reader.known_tags()
    frozen = request_reader.games().frozen
    proof = frozen.proof(game)
    if seconds and _etag(live, proof) in known:
        live = _wait(game, live, who, seconds)
        proof = frozen.proof(game)
    if _etag(live, proof) in known:
        response = Response(status=304)
    else:
        shown = results.view_for(who, live.table, live.at.head, live.receipt)
        response = responses.json(frozen_view(shown, proof))
    response.headers["ETag"] = _etag(live, proof)
    return response


def _etag(live: LoadedGame, proof: FrozenGame | None) -> str:
    """That of the table, with a mark where it is frozen: an If-Match that names it moves nothing."""
    return responses.etag(live.at.version, f"{live.at.head.hex()}{'' if proof is None else '.frozen'}")


def _places() -> ConnectionSlots:
    found: ConnectionSlots = current_app.extensions["trickbook.places"]
    return found


def _address() -> str:
    return client_address(request, request_reader.settings().trusted_proxies)


def _seat_name(game: str, who: Reader) -> str | None:
    """What a seat is counted under; spectators are counted by address alone."""
    return f"{game}/{who}" if who in SEATS else None


def _wait(game: str, live: LoadedGame, who: Reader, seconds: int) -> LoadedGame:
    """The game after news or after the time; at once where there is no place left to wait at."""
    with _places().one(_address(), _seat_name(game, who)) as placed:
        if not placed or not request_reader.games().store.wait(game, live.at.version, seconds):
            return live
    return request_reader.live_game(game)


@blueprint.get("/v1/games/<game>/events")
@imported.or_imported(imported.events)
def events(game: str) -> Response:
    """The events after a version, as the reader may have them; at most 500, JSON or NDJSON by Accept."""
    live = request_reader.live_game(game)
    who = request_reader.reader(live.table)
    after = request_reader.number("after", 0, 0, request_reader.MOST)
    kinds = [responses.JSON, responses.NDJSON, stream.MEDIA_TYPE]
    kind = request.accept_mimetypes.best_match(kinds) if request.accept_mimetypes else responses.JSON
    if kind is None:
        raise Refused("not_acceptable", f"events come as {', '.join(kinds)}")
    if kind == stream.MEDIA_TYPE:
        return _stream(game, live, who, after)
    place, commits = request_reader.games().since(game, after)
    ended = live.table.open.ended
    found = (line for seq, line in results.event_lines(commits, place.head, who, ended=ended) if seq > after)
    lines = list(islice(found, MAX_EVENTS))
    if kind == responses.NDJSON:
        return responses.ndjson(lines)
    return responses.json(Events(events=tuple(lines), version=commits[-1].seq if commits else live.at.version))


def _stream(game: str, live: LoadedGame, who: Reader, after: int) -> Response:
    """The live form; what the client says it had last counts more than ``after``, and what it cannot have had resets it."""
    place = (_places(), _address(), _seat_name(game, who))
    if not place[0].take(*place[1:]):
        raise Refused(
            "too_many_requests",
            "Too many streams and waits are open for this seat, from your address or in all. Close one of them.",
        )
    told = request.headers.get("Last-Event-ID")
    last: int | None = after
    if told is not None:
        last = int(told) if told.isascii() and told.isdigit() and len(told) < 10 else None
    if last is not None and last > live.at.version:
        last = None
    news: TailCache = current_app.extensions["trickbook.news"]
    return stream.stream(news, request_reader.games(), live, who, last, place, request_reader.settings().heartbeat_seconds)
