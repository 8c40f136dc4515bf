"""What somebody claims about a score: single figures, each of a hand or of the end, with the place where it was said."""

from typing import Final, Literal

import msgspec

from events.cards import SEATS, Seat
from events.ruleset import Ruleset
from events.types import EARLY_ENDS, Bid, Line
from projections.claims.facts import Facts, Ledger
from projections.scoring import higher, outcome

Figure = Literal["bid", "tricks", "points", "bags", "total", "winner"]
FIGURES: Final[tuple[Figure, ...]] = ("bid", "tricks", "points", "bags", "total")
"""The figures of a seat in a hand, in the order they are compared. `points` is what the hand changed the score by, a bag
penalty included; `bags` the count after the hand."""

WINNERS: Final = ("north", "south", "draw", "none")
"""What may be claimed of the end: a winner, a draw, or that nobody has won yet."""


class ClaimedFigure(msgspec.Struct, frozen=True):
    """One figure. `hand` is None for the end, `seat` is None for the winner; `at` says where it stands ("line 7")."""

    hand: int | None
    seat: Seat | None
    figure: Figure
    value: int | str
    at: str = ""

    @property
    def order(self) -> tuple[int, int, int]:
        """Hand by hand, north before south, cause before effect; the end last."""
        hand = 1_000_000 if self.hand is None else self.hand
        seat = 2 if self.seat is None else SEATS.index(self.seat)
        return hand, seat, 9 if self.figure == "winner" else FIGURES.index(self.figure)


Claim = tuple[ClaimedFigure, ...]


class BadClaim(ValueError):
    """A claim that cannot be read or compared; the message says where and what was expected."""


def figure_of(line: Line, figure: Figure) -> Bid | str:
    """A figure of a line."""
    if figure == "points":
        return line.points - line.penalty
    found: Bid = getattr(line, figure)
    return found


def winner_of(rules: Ruleset, facts: Facts, ledger: Ledger) -> str:
    """Who has won with these lines under these rules, one of `WINNERS`.

    An end that no score brings about (a resignation) is taken as it was, and so is that play ended where the score was put
    right afterwards: no correction ends or reopens a game.
    """
    walked_off = facts.result is not None and facts.result.reason in EARLY_ENDS
    corrected = facts.result is not None and facts.result.corrected
    if facts.hands and not (walked_off and corrected):
        north, south = (ledger[seat][-1].total for seat in SEATS)
        if corrected:
            return higher(north, south) or "draw"
        over = outcome(rules, facts.hands[-1].number, north, south)
        if over is not None:
            return over.winner or "draw"
    if facts.result is not None and walked_off:
        return facts.result.winner or "none"
    return "none"


def check_hand(said: ClaimedFigure) -> None:
    """Raises `BadClaim` where a claim names a hand before the first."""
    if said.hand is not None and said.hand < 1:
        where = f"{said.at}: " if said.at else ""
        raise BadClaim(f"{where}there is no hand {said.hand}: hands are counted from 1")


def check(facts: Facts, claim: Claim) -> None:
    """Raises `BadClaim` where a claim names a hand that has not been scored."""
    last = len(facts.hands)
    for said in claim:
        check_hand(said)
        if said.hand is not None and said.hand > last:
            where = f"{said.at}: " if said.at else ""
            scored = f"its last scored hand is {last}" if last else "no hand has been scored"
            raise BadClaim(f"{where}this game has no score of hand {said.hand}: {scored}")
    if not claim:
        raise BadClaim("nothing is claimed: name at least one figure, such as north=104")
