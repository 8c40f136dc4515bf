"""The schemas of what may be sent (marshmallow): form only, every unknown field refused. Whether it is legal is asked later."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from marshmallow import RAISE, Schema, ValidationError, fields, validate

from events.cards import CARD_PATTERN, SEATS, Card, Seat
from events.ruleset import OPTIONS, RuleOption, Ruleset, with_options
from events.types import GAME_ID
from service.base import names
from service.games import moves
from service.games.moves import NewPlayer
from service.games.refusals import Refused

HEX32: Final = r"^[0-9a-f]{64}\Z"
_HEX_ERROR: Final = "Must be 64 lower-case hex digits."


class Strict(Schema):
    """A schema that takes no field it does not know."""

    class Meta:
        unknown = RAISE

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        known = f"It takes {', '.join(sorted(self.fields))}" if self.fields else "This object takes no fields"
        self.error_messages = {**self.error_messages, "unknown": f"Unknown field. {known}."}


class Name(fields.String):
    """A player's name, as it is stored."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(metadata={"description": description, "pattern": names.PATTERN}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        name = names.entered(super()._deserialize(value, attr, data, **kwargs))
        if name is None:
            raise ValidationError(f"A name has {names.ALLOWED}.")
        if (objection := names.objection(name)) is not None:
            raise ValidationError(objection)
        return name


def _option(option: RuleOption) -> fields.Field[Any]:
    if option.choices:
        return fields.String(validate=validate.OneOf(option.choices), metadata=_described(option))
    bounds = validate.Range(option.lowest, option.highest)
    return fields.Integer(strict=True, validate=bounds, metadata=_described(option))


def _described(option: RuleOption) -> dict[str, Any]:
    standard = "none" if option.standard is None else option.standard
    return {"description": f"{option.meaning[0].upper()}{option.meaning[1:]}. Standard: {standard}."}


Rules = Strict.from_dict({name: _option(option) for name, option in OPTIONS.items()}, name="Rules")


def _card(**kwargs: Any) -> fields.String:
    error = "A card is a rank of 23456789TJQKA and a suit of CDHS, like QS or TD."
    return fields.String(validate=validate.Regexp(CARD_PATTERN, error=error), **kwargs)


def _contribution() -> fields.String:
    text = "The commitment to 32 random bytes of your own, 64 hex digits; they are revealed before the first hand."
    return fields.String(validate=validate.Regexp(HEX32, error=_HEX_ERROR), metadata={"description": text})


