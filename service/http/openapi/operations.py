"""Every operation of the API in one table: the address, what it takes and what it answers."""

from typing import Any, Final, Literal

import msgspec
from marshmallow import Schema

from events.receipts import Receipt
from projections.replay.step_view import Explanation
from projections.sheet import ScoreSheet
from projections.view_types import View
from service.games.result_types import Created, Disputed, EventLine, Joined, Moved
from service.http import answers
from service.http.openapi import parameters as p
from service.http.responses import JSON, NDJSON
from service.http.schemas import bodies, dispute_bodies
from service.http.stream import MEDIA_TYPE as STREAM
from service.readmodels import listed

HTML: Final = "text/html"
Body = type[Schema] | type[msgspec.Struct] | Literal["move"]


class Answer(msgspec.Struct, frozen=True):
    """A successful answer: of a struct, or of a `media` type without one. `headers` are those beside `COMMON`; `lines` are the
    structs of the lines or frames it consists of."""

    text: str
    kind: type[msgspec.Struct] | None = None
    example: str = ""
    status: int = 200
    media: str = JSON
    headers: tuple[str, ...] = ()


class Operation(msgspec.Struct, frozen=True):
    """One method of one address. `token` says who needs one: a seat or the operator (True), a reader who wants to see more
    (False), nobody (None). `body` is a marshmallow schema, the struct of an answer that is sent back, or "move" for the
    union of the moves."""

    method: Literal["get", "post"]
    path: str
    summary: str
    answers: tuple[Answer, ...]
    problems: tuple[int, ...] = ()
    parameters: tuple[p.Parameter, ...] = ()
    token: bool | None = None
    body: Body | None = None
    body_example: Any = None

    @property
    def query(self) -> frozenset[str]:
        """The names of the query parameters it takes."""
        return frozenset(one["name"] for one in self.parameters if one["in"] == "query")


COMMON: Final = ("Cache-Control", "Vary", "X-Content-Type-Options")
"""The headers of every answer."""

_GAME: Final = "/v1/games/{game}"
_DISPUTE: Final = f"{_GAME}/disputes/{{n}}"
_WRITES: Final = (400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 503)
_READS: Final = (400, 401, 404, 409, 503)
_PARTIES: Final = (400, 401, 403, 404, 409, 503)
_NEW: Final = ("ETag", "Idempotency-Replayed")
_MARK: Final = ("Trickbook-Imported",)
_KEPT: Final = ("ETag", *_MARK)
_SAME: Final = Answer("You have the current answer", status=304, media="", headers=_KEPT)
_PAGE: Final = ("Content-Security-Policy", "Referrer-Policy")
_NOT_SHOWN: Final = tuple(Answer("Why there is no page", status=code, media=HTML, headers=_PAGE) for code in (404, 409, 503))


def _page(path: str, summary: str, *parameters: p.Parameter) -> Operation:
    page = Answer("The page", media=HTML, headers=_PAGE)
    return Operation("get", path, summary, (page, *(_NOT_SHOWN if parameters else ())), (), parameters)


