"""Receipts that people kept: what the log says of one, and whether history was lost."""

import msgspec
from flask import Blueprint, Response

from events.canonical import encode
from events.receipts import is_canonical, read
from events.types import BadEvent
from service.games.kept_receipts import compare_receipt
from service.games.refusals import Refused
from service.http import request_reader, responses
from service.http.answers import ComparedReceipt
from service.http.routes import imported

blueprint = Blueprint("kept_receipts", __name__)


@blueprint.post("/v1/games/<game>/receipts")
@imported.or_imported(imported.read_only)
def compare(game: str) -> Response:
    """Compares a receipt with the log. Anybody may send one; only a valid one that contradicts the log changes anything."""
    body = request_reader.body_of(request_reader.raw_body())
    try:
        raw = encode(body)
        receipt = read(raw)
    except (BadEvent, ValueError, msgspec.ValidationError):
        raise Refused("bad_receipt", "the body is not a receipt: at, game, head, key, seq, signature") from None
    if not is_canonical(raw):
        raise Refused("bad_receipt", "the body is not a receipt: at, game, head, key, seq, signature")
    games = request_reader.games()
    outcome = compare_receipt(games, request_reader.game_id(game), receipt)
    return responses.json(ComparedReceipt(game, receipt.seq, outcome))
