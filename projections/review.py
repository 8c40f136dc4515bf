"""The fold of what is no part of play: disputes, their settlement, corrections of the score (docs/spec/additions.md).

None of them changes whose turn it is, a deadline, or whether play goes on.
"""

from typing import Final

import msgspec

from events.cards import SEATS, Seat
from events.types import SCORE_ENDS, DisputeOpened, DisputeSettled, Event, LossAccepted, ScoreCorrected
from projections.errors import Impossible
from projections.scoring import higher, score_hand
from projections.table import Dispute, Loss, Open, Result, Scored

MOST_DISPUTES: Final = 20
"""Disputes of one game, open and settled."""


MOST_LOSSES: Final = 2
"""Losses of history that the operator accepts in one game."""


def loss_accepted(o: Open, event: Event) -> Open:
    """A loss is accepted. Raises `Impossible` inside another commit, and for more than `MOST_LOSSES`."""
    data = event.data
    assert isinstance(data, LossAccepted)
    _require_whole(o, event)
    if len(o.losses) == MOST_LOSSES:
        raise Impossible(f"a game has at most {MOST_LOSSES} notes of lost history")
    return o.but(losses=(*o.losses, Loss(data.version, event.at)))


def limit(o: Open, data: DisputeOpened) -> str | None:
    """Why a seat may open no further dispute, or about this moment none, or None if it may."""
    if data.n > MOST_DISPUTES:
        return f"a game has at most {MOST_DISPUTES} disputes"
    hand = o.hand_at(data.version)
    before = next((d.n for d in o.disputes if d.settled is None and (d.seat, d.hand) == (data.seat, hand)), None)
    return None if before is None else f"{data.seat}'s dispute {before} about hand {hand} is still open"


def _require_whole(o: Open, event: Event) -> None:
    if not o.version or o.due is not None:
        raise Impossible("an event of a dispute or a correction is inside another commit")


def opened(o: Open, event: Event) -> Open:
    """A dispute is there. Raises `Impossible` for a number out of turn, an empty seat, or a moment that is not there."""
    data = event.data
    assert isinstance(data, DisputeOpened)
    _require_whole(o, event)
    if data.n != len(o.disputes) + 1:
        raise Impossible(f"dispute {data.n} follows {len(o.disputes)} disputes")
    if not (o.north.seated and o.south.seated) or data.version > o.version:
        raise Impossible(f"dispute {data.n} comes before both have sat down, or is about a moment that has not come")
    hand = o.hand_at(data.version)
    dispute = Dispute(data.n, data.seat, hand, data.version, data.head, data.claim, event.seq)
    return o.but(disputes=(*o.disputes, dispute))


def settled(o: Open, event: Event) -> Open:
    """A dispute is over. Raises `Impossible` where it is none, or not open."""
    data = event.data
    assert isinstance(data, DisputeSettled)
    _require_whole(o, event)
    found = [dispute for dispute in o.disputes if dispute.n == data.n and dispute.settled is None]
    if not found:
        raise Impossible(f"there is no open dispute {data.n}")
    done = msgspec.structs.replace(found[0], settled=event.seq, verdict=data.verdict, reason=data.reason)
    return o.but(disputes=tuple(done if dispute.n == data.n else dispute for dispute in o.disputes))


def corrected(o: Open, event: Event) -> Open:
    """The score is another from now on, at the table and on the sheet. Raises `Impossible` for a hand that has no score."""
    data = event.data
    assert isinstance(data, ScoreCorrected)
    _require_whole(o, event)
    if not 1 <= data.hand <= len(o.scores) or o.scores[data.hand - 1].hand != data.hand:
        raise Impossible(f"hand {data.hand} has no score that could be corrected")
    o = o.but(scores=reckoned(o, data))
    for seat in SEATS:
        o = o.with_player(seat, total=getattr(data.totals, seat), bags=getattr(data.bags, seat))
    if o.result is None:
        return o
    return o.but(result=Result(o.result.reason, data.winner, o.result.by, corrected=True))


def reckoned(o: Open, data: ScoreCorrected) -> tuple[Scored, ...]:
    """The sheet with the new line in its place, and the seat's later lines reckoned on from it, by what was played."""
    line, scores = data.new, list(o.scores)
    at = SEATS.index(data.seat)
    scores[data.hand - 1] = scores[data.hand - 1].with_line(data.seat, line)
    for index in range(data.hand, len(scores)):
        line = score_hand(o.rules, line.total, line.bags, *scores[index].played[at])
        scores[index] = scores[index].with_line(data.seat, line)
    return tuple(scores)


def winner_by(o: Open, north: int, south: int) -> Seat | None:
    """Who has won with these totals: the higher one where the score ended the game; else it stays as it was."""
    if o.result is None or o.result.reason not in SCORE_ENDS:
        return None if o.result is None else o.result.winner
    return higher(north, south)
