"""Disputes for tests: opened and settled by the decider, and a version of the service that adds up a hand wrongly."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal
from unittest import mock

import msgspec

from events.cards import SEATS, Seat
from events.ruleset import Ruleset
from events.types import Bid, ClaimedScore, Event, Line, data_of
from projections import scoring
from projections.audit.score_table import recount
from service.games import consequences, dispute_decider
from service.games.dispute_requests import Correction, NewDispute, Settlement
from tests.kit.games import Game
from tests.kit.given import hands

Verdict = Literal["upheld", "rejected"]
Corrections = Mapping[tuple[int, Seat], int]


def claim(**result: Any) -> ClaimedScore:
    """A claim of the score as it stands: ``claim(north=100, winner="north")``."""
    return data_of(ClaimedScore, {"result": result})


def opened(
    game: Game, seat: Seat, *, position: str | None = None, note: str = "", claimed: ClaimedScore | None = None
) -> Event:
    """A dispute of a seat; its event."""
    ask = NewDispute(claimed or claim(north=1), position, note)
    game._accept(dispute_decider.opened(game.table, seat, ask, game.log(), game.now, game.entropy))
    return game.commits[-1][0]


def settled(
    game: Game, n: int, verdict: Verdict = "rejected", *, corrections: Corrections | None = None, reason: str = "So it is."
) -> tuple[Event, ...]:
    """A settlement; its events."""
    wanted = tuple(Correction(hand, seat, points) for (hand, seat), points in (corrections or {}).items())
    game._accept(dispute_decider.settled(game.table, n, Settlement(verdict, reason, wanted), game.log(), game.now))
    return game.commits[-1]


@contextmanager
def miscounting(wrong: Callable[[Line], Line], seat: Seat = "south", at: Sequence[int] = (1,)) -> Iterator[None]:
    """While this lasts, the service writes `wrong` in the place of a seat's line of these hands: an older version's fault."""
    real, calls = consequences.score_hand, 0

    def score(rules: Ruleset, total: int, bags: int, bid: Bid, tricks: int) -> Line:
        nonlocal calls
        calls += 1  # north's line, then south's, hand by hand
        line = real(rules, total, bags, bid, tricks)
        hand, mine = (calls + 1) // 2, ("north", "south")[(calls + 1) % 2]
        return wrong(line) if mine == seat and hand in at else line

    assert real is scoring.score_hand
    with mock.patch.object(consequences, "score_hand", score):
        yield


def more(points: int, bags: int = 0) -> Callable[[Line], Line]:
    """The fault of so many points, and bags, too many."""

    def wrong(line: Line) -> Line:
        return msgspec.structs.replace(
            line, points=line.points + points, total=line.total + points, new_bags=line.new_bags + bags, bags=line.bags + bags
        )

    return wrong


def miscounted(
    *wanted: tuple[int | str, int | str, int],
    wrong: Callable[[Line], Line] | None = None,
    seat: Seat = "south",
    at: Sequence[int] = (1,),
    rules: Mapping[str, Any] | None = None,
) -> Game:
    """A game of whole hands (`tests.kit.given.hands`) of which the service has recorded some lines wrongly."""
    with miscounting(wrong or more(100), seat, at):
        return hands(*wanted, rules=rules)


def due(game: Game) -> dict[tuple[int, Seat], int]:
    """The corrections that put a game's score right: the first wrong line of each seat, and its points."""
    lines, found = recount(game.events).lines, {}
    for seat in SEATS:
        wrong = next((s for s in game.table.open.scores if s.line(seat) != lines[seat][s.hand - 1]), None)
        if wrong is not None:
            right = lines[seat][wrong.hand - 1]
            found[wrong.hand, seat] = right.points - right.penalty
    return found
