"""Moves as events record them: what a player must have asked for when the log says that they did it."""

from collections.abc import Mapping
from typing import Any, Final

from events.cards import Seat, other
from events.types import (
    BidPlaced,
    CardKept,
    CardPlayed,
    CardsExchanged,
    ContributionRevealed,
    Data,
    DoubleNilBid,
    Event,
    Exchanged,
    GameEnded,
    Looked,
)
from projections.table import Open

CLAIM: Final = {"type": "claim_timeout"}
_MOVES: Final[dict[type[Data], str]] = {Looked: "look", DoubleNilBid: "double_nil"}


def move_of(before: Open, event: Event) -> tuple[Seat, dict[str, Any]] | None:
    """Whose move an event records, and the move; None for what follows by itself, or what the service does in nobody's name."""
    match event.data:
        case ContributionRevealed(seat, own):
            return seat, {"type": "reveal", "bytes": own}
        case Looked(_, seat) | DoubleNilBid(_, seat):
            return seat, {"type": _MOVES[type(event.data)]}
        case CardKept(_, seat, choice):
            return seat, {"type": "keep" if choice == "first" else "pass"}
        case CardsExchanged(_, seat, _):
            return seat, {"type": "exchange"}
        case BidPlaced(_, seat, tricks):
            return seat, {"type": "bid", "tricks": tricks}
        case CardPlayed(_, seat, _, card):
            return seat, {"type": "play", "card": card}
        case GameEnded(reason="resigned", by=seat) if seat is not None:
            return seat, {"type": "resign"}
        case GameEnded(reason="abandoned", by=seat) if seat is not None and not before.south.seated:
            return seat, {"type": "resign"}
        case GameEnded(reason="timed_out", by=seat) if seat is not None:
            return other(seat), CLAIM
    return None


def same_exchange(move: Mapping[str, Any], event: Event) -> bool:
    """Whether the event is the exchange that was asked for: with these cards, where they may be seen."""
    secret = event.secret
    thrown = move.get("discard", ())
    return (
        isinstance(event.data, CardsExchanged)
        and move.get("type") == "exchange"
        and event.data.count == len(thrown)
        and (secret is None or (isinstance(secret, Exchanged) and list(secret.discarded) == list(thrown)))
    )