class Flag(fields.Boolean):
    """true or false, and nothing that merely resembles them."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if value is not True and value is not False:
            raise ValidationError("Must be true or false.")
        return value


class CreateSchema(Strict):
    """A new game; whoever creates it sits north."""

    name = Name(f"Your name: {names.ALLOWED}. Only a rematch may leave it out.")
    rules = fields.Nested(Rules, metadata={"description": "What differs from the standard ruleset."})
    first = fields.String(validate=validate.OneOf(SEATS), metadata={"description": "First player of hand 1. Standard: north."})
    opponent = fields.String(
        validate=validate.Equal("house"), metadata={"description": "The house takes the other seat.", "enum": ["house"]}
    )
    contribution = _contribution()
    listed = Flag(metadata={"description": "Anybody may see this game in the lists, and join it while its seat is open."})
    rated = Flag(metadata={"description": "It counts for the ladder. Needs the operator's token and `opponent_name`."})
    opponent_name = Name("The one name that may take the other seat.")
    after = fields.String(
        validate=validate.Regexp(GAME_ID, error="Must be the id of a game."),
        metadata={
            "description": "The game this is the rematch of, asked for with the token of one of its seats: the same two, the "
            "same rules unless others are given, the first player swapped."
        },
    )


class JoinSchema(Strict):
    """The other seat."""

    name = Name(f"Your name: {names.ALLOWED}.", required=True)
    invite = fields.String(
        required=True, validate=validate.Length(1, 400), metadata={"description": "The invite, as it was passed on."}
    )
    contribution = _contribution()


class RevealSchema(Strict):
    """Reveal the bytes you committed to; only after you have checked what stands in the log so far."""

    bytes = fields.String(required=True, validate=validate.Regexp(HEX32, error=_HEX_ERROR))


class LookSchema(Strict):
    """Give up double nil for this hand and see the first card."""


class DoubleNilSchema(Strict):
    """Bid double nil before any card of the hand is seen."""


class KeepSchema(Strict):
    """Keep the drawn card."""


class PassSchema(Strict):
    """Pass the drawn card and take the next."""


class ExchangeSchema(Strict):
    """Throw cards and draw as many from the pile."""

    discard = fields.List(_card(), required=True, validate=validate.Length(0, 3))


class BidSchema(Strict):
    """Bid a number of tricks; 0 is nil."""

    tricks = fields.Integer(required=True, strict=True, validate=validate.Range(0, 13))


class PlaySchema(Strict):
    """Play a card."""

    card = _card(required=True)


class ResignSchema(Strict):
    """Give up the game."""


class ClaimTimeoutSchema(Strict):
    """Claim that the other player has run out of time."""


MOVES: dict[str, tuple[type[Strict], type[Any]]] = {
    "reveal": (RevealSchema, moves.Reveal),
    "look": (LookSchema, moves.Look),
    "double_nil": (DoubleNilSchema, moves.DoubleNil),
    "keep": (KeepSchema, moves.Keep),
    "pass": (PassSchema, moves.Pass),
    "exchange": (ExchangeSchema, moves.Exchange),
    "bid": (BidSchema, moves.Bid),
    "play": (PlaySchema, moves.Play),
    "resign": (ResignSchema, moves.Resign),
    "claim_timeout": (ClaimTimeoutSchema, moves.ClaimTimeout),
}
"""Each move by its type: the schema of its other fields, and the value it becomes."""


def loaded(schema: Schema, body: Mapping[str, Any]) -> dict[str, Any]:
    """What a schema makes of a body. Raises `Refused` (`invalid`) with the place of the first error."""
    try:
        found: dict[str, Any] = schema.load(body)
    except ValidationError as error:
        errors: dict[str, Any] = error.messages_dict
        raise Refused("invalid", _sentence(errors), errors=errors) from None
    return found


def _sentence(errors: Mapping[str, Any], path: str = "") -> str:
    """The first error as a sentence: where and what."""
    where, what = next(iter(errors.items()))
    here = f"{path}{where}"
    if isinstance(what, Mapping):
        return _sentence(what, f"{here}.")
    return f"{here}: {what[0]}"


class CreateAsk(msgspec.Struct, frozen=True):
    """A create as it was sent; None for what was left out."""

    name: str | None = None
    rules: dict[str, Any] | None = None
    first: Seat | None = None
    opponent: Literal["house"] | None = None
    contribution: str | None = None
    listed: bool = False
    rated: bool = False
    opponent_name: str | None = None
    after: str | None = None


def create(body: Mapping[str, Any]) -> CreateAsk:
    """What a create asks for, by its form alone. Raises `Refused` (`invalid`)."""
    return CreateAsk(**loaded(CreateSchema(), body))


def rules(given: Mapping[str, Any] | None) -> Ruleset:
    """The standard ruleset with the options given."""
    return with_options(given or {})


def new_player(body: Mapping[str, Any]) -> NewPlayer:
    """What a join asks for. Raises `Refused` (`invalid`)."""
    asked = loaded(JoinSchema(), body)
    return NewPlayer(asked["name"], asked["invite"], asked.get("contribution"))


def move(body: Mapping[str, Any]) -> moves.Move:
    """The move of a body. Raises `Refused` (`invalid`)."""
    kind = body.get("type")
    if not isinstance(kind, str) or kind not in MOVES:
        known = ", ".join(MOVES)
        raise Refused("invalid", f"type: must be one of {known}", errors={"type": [f"Must be one of: {known}."]})
    schema, value = MOVES[kind]
    asked = loaded(schema(), {key: item for key, item in body.items() if key != "type"})
    found: moves.Move
    match kind:
        case "exchange":
            found = moves.Exchange(tuple(Card(card) for card in asked["discard"]))
        case _:
            found = value(**asked)
    return found
