"""The description of the API, OpenAPI 3.1: request bodies from the schemas that read them, facts from the event types."""

from functools import cache
from typing import Any, Final

import msgspec
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from events.receipts import Receipt
from events.types import Line, ServerKey
from projections.audit import Audit
from projections.disputes.report import Mistake
from service.base.version import VERSION
from service.http import problems
from service.http.examples import examples
from service.http.schemas import bodies, dispute_bodies
from service.readmodels.queries import FILTERS

_TEXT: Final = {"type": "string"}
_HEX: Final = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_SEAT: Final = {"type": "string", "enum": ["north", "south"]}
_INTEGER: Final = {"type": "integer"}
_CARD: Final = {"type": "string", "pattern": "^[2-9TJQKA][CDHS]$"}
_CARDS: Final = {"type": "array", "items": _CARD}
_RULES: Final = {"type": "object", "additionalProperties": {"type": ["integer", "string"]}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def _seats(item: dict[str, Any]) -> dict[str, Any]:
    return _object({}, {"north": item, "south": item})


_BID: Final = {"oneOf": [{"type": "integer", "minimum": 0, "maximum": 13}, {"const": "double_nil"}]}
_PLAYED: Final = {"type": "array", "items": _object({"seat": _SEAT, "card": _CARD})}
_PLAYER: Final = _object(
    {"name": {**_TEXT, "description": "(hidden) where the operator has hidden it"}, "total": _INTEGER, "bags": _INTEGER},
    {
        "penalty_in": {**_INTEGER, "description": "Bags left until the next penalty; not there without one."},
        "bid": _BID,
        "tricks": _INTEGER,
        "cards": _INTEGER,
        "exchanged": _INTEGER,
        "played": _CARDS,
    },
)
_MOMENT_PLAYER: Final = _object(
    {"total": _INTEGER, "bags": _INTEGER},
    {"penalty_in": _INTEGER, "bid": _BID, "tricks": _INTEGER, "cards": _INTEGER, "exchanged": _INTEGER},
)
_TRICK: Final = _object({"number": _INTEGER, "leader": _SEAT, "cards": _PLAYED}, {"winner": _SEAT})
_LEGAL: Final = _object(
    {"type": _TEXT},
    {
        "card": _CARDS,
        "tricks": _object({"min": _INTEGER, "max": _INTEGER}),
        "discard": _object({"of": _CARDS, "max": _INTEGER}),
    },
    description="One thing the seat may do now; `card`, `tricks` and `discard` say within which bounds.",
)
_RESULT: Final = _object(
    {"reason": _TEXT},
    {"winner": _SEAT, "by": _SEAT, "corrected": {"const": True, "description": "The score was corrected after the end."}},
)
_DISPUTED: Final = {
    "type": "array",
    "items": _object({"n": _INTEGER, "seat": _SEAT, "hand": _INTEGER, "version": _INTEGER}),
    "description": "The open disputes.",
}
_DISPUTE: Final = _object(
    {
        "n": _INTEGER,
        "seat": _SEAT,
        "hand": _INTEGER,
        "version": _INTEGER,
        "head": _HEX,
        "claim": _ref("Claim"),
        "opened": _INTEGER,
        "status": {"enum": ["open", "settled"]},
    },
    {"settled": _INTEGER, "verdict": {"enum": ["upheld", "rejected"]}, "reason": _TEXT, "note": _TEXT},
    description="A dispute; `version` and `head` are the moment it is about, `opened` and `settled` versions of its events.",
)
_CORRECTED: Final = _object(
    {"version": _INTEGER, "hand": _INTEGER, "seat": _SEAT, "old": _ref("Line"), "new": _ref("Line"), "why": _TEXT}
)
_REPORT: Final = _object(
    {
        "n": _INTEGER,
        "version": _INTEGER,
        "ended": {"type": "boolean"},
        "summary": {"type": "array", "items": _TEXT},
        "claim": {"type": "object", "description": "Whether it holds, what differs, which readings would make it true."},
        "plays": _seats(_INTEGER),
        "mistakes": {"type": "array", "items": _ref("Mistake")},
        "audit": _ref("Audit"),
        "moment": _ref("Explanation"),
    },
    description="Who is right: made of public parts and your own cards while play goes on, of everything afterwards. "
    "`mistakes` are recorded lines that are not what the plays make.",
)
_UNPLAYABLE: Final = {
    "type": "array",
    "items": _object({"card": _CARD, "code": _TEXT, "message": _TEXT}),
    "description": "Cards of the hand that may not be played now, and why.",
}
_SEATED: Final = {
    "game": _TEXT,
    "seat": _SEAT,
    "token": _TEXT,
    "server_key": _ref("ServerKey"),
    "version": _INTEGER,
    "view": _ref("View"),
    "receipt": _ref("Receipt"),
}
_STEP: Final = _object(
    {
        "position": _TEXT,
        "version": _INTEGER,
        "hand": _INTEGER,
        "at": _INTEGER,
        "type": _TEXT,
        "text": _TEXT,
        "why": {"type": "array", "items": _TEXT},
        "hands": _seats(_CARDS),
        "tricks": _seats(_INTEGER),
        "totals": _seats(_INTEGER),
        "table": _object(
            {"phase": _TEXT, "seats": _seats(_MOMENT_PLAYER)},
            {
                "first": _SEAT,
                "turn": _SEAT,
                "spades_broken": {"type": "boolean"},
                "draft": _object({"stock": _INTEGER, "pile": _INTEGER}),
                "trick": _TRICK,
                "last_trick": _TRICK,
                "result": _RESULT,
            },
            description="What everybody may know just after the step.",
        ),
    },
    {
        "discarded": _seats(_CARDS),
        "moved": _object(
            {"to_hand": _CARDS, "to_pile": _CARDS},
            description="The cards of a draft turn or an exchange, where they may be known.",
        ),
        "drawn": _object({"seat": _SEAT, "card": _CARD}, description="The first card of the draft turn that is due."),
        "covered": _object(
            {"seat": _SEAT, "text": _TEXT, "why": {"type": "array", "items": _TEXT}},
            description="How the step is told while the hand of that seat lies face down.",
        ),
        "legal": _object({"seat": _SEAT, "cards": _CARDS}),
        "trick": _object({"number": _INTEGER, "leader": _SEAT, "cards": _PLAYED, "winner": _SEAT, "why": _TEXT}),
    },
)

_COUNTS: Final = {"made": _INTEGER, "set": _INTEGER}
_TRIED: Final = _object({"tried": _INTEGER, "made": _INTEGER})
_NUMBER: Final = {"type": "number"}
_STANDING: Final = {
    "name": _TEXT,
    "rating": _NUMBER,
    "games": _INTEGER,
    "wins": _INTEGER,
    "draws": _INTEGER,
    "bids": _object(_COUNTS),
    "nils": _TRIED,
    "double_nils": _TRIED,
    "hands": _INTEGER,
    "bags_a_hand": _NUMBER,
    "last": _INTEGER,
}
_LISTED: Final = _object(
    {
        "game": _TEXT,
        "status": {"enum": ["open", "running", "finished", "damaged"]},
        "names": _seats(_TEXT),
        "rules": _RULES,
        "hands": _INTEGER,
        "totals": _seats(_INTEGER),
        "created": _INTEGER,
        "at": _INTEGER,
    },
    {
        "result": _RESULT,
        "kept_for": _TEXT,
        "listed": {"const": True},
        "rated": {"const": True},
        "disputes": _INTEGER,
        "frozen": {"const": True, "description": "Its history was lost."},
        "after": _TEXT,
        "invite": _TEXT,
    },
    description="A game in a list; `rules` are those that differ from the standard, times are ms since 1970 UTC, "
    "`invite` is there where the seat is open to anybody, `disputes` are the open ones.",
)
_GAMES: Final = {"type": "array", "items": _LISTED}

_IMPORTED: Final = {"const": True, "description": "Only for a record from elsewhere."}
_SCHEMAS: Final[dict[str, Any]] = {
    "View": _object(
        {
            "game": _TEXT,
            "version": _INTEGER,
            "head": _HEX,
            "phase": {"enum": ["waiting", "reveal", "draft", "exchange", "bidding", "play", "ended"]},
            "rules": _RULES,
            "seats": _seats(_PLAYER),
            "receipt": _ref("Receipt"),
        },
        {
            "hand": _INTEGER,
            "first": _SEAT,
            "turn": _SEAT,
            "deadline": _INTEGER,
            "spades_broken": {"type": "boolean"},
            "draft": _object({"stock": _INTEGER}),
            "trick": _TRICK,
            "last_trick": _TRICK,
            "result": _RESULT,
            "disputes": _DISPUTED,
            "frozen": _object(
                {"version": _INTEGER},
                description="The history of this game was lost: its log once had this version. Nobody can move, no clock runs.",
            ),
            "you": _object(
                {"seat": _SEAT, "hand": _CARDS, "discarded": _CARDS, "legal": {"type": "array", "items": _LEGAL}},
                {"drawn": _CARD, "unplayable": _UNPLAYABLE},
            ),
        },
        description="The table as one reader may see it; keys that do not apply are left out.",
    ),
    "Event": _object(
        {"public": {"type": "object"}, "head": _HEX},
        {"sealed": {"type": "object"}, "receipt": _ref("Receipt")},
        description="One event: its stored public part, and its sealed part where the reader may have it.",
    ),
    "Created": _object(_SEATED, {"invite": _TEXT, "invite_link": _TEXT}),
    "Joined": _object(_SEATED),
    "Moved": _object(
        {
            "version": _INTEGER,
            "events": {"type": "array", "items": _ref("Event")},
            "view": _ref("View"),
            "receipt": _ref("Receipt"),
        }
    ),
    "Events": _object({"events": {"type": "array", "items": _ref("Event")}, "version": _INTEGER}),
    "ScoreSheet": _object(
        {
            "hands": {"type": "array", "items": _object({"hand": _INTEGER, "north": {}, "south": {}})},
            "totals": _seats(_INTEGER),
        },
        {"result": _RESULT, "corrections": {"type": "array", "items": _CORRECTED}},
    ),
    "Dispute": _DISPUTE,
    "Disputed": _object(
        {
            "version": _INTEGER,
            "events": {"type": "array", "items": _ref("Event")},
            "view": _ref("View"),
            "receipt": _ref("Receipt"),
            "dispute": _ref("Dispute"),
        }
    ),
    "Compared": _object(
        {"game": _TEXT, "seq": _INTEGER, "outcome": {"enum": ["in_log", "history_lost", "loss_accepted"]}},
        description="`in_log`: the log has this head. `history_lost`: it had it once, and the game is frozen. `loss_accepted`: "
        "the log has a note of the operator that accepts this loss.",
    ),
    "Disputes": _object(
        {"game": _TEXT, "version": _INTEGER, "disputes": {"type": "array", "items": _ref("Dispute")}},
    ),
    "Reported": _object({"game": _TEXT, "version": _INTEGER, "dispute": _ref("Dispute"), "report": _REPORT}),
    "Replay": _object(
        {"game": _TEXT, "hands": _INTEGER, "version": _INTEGER, "steps": {"type": "array", "items": _STEP}},
        {"at": {"type": "integer", "description": "The version of the step that `at` asked for."}},
    ),
    "Explanation": _object(
        {"position": _TEXT, "version": _INTEGER, "sentences": {"type": "array", "items": _TEXT}},
        {"held": _object({"seat": _SEAT, "hand": _CARDS, "open_to": _TEXT})},
    ),
    "Games": _object({"games": _GAMES}, {"next": _TEXT}),
    "PlayerPage": _object({"name": _TEXT, "games": _GAMES}, {"next": _TEXT, "rated": _object(_STANDING)}),
    "Ladder": _object({"players": {"type": "array", "items": _object({"rank": _INTEGER, **_STANDING})}}, {"next": _INTEGER}),
    "Keys": _object(
        {"keys": {"type": "array", "items": _object({"id": _HEX, "ed25519": _TEXT, "current": {"type": "boolean"}})}}
    ),
    "RulesList": _object({"ruleset": _TEXT, "standard": _RULES, "options": {"type": "array", "items": {"type": "object"}}}),
    "Version": _object({"name": _TEXT, "version": _TEXT, "api": _TEXT}),
    "Health": _object({"status": _TEXT}),
    "Readiness": _object(
        {"status": _TEXT},
        {
            "durability": _TEXT,
            "reason": _TEXT,
            "frozen": {**_INTEGER, "description": "Games whose history was lost: nothing more is written to them."},
            "frozen_games": {"type": "array", "items": _TEXT, "description": "Their ids, for the operator."},
            "followers": {
                "type": "object",
                "additionalProperties": _object({"announcements": _INTEGER, "oldest_ms": _INTEGER}),
                "description": "For each read model what its followers have not done yet.",
            },
            "lists": {**_TEXT, "description": "Why lists cannot be had, where their server is away; moves do not need it."},
        },
    ),
    "Problem": {
        "type": "object",
        "description": "RFC 9457. `code` is stable; `detail` is a sentence for a person.",
        "properties": {
            "type": _TEXT,
            "title": _TEXT,
            "status": _INTEGER,
            "detail": _TEXT,
            "code": {"type": "string", "enum": sorted(problems.STATUS)},
        },
        "required": ["type", "title", "status", "detail", "code"],
    },
}

_GAME: Final = {
    "name": "game",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[0-9a-hjkmnp-tv-z]{16}$"},
}
_NUMBER_OF_DISPUTE: Final = {"name": "n", "in": "path", "required": True, "schema": _TEXT, "example": "1"}
_NAMED: Final = {"name": "named", "in": "path", "required": True, "schema": _TEXT}
_FILE_NAME: Final = {"name": "name", "in": "path", "required": True, "schema": _TEXT}
_HTML: Final = {"description": "HTML", "content": {"text/html": {}}}
_NO_PAGE: Final = {
    str(status): {"description": "HTML that says why not", "content": {"text/html": {}}} for status in (404, 409, 503)
}
_FILE: Final = {"description": "The file", "content": {"*/*": {}}}
_POSITION: Final = {"name": "position", "in": "path", "required": True, "schema": _TEXT, "example": "3.5.2"}
_AT: Final = {
    "name": "at",
    "in": "query",
    "schema": _TEXT,
    "description": "A position: the hand it lies in, and `at`, the version of the step that shows it. A hand is shown at its "
    "beginning, a trick as it is taken.",
}
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "minLength": 22, "maxLength": 128},
    "description": "A fresh UUID for each request, the same again to repeat it. As secret as the seat.",
}
_IF_MATCH: Final = {
    "name": "If-Match",
    "in": "header",
    "schema": _TEXT,
    "description": 'The version ("187") or the whole ETag.',
}
_IF_NONE_MATCH: Final = {"name": "If-None-Match", "in": "header", "schema": _TEXT}
_LAST_EVENT_ID: Final = {
    "name": "Last-Event-ID",
    "in": "header",
    "schema": _TEXT,
    "description": "The id of the last event you received: the stream continues after it, or begins with a reset.",
}
_READER: Final[list[dict[str, list[str]]]] = [{}, {"token": []}]
_SEATED_ONLY: Final[list[dict[str, list[str]]]] = [{"token": []}]


