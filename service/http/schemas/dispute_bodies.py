"""The schemas of what may be sent about a score (marshmallow): a dispute, its settlement. Form only, as in ``schemas``."""

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, validate

from events.cards import SEATS
from events.types import MOST_HANDS, MOST_TEXT, BadEvent, ClaimedScore, data_of
from projections.claims.claim import WINNERS
from service.games.dispute_requests import Correction, NewDispute, Settlement
from service.http.schemas.bodies import Strict, loaded


def _integer(text: str, **kwargs: Any) -> fields.Integer:
    return fields.Integer(strict=True, metadata={"description": text}, **kwargs)


def _sentence(text: str, **kwargs: Any) -> fields.String:
    return fields.String(validate=validate.Length(1, MOST_TEXT), metadata={"description": text}, **kwargs)


class BidField(fields.Field[Any]):
    """A bid: a number of tricks, or ``double_nil``."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if value != "double_nil" and not (type(value) is int and 0 <= value <= 13):
            raise ValidationError('A bid is a number of tricks from 0 to 13, or "double_nil".')
        return value


_BID = {"oneOf": [{"type": "integer", "minimum": 0, "maximum": 13}, {"const": "double_nil"}]}


class FiguresSchema(Strict):
    """What is claimed of a seat in a hand; at least one figure."""

    bid = BidField(metadata=_BID)
    tricks = _integer("Tricks taken.", validate=validate.Range(0, 13))
    points = _integer("What the hand changed the score by, a bag penalty included.")
    bags = _integer("Bags on the count after the hand.")
    total = _integer("The score after the hand.")


class ClaimedHandSchema(Strict):
    """What is claimed of one hand."""

    hand = _integer("The number of the hand.", required=True, validate=validate.Range(1, MOST_HANDS))
    north = fields.Nested(FiguresSchema)
    south = fields.Nested(FiguresSchema)


class ClaimedResultSchema(Strict):
    """What is claimed of the score as it stands."""

    north = _integer("North's score.")
    south = _integer("South's score.")
    winner = fields.String(validate=validate.OneOf(WINNERS))


class ClaimSchema(Strict):
    """What is claimed, hand by hand, of the score as it stands, or of both; at least one figure."""

    hands = fields.List(fields.Nested(ClaimedHandSchema), validate=validate.Length(0, MOST_HANDS))
    result = fields.Nested(ClaimedResultSchema)


class NewDisputeSchema(Strict):
    """A dispute about the score."""

    position = fields.String(
        validate=validate.Length(1, 16),
        metadata={"description": "The moment it is about: v57, 3, 3.5, 3.5.2, 3.d7, 3.x1, 3.b2, 3.s. Standard: now."},
    )
    claim = fields.Nested(ClaimSchema, required=True, metadata={"description": "What you say the score is. Everybody sees it."})
    note = fields.String(
        validate=validate.Length(0, MOST_TEXT),
        metadata={"description": f"{MOST_TEXT} characters for the operator and the other player, sealed, never opened."},
    )


class CorrectionSchema(Strict):
    """A line that was recorded wrongly: taken only if the plays make it what is written here."""

    hand = _integer("The number of the hand.", required=True, validate=validate.Range(1, MOST_HANDS))
    seat = fields.String(required=True, validate=validate.OneOf(SEATS))
    points = _integer("What the hand should have changed the score by, a bag penalty included.", required=True)
    why = _sentence("Why it was wrong. Standard: the reason of the settlement.")


class NewSettlementSchema(Strict):
    """The operator's word on a dispute."""

    verdict = fields.String(required=True, validate=validate.OneOf(("upheld", "rejected")))
    reason = _sentence("Why, for everybody to read.", required=True)
    corrections = fields.List(fields.Nested(CorrectionSchema), validate=validate.Length(0, 2 * MOST_HANDS))


def dispute(body: Mapping[str, Any]) -> NewDispute:
    """The dispute of a body. Raises `Refused` (`invalid`)."""
    asked = loaded(NewDisputeSchema(), body)
    return NewDispute(_claimed(asked["claim"]), asked.get("position"), asked.get("note", ""))


def _claimed(claim: Mapping[str, Any]) -> ClaimedScore:
    try:
        return data_of(ClaimedScore, claim)
    except BadEvent as error:  # the schema has let nothing through that does not fit
        raise ValidationError(str(error)) from None


def settlement(body: Mapping[str, Any]) -> Settlement:
    """The settlement of a body. Raises `Refused` (`invalid`)."""
    asked = loaded(NewSettlementSchema(), body)
    corrections = tuple(Correction(**one) for one in asked.get("corrections", ()))
    return Settlement(asked["verdict"], asked["reason"], corrections)
