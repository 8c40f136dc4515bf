"""Games as facts, for tests of claims: bids and tricks as they would be dictated."""

import random
from collections.abc import Sequence
from typing import Any

from events.cards import SEATS
from events.ruleset import with_options
from events.types import Bid
from projections.claims import Claim, ClaimAnswer, ClaimedFigure, Facts, answer
from projections.claims.claim import FIGURES, figure_of
from projections.claims.facts import Fact, Ledger, ScoredHand
from projections.claims.reading import from_words
from projections.scoring import outcome
from projections.table import Result

Played = tuple[Bid, Bid, int]
"""North's bid, south's bid, the tricks north took."""

FIVE: tuple[Played, ...] = ((4, 5, 7), (3, 0, 9), (5, 6, 6), (4, 3, 6), ("double_nil", 4, 0))
"""The sheet, by hand:
north +43=43 (3), +36=79 (9), +51−100=30 (0), +42=72 (2), +200=272 (2)
south +51=51 (1), −100=−49 (1), +61=12 (2), +34=46 (6), +49−100=−5 (5)"""


def facts(*hands: Played, **rules: Any) -> Facts:
    """The facts of these hands; the game has ended where its rules say so."""
    made = []
    for number, (north, south, takes) in enumerate(hands, 1):
        bids = (f"{number}.b2", f"{number}.b1")
        made.append(ScoredHand(number, Fact(north, takes, bids[0]), Fact(south, 13 - takes, bids[1])))
    found = Facts(with_options(rules), tuple(made))
    ledger = found.ledger()
    over = outcome(found.rules, len(made), *(ledger[seat][-1].total for seat in SEATS)) if made else None
    result = None if over is None else Result(over.reason, over.winner)
    return Facts(found.rules, found.hands, result)


def random_facts(seed: int, hands: int, **rules: Any) -> Facts:
    """A game with nils of both kinds, sets and bags."""
    dice = random.Random(seed)
    played: list[Played] = []
    for _ in range(hands):
        takes = dice.randint(0, 13)
        bids: list[Bid] = []
        for tricks in (takes, 13 - takes):
            kind = dice.random()
            bids.append("double_nil" if kind < 0.08 else 0 if kind < 0.2 else max(1, min(13, tricks - dice.randint(-1, 3))))
        played.append((bids[0], bids[1], takes))
    return facts(*played, **rules)


def whole(ledger: Ledger, figures: Sequence[str] = FIGURES) -> Claim:
    """A claim of every line of a sheet."""
    return tuple(
        ClaimedFigure(at + 1, seat, figure, figure_of(line, figure))
        for seat in SEATS
        for at, line in enumerate(ledger[seat])
        for figure in FIGURES
        if figure in figures
    )


def last(ledger: Ledger) -> Claim:
    """A claim of the totals and bags at the end."""
    return tuple(
        ClaimedFigure(None, seat, figure, figure_of(ledger[seat][-1], figure))
        for seat in SEATS
        for figure in FIGURES
        if figure in ("total", "bags")
    )


class Clock:
    """Processor time that stands still, or goes on by `step` seconds each time it is asked for."""

    def __init__(self, step: float = 0) -> None:
        self.step, self.time = step, 0.0

    def __call__(self) -> float:
        self.time += self.step
        return self.time


def asked(game: Facts, claim: str | Claim, step: float = 0) -> ClaimAnswer:
    """The answer to a claim, in words or as it is."""
    return answer(game, from_words(claim, game.names) if isinstance(claim, str) else claim, Clock(step))