def _query(name: str, lowest: int, highest: int, text: str) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": lowest, "maximum": highest}
    return {"name": name, "in": "query", "schema": schema, "description": text}


_LIMIT: Final = _query("limit", 1, 100, "How many at most; 50 unless said.")
_STATUS: Final = {
    "name": "status",
    "in": "query",
    "schema": {"enum": list(FILTERS)},
    "description": "`stalled`: running, and nobody has moved within the limit, or for a day where there is none.",
}
_PLAYER_NAME: Final = {"name": "player", "in": "query", "schema": _TEXT, "description": "Games this name sits in."}
_AFTER: Final = {"name": "after", "in": "query", "schema": _TEXT, "description": "The `next` of the page before."}
_NAME: Final = {"name": "name", "in": "path", "required": True, "schema": _TEXT, "example": "Ann"}


def _answer(text: str, schema: str, example: Any = None, media: str = "application/json") -> dict[str, Any]:
    content: dict[str, Any] = {"schema": _ref(schema)}
    if example is not None:
        content["example"] = example
    return {"description": text, "content": {media: content}}


def _problems(*codes: int) -> dict[str, Any]:
    return {str(code): {"$ref": f"#/components/responses/Problem{code}"} for code in codes}


def _body(schema: Any, example: Any) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document of this version."""
    spec = APISpec(
        title="Trickbook",
        version=VERSION,
        openapi_version="3.1.0",
        info={"description": "Two-player Spades on the record.", "license": {"name": "MIT", "identifier": "MIT"}},
        plugins=[MarshmallowPlugin()],
        servers=[{"url": "/"}],
    )
    spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    for name, schema in _SCHEMAS.items():
        spec.components.schema(name, schema)
    _, facts = msgspec.json.schema_components(
        [Receipt, ServerKey, Line, Audit, Mistake], ref_template="#/components/schemas/{name}"
    )
    for name, schema in facts.items():
        spec.components.schema(name, _portable(schema))
    for status, title in problems.TITLES.items():
        problem = {"application/problem+json": {"schema": _ref("Problem")}}
        spec.components.response(f"Problem{status}", {"description": title, "content": problem})
    for name in ("View", "Events", "ScoreSheet", "Replay", "Explanation", "Audit"):
        spec.components.schemas[name]["properties"]["imported"] = _IMPORTED
    for path, operations in _paths(examples(), _move_schema(spec)).items():
        spec.path(path=path, operations=operations)
    found: dict[str, Any] = spec.to_dict()
    return found


def _portable(schema: Any) -> Any:
    """Patterns as JSON Schema writes them: it has no ``\\Z``."""
    if isinstance(schema, dict):
        return {key: value.replace(r"\Z", "$") if key == "pattern" else _portable(value) for key, value in schema.items()}
    return [_portable(item) for item in schema] if isinstance(schema, list) else schema


def _move_schema(spec: APISpec) -> dict[str, Any]:
    """One schema a move: its `type`, and the fields its marshmallow schema has."""
    kinds = []
    for kind, (schema, _) in bodies.MOVES.items():
        name = "Move" + schema.__name__.removesuffix("Schema")
        spec.components.schema(f"{name}Fields", schema=schema)
        fields = spec.components.schemas[f"{name}Fields"]
        del spec.components.schemas[f"{name}Fields"]
        properties = {"type": {"const": kind}, **fields.get("properties", {})}
        required = ["type", *fields.get("required", [])]
        whole = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        spec.components.schema(name, {**whole, "description": (schema.__doc__ or "").strip()})
        kinds.append(_ref(name))
    return {"oneOf": kinds}


def _paths(example: dict[str, Any], move: dict[str, Any]) -> dict[str, Any]:
    game = "/v1/games/{game}"
    ask_create = {"name": "Ann", "rules": {"target": 300}, "first": "south"}
    ask_join = {"name": "Bo", "invite": example["created"]["invite"]}
    reads = _problems(401, 404, 409, 503)

    def get(text: str, ok: dict[str, Any], more: dict[str, Any], parameters: list[Any], security: Any = None) -> dict[str, Any]:
        operation = {"summary": text, "parameters": parameters, "responses": {"200": ok, **more}}
        return {"get": operation | ({} if security is None else {"security": security})}

    return {
        "/v1/games": {
            "post": {
                "summary": "Make a game and sit north",
                "parameters": [_KEY],
                "requestBody": _body(bodies.CreateSchema, ask_create),
                "responses": {
                    "201": _answer("The game, your token and the invite to pass on", "Created", example["created"]),
                    **_problems(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503),
                },
            },
            **get(
                "Games that are listed, all of them for the operator, the one made last first",
                _answer("A page of games", "Games", example["games"]),
                _problems(400, 401, 503),
                [_STATUS, _PLAYER_NAME, _AFTER, _LIMIT],
                _READER,
            ),
        },
        "/v1/players/{name}": get(
            "A player over rated games, and the games that may be listed",
            _answer("The player", "PlayerPage", example["player"]),
            _problems(400, 401, 404, 503),
            [_NAME],
            _READER,
        ),
        "/v1/leaderboard": get(
            "The ladder over rated games, the best first",
            _answer("A page of players", "Ladder", example["ladder"]),
            _problems(400, 503),
            [_query("after", 0, 10**9 - 1, "How many to pass over."), _LIMIT],
        ),
        f"{game}/join": {
            "post": {
                "summary": "Take the other seat",
                "parameters": [_GAME, _KEY],
                "requestBody": _body(bodies.JoinSchema, ask_join),
                "responses": {
                    "201": _answer("Your token and the table", "Joined", example["joined"]),
                    **_problems(400, 403, 404, 408, 409, 413, 415, 422, 503),
                },
            }
        },
        f"{game}/moves": {
            "post": {
                "summary": "Make a move",
                "security": _SEATED_ONLY,
                "parameters": [_GAME, {**_KEY, "required": True}, _IF_MATCH],
                "requestBody": _body(move, {"type": "play", "card": "QS"}),
                "responses": {
                    "201": _answer("The events of the move and the table after it", "Moved", example["moved"]),
                    **_problems(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 428, 503),
                },
            }
        },
        game: get(
            "The table as you may see it; waits for news with `wait` and If-None-Match",
            _answer("The view", "View", example["view"]),
            {"304": {"description": "No news"}, **_problems(400, 401, 404, 409, 429, 503)},
            [_GAME, _query("wait", 0, 25, "Seconds to wait for news."), _IF_NONE_MATCH],
            _READER,
        ),
        f"{game}/events": get(
            "The events as you may have them: 500 at most, or a live stream",
            {
                "description": "The events after a version",
                "content": {
                    "application/json": {"schema": _ref("Events"), "example": example["events"]},
                    "application/x-ndjson": {"schema": _ref("Event"), "example": example["events"]["events"][0]},
                    "text/event-stream": {"schema": {"type": "string"}},
                },
            },
            _problems(400, 401, 404, 406, 409, 429, 503),
            [_GAME, _query("after", 0, 10**9 - 1, "The last version you have."), _LAST_EVENT_ID],
            _READER,
        ),
        f"{game}/scoresheet": get(
            "Every scored hand with its arithmetic",
            _answer("The score sheet", "ScoreSheet", example["scoresheet"]),
            reads,
            [_GAME],
            _READER,
        ),
        f"{game}/replay": get(
            "The game step by step",
            _answer("The steps", "Replay", example["steps"]),
            _problems(400, 401, 404, 409, 503),
            [
                _GAME,
                _query("hand", 0, 1000, "One hand only; 0 is what came before the first."),
                _AT,
                _query("after", 0, 10**9 - 1, "Only what followed this version."),
            ],
            _READER,
        ),
        f"{game}/explain/{{position}}": get(
            "Why one moment was as it was",
            _answer("The sentences", "Explanation", example["explanation"]),
            reads,
            [_GAME, _POSITION],
            _READER,
        ),
        f"{game}/disputes": {
            "post": {
                "summary": "Say that the score is wrong, while play goes on or afterwards",
                "security": _SEATED_ONLY,
                "parameters": [_GAME, {**_KEY, "required": True}, _IF_MATCH],
                "requestBody": _body(dispute_bodies.NewDisputeSchema, example["ask_dispute"]),
                "responses": {
                    "201": _answer("The dispute, its event and its receipt", "Disputed", example["disputed"]),
                    **_problems(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 503),
                },
            },
            **get(
                "The disputes of the game: for its players and the operator",
                _answer("The disputes", "Disputes", example["disputes"]),
                _problems(401, 403, 404, 409, 503),
                [_GAME],
                _SEATED_ONLY,
            ),
        },
        f"{game}/disputes/{{n}}": get(
            "One dispute with the report on it: who is right, and why",
            _answer("The dispute and its report", "Reported", example["reported"]),
            _problems(401, 403, 404, 409, 503),
            [_GAME, _NUMBER_OF_DISPUTE],
            _SEATED_ONLY,
        ),
        f"{game}/disputes/{{n}}/settlement": {
            "post": {
                "summary": "Settle a dispute and correct recorded scores (operator)",
                "security": _SEATED_ONLY,
                "parameters": [_GAME, _NUMBER_OF_DISPUTE, {**_KEY, "required": True}, _IF_MATCH],
                "requestBody": _body(dispute_bodies.NewSettlementSchema, example["ask_settlement"]),
                "responses": {
                    "201": _answer("The settlement, its events and its receipt", "Disputed", example["settled"]),
                    **_problems(400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 503),
                },
            }
        },
        f"{game}/receipts": {
            "post": {
                "summary": "Compare a receipt that you kept with the log; a valid one that contradicts it freezes the game",
                "parameters": [_GAME],
                "requestBody": _body(_ref("Receipt"), example["moved"]["receipt"]),
                "responses": {
                    "200": _answer("What the log says of it", "Compared"),
                    **_problems(400, 404, 405, 408, 409, 413, 415, 422, 503),
                },
            }
        },
        f"{game}/record": get(
            "The portable record: open once play has ended, to a seat before",
            {"description": "NDJSON: header, events, receipt", "content": {"application/x-ndjson": {"schema": {}}}},
            _problems(401, 403, 404, 409, 503),
            [_GAME],
            _READER,
        ),
        f"{game}/audit": get(
            "The audit, also of a damaged log: open once play has ended, to the operator before",
            _answer("Findings and verdict", "Audit", example["audit"]),
            _problems(401, 403, 404, 503),
            [_GAME],
            _READER,
        ),
        "/v1/keys": get("The keys receipts are signed with", _answer("Keys", "Keys", example["keys"]), {}, []),
        "/v1/rules": get("The standard ruleset and every option", _answer("Rules", "RulesList"), {}, []),
        "/v1/openapi.json": get("This document", {"description": "OpenAPI 3.1"}, {}, []),
        "/docs": get("This document as a page", _HTML, {}, []),
        "/docs.css": get("The page's stylesheet", {"description": "CSS", "content": {"text/css": {}}}, {}, []),
        "/healthz": get("Whether the process answers", _answer("It does", "Health"), {}, []),
        "/readyz": get(
            "Whether moves are accepted, and how durable they are",
            _answer("They are", "Readiness"),
            {"401": {"$ref": "#/components/responses/Problem401"}, "503": _answer("They are not", "Readiness")},
            [],
        ),
        "/metrics": get(
            "Gauges for the operator, in the Prometheus text format",
            {"description": "The gauges", "content": {"text/plain": {}}},
            _problems(401, 403, 503),
            [],
            _SEATED_ONLY,
        ),
        "/version": get("Which Trickbook this is", _answer("Name and version", "Version"), {}, []),
        "/": get("Start, join or watch a game, as a page", _HTML, {}, []),
        "/g/{game}": get("The table, as a page", _HTML, _NO_PAGE, [_GAME]),
        "/g/{game}/replay": get("The game step by step, as a page", _HTML, _NO_PAGE, [_GAME]),
        "/g/{game}/score": get("The score sheet, as a page", _HTML, _NO_PAGE, [_GAME]),
        "/static/{name}": get("A file of the pages", _FILE, _problems(404), [_FILE_NAME]),
        "/static/{named}/{name}": get("A file of the pages, cacheable", _FILE, _problems(404), [_NAMED, _FILE_NAME]),
    }