OPERATIONS: Final = (
    Operation(
        "post", "/v1/games", "Make a game and sit north",
        (Answer("The game, your token and the invite to pass on", Created, "created", 201, headers=_NEW),),
        (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503), (p.KEY,),
        body=bodies.CreateSchema, body_example={"name": "Ann", "rules": {"target": 300}, "first": "south"},
    ),
    Operation(
        "get", "/v1/games", "Games that are listed, all of them for the operator, the one made last first",
        (Answer("A page of games", listed.GamePage, "games"),),
        (400, 401, 404, 503), (p.STATUS, p.PLAYER_FILTER, p.AFTER_PAGE, p.LIMIT), token=False,
    ),
    Operation(
        "get", "/v1/players/{name}", "A player over rated games, and the games that may be listed",
        (Answer("The player", listed.PlayerPage, "player"),),
        (400, 401, 404, 503), (p.PLAYER,), token=False,
    ),
    Operation(
        "get", "/v1/leaderboard", "The ladder over rated games, the best first",
        (Answer("A page of players", listed.LadderPage, "ladder"),),
        (400, 404, 503), (p.AFTER_RANK, p.LIMIT),
    ),
    Operation(
        "post", f"{_GAME}/join", "Take the other seat",
        (Answer("Your token and the table", Joined, "joined", 201, headers=_NEW),),
        (400, 403, 404, 408, 409, 413, 415, 422, 503), (p.GAME, p.KEY),
        body=bodies.JoinSchema, body_example="ask_join",
    ),
    Operation(
        "post", f"{_GAME}/moves", "Make a move",
        (Answer("The events of the move and the table after it", Moved, "moved", 201, headers=_NEW),),
        (*_WRITES, 428), (p.GAME, p.KEY_REQUIRED, p.IF_MATCH), token=True,
        body="move", body_example={"type": "play", "card": "QS"},
    ),
    Operation(
        "get", _GAME, "The table as you may see it; waits for news with `wait` and If-None-Match",
        (
            Answer("The view", View, "view", headers=("ETag", *_MARK)),
            Answer("No news", status=304, media="", headers=("ETag",)),
        ),
        (*_READS, 429), (p.GAME, p.WAIT, p.IF_NONE_MATCH), token=False,
    ),
    Operation(
        "get", f"{_GAME}/events", "The events as you may have them: 500 at most, or a live stream",
        (
            Answer("The events after a version", answers.Events, "events", headers=(*_MARK, "X-Accel-Buffering")),
            Answer("One event a line", EventLine, media=NDJSON),
            Answer("An event with its seq as `id`, or a view after which the events begin again", answers.Frame, media=STREAM),
        ),
        (*_READS, 406, 429), (p.GAME, p.AFTER_VERSION, p.LAST_EVENT_ID), token=False,
    ),
    Operation(
        "get", f"{_GAME}/scoresheet", "Every scored hand with its arithmetic",
        (Answer("The score sheet", ScoreSheet, "scoresheet", headers=_KEPT), _SAME),
        _READS, (p.GAME, p.IF_NONE_MATCH), token=False,
    ),
    Operation(
        "get", f"{_GAME}/replay", "The game step by step",
        (Answer("The steps", answers.Replay, "steps", headers=_KEPT), _SAME),
        _READS, (p.GAME, p.HAND, p.AT, p.AFTER_VERSION, p.IF_NONE_MATCH), token=False,
    ),
    Operation(
        "get", f"{_GAME}/explain/{{position}}", "Why one moment was as it was",
        (Answer("The sentences", Explanation, "explanation", headers=_KEPT), _SAME),
        _READS, (p.GAME, p.POSITION_IN_PATH, p.IF_NONE_MATCH), token=False,
    ),
    Operation(
        "post", f"{_GAME}/disputes", "Say that the score is wrong, while play goes on or afterwards",
        (Answer("The dispute, its event and its receipt", Disputed, "disputed", 201, headers=_NEW),),
        _WRITES, (p.GAME, p.KEY_REQUIRED, p.IF_MATCH), token=True,
        body=dispute_bodies.NewDisputeSchema, body_example="ask_dispute",
    ),
    Operation(
        "get", f"{_GAME}/disputes", "The disputes of the game: for its players and the operator",
        (Answer("The disputes", answers.Disputes, "disputes"),),
        _PARTIES, (p.GAME,), token=True,
    ),
    Operation(
        "get", _DISPUTE, "One dispute with the report on it: who is right, and why",
        (Answer("The dispute and its report", answers.Reported, "reported", headers=("ETag",)), _SAME),
        _PARTIES, (p.GAME, p.DISPUTE, p.IF_NONE_MATCH), token=True,
    ),
    Operation(
        "post", f"{_DISPUTE}/settlement", "Settle a dispute and correct recorded scores (operator)",
        (Answer("The settlement, its events and its receipt", Disputed, "settled", 201, headers=_NEW),),
        _WRITES, (p.GAME, p.DISPUTE, p.KEY_REQUIRED, p.IF_MATCH), token=True,
        body=dispute_bodies.NewSettlementSchema, body_example="ask_settlement",
    ),
    Operation(
        "post", f"{_GAME}/receipts", "Compare a receipt that you kept with the log; one that contradicts it freezes the game",
        (Answer("What the log says of it", answers.ComparedReceipt, "compared"),),
        (400, 404, 405, 408, 409, 413, 415, 422, 503), (p.GAME,),
        body=Receipt, body_example="receipt",
    ),
    Operation(
        "get", f"{_GAME}/record", "The portable record: open once play has ended, to a seat before",
        (Answer("Header, events and receipt, a line each", media=NDJSON, headers=("Content-Disposition", *_MARK)),),
        _PARTIES, (p.GAME,), token=False,
    ),
    Operation(
        "get", f"{_GAME}/audit", "The audit, also of a damaged log: open once play has ended, to the operator before",
        (Answer("Findings and verdict", answers.AuditAnswer, "audit", headers=_KEPT), _SAME),
        (400, 401, 403, 404, 503), (p.GAME, p.IF_NONE_MATCH), token=False,
    ),
    Operation("get", "/v1/keys", "The keys receipts are signed with", (Answer("Keys", answers.Keys, "keys"),), (400,)),
    Operation("get", "/v1/rules", "The standard ruleset and every option", (Answer("Rules", answers.RulesList),), (400,)),
    Operation("get", "/v1/openapi.json", "This document", (Answer("OpenAPI 3.1", media=JSON),), (400,)),
    Operation(
        "get", "/docs", "This document as a page", (Answer("HTML", media=HTML, headers=("Content-Security-Policy",)),)
    ),
    Operation("get", "/docs.css", "The page's stylesheet", (Answer("CSS", media="text/css"),)),
    Operation("get", "/healthz", "Whether the process answers", (Answer("It does", answers.Health),)),
    Operation(
        "get", "/readyz", "Whether moves are accepted, and how durable they are",
        (Answer("They are", answers.Readiness), Answer("They are not", answers.Readiness, status=503)),
    ),
    Operation(
        "get", "/metrics", "Gauges for the operator, in the Prometheus text format",
        (Answer("The gauges", media="text/plain"),), (401, 403, 503), token=True,
    ),
    Operation("get", "/version", "Which Trickbook this is", (Answer("Name and version", answers.Version),)),
    _page("/", "Start, join or watch a game, as a page"),
    _page("/g/{game}", "The table, as a page", p.GAME),
    _page("/g/{game}/replay", "The game step by step, as a page", p.GAME),
    _page("/g/{game}/score", "The score sheet, as a page", p.GAME),
    Operation(
        "get", "/static/{name}", "A file of the pages", (Answer("The file", media="*/*", headers=("ETag",)),), (404,), (p.FILE,)
    ),
    Operation(
        "get", "/static/{named}/{name}", "A file of the pages, cacheable",
        (Answer("The file", media="*/*", headers=("ETag",)),), (404,), (p.FILE_VERSION, p.FILE),
    ),
)  # fmt: skip

QUERIES: Final[dict[tuple[str, str], frozenset[str]]] = {
    (one.method, one.path.replace("{", "<").replace("}", ">")): one.query for one in OPERATIONS
}
"""The query parameters of each operation, by its method and its route in Flask's spelling."""
