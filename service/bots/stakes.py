"""What is at stake in a hand: how good each number of tricks would be for a seat, all in all.

The points come from ``projections.scoring``; here they are only weighed against each other and against the game's end.
"""

from math import exp, sqrt
from typing import Any, Final

from events.cards import Seat, other
from events.ruleset import Ruleset, stored
from events.types import Bid, Line
from projections.scoring import outcome, score_hand
from service.bots.kinds import View

_A_HAND: Final = 55.0
"""Points that a bid usually brings in a hand, to tell how far the end is."""
_SPREAD: Final = 80.0
"""Points by which the difference of two equal players usually moves in a hand."""
_BAGS_A_HAND: Final = 1.2


class Stakes:
    """The stakes of the hand a view shows. A value is about the chance, 0 to 1, to win the game from there."""

    def __init__(self, view: View) -> None:
        self.rules: Ruleset = stored(view["rules"])
        self.hand: int = view["hand"]
        self.seat: Seat = view["you"]["seat"]
        self._mine, self._theirs = view["seats"][self.seat], view["seats"][other(self.seat)]
        self._known: dict[tuple[Bid, Bid], tuple[float, ...]] = {}

    def of(self, mine: Bid, theirs: Bid) -> tuple[float, ...]:
        """By tricks of this seat, 0 to 13: what the hand would be worth to it with these two bids."""
        if (mine, theirs) not in self._known:
            own = [self._line(self._mine, mine, tricks) for tricks in range(14)]
            its = [self._line(self._theirs, theirs, 13 - tricks) for tricks in range(14)]
            self._known[mine, theirs] = tuple(map(self._worth, own, its))
        return self._known[mine, theirs]

    def _line(self, player: dict[str, Any], bid: Bid, tricks: int) -> Line:
        return score_hand(self.rules, player["total"], player["bags"], bid, tricks)

    def _worth(self, own: Line, its: Line) -> float:
        # Where the game is as good as decided the points still tell two moves apart.
        margin = (own.total - its.total) / 1e6
        result = outcome(self.rules, self.hand, own.total, its.total)
        if result is not None:
            return margin + (0.5 if result.winner is None else 1.0 if result.winner == "north" else 0.0)
        left = max(0.6, min((self.rules.target - max(own.total, its.total)) / _A_HAND, self.rules.max_hands - self.hand))
        lead = own.total - self._bag_cost(own, left) - its.total + self._bag_cost(its, left)
        return margin + 1 / (1 + exp(max(-50.0, min(50.0, -1.7 * lead / (_SPREAD * sqrt(left))))))

    def _bag_cost(self, line: Line, left: float) -> float:
        """Points the bags on the count are likely to cost, if the game lasts `left` hands more: the dearer the nearer they
        are to the limit."""
        if not self.rules.bag_limit:
            return 0.0
        coming = _BAGS_A_HAND * left
        return self.rules.bag_penalty * coming / (coming + self.rules.bag_limit - line.bags)
