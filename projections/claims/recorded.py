"""Claims as an event holds them (`events.types.ClaimedScore`) and back: the same figures, not the places they were said at."""

from collections.abc import Iterator

from events.cards import SEATS, Seat
from events.types import ClaimedHand, ClaimedResult, ClaimedScore, Figures
from projections.claims.claim import FIGURES, BadClaim, Claim, ClaimedFigure


def claim_of(recorded: ClaimedScore) -> Claim:
    """The figures that are claimed. Raises `BadClaim` where a hand is named twice."""
    numbers = [hand.hand for hand in recorded.hands]
    if len(set(numbers)) < len(numbers):
        raise BadClaim("a hand is named twice: put its figures together")
    return tuple(_figures(recorded))


def _figures(recorded: ClaimedScore) -> Iterator[ClaimedFigure]:
    for hand in recorded.hands:
        for seat in SEATS:
            figures: Figures | None = getattr(hand, seat)
            for figure in FIGURES if figures is not None else ():
                value = getattr(figures, figure)
                if value is not None:
                    yield ClaimedFigure(hand.hand, seat, figure, value)
    result = recorded.result
    if result is not None:
        for seat in SEATS:
            total: int | None = getattr(result, seat)
            if total is not None:
                yield ClaimedFigure(None, seat, "total", total)
        if result.winner is not None:
            yield ClaimedFigure(None, None, "winner", result.winner)


def recorded(claim: Claim) -> ClaimedScore:
    """A claim as an event holds it. Raises `BadClaim` for a figure of the end that is neither a total nor the winner."""
    hands: dict[int, dict[Seat, dict[str, object]]] = {}
    result: dict[str, object] = {}
    for said in claim:
        if said.hand is not None and said.seat is not None:
            hands.setdefault(said.hand, {}).setdefault(said.seat, {})[said.figure] = said.value
        elif said.figure == "winner":
            result["winner"] = said.value
        elif said.figure == "total" and said.seat is not None:
            result[said.seat] = said.value
        else:
            raise BadClaim(f"{said.figure} of the end cannot be disputed: name the hand, as in 3.{said.seat}.{said.figure}=…")
    found = [
        ClaimedHand(number, **{seat: Figures(**figures) for seat, figures in seats.items()})  # type: ignore[arg-type]
        for number, seats in sorted(hands.items())
    ]
    return ClaimedScore(tuple(found), ClaimedResult(**result) if result else None)  # type: ignore[arg-type]
