"""Judges of what is no part of play: disputes, their settlement, corrections (docs/spec/additions.md).

A correction is founded only where it puts what the plays make in the place of what was recorded.
"""

from collections.abc import Iterator

from events.cards import SEATS
from events.types import DisputeOpened, DisputeSettled, Event, LossAccepted, ScoreCorrected
from projections.audit.codes import Code
from projections.audit.judging import HandState, Problem, Stop, owner
from projections.audit.phrases import phrase
from projections.review import limit
from projections.table import Open, Table


def opened(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """A dispute: its number, the event and head it is about, and the limits on disputes. Raises `Stop`."""
    data, o = event.data, table.open
    assert isinstance(data, DisputeOpened)
    yield from owner(event, "house")
    if data.n != len(o.disputes) + 1 or data.version > o.version or not (o.north.seated and o.south.seated):
        raise Stop(
            Code.WRONG_DISPUTE, f"dispute {data.n} of event {data.version} is opened after {len(o.disputes)} at {o.version}"
        )
    if hand.game.heads.get(data.version, b"").hex() != data.head:
        yield Code.WRONG_DISPUTE, f"dispute {data.n} names another head than that of event {data.version}"
    over = limit(o, data)
    if over is not None:
        yield Code.WRONG_DISPUTE, f"dispute {data.n} should not have been taken: {over}"


def settled(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """A settlement: that its dispute is open. Raises `Stop`."""
    data = event.data
    assert isinstance(data, DisputeSettled)
    if not any(dispute.n == data.n and dispute.settled is None for dispute in table.open.disputes):
        raise Stop(Code.WRONG_DISPUTE, f"dispute {data.n} is settled, but no such dispute is open")
    yield from ()


def loss_accepted(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """A note, and no finding: the operator says that history was lost."""
    data = event.data
    assert isinstance(data, LossAccepted)
    message = (
        f"The operator accepts that history was lost: event {data.version} with head {data.head[:16]}… followed event "
        f"{table.open.version} once, or another event in its place, and no copy is left"
    )
    hand.game.losses.append((event.seq, message))
    yield from ()


def follows(hand: HandState, event: Event, commits: frozenset[int] | None) -> Iterator[Problem]:
    """A correction stands in the commit of a settlement. Raises `Stop` where it does not."""
    before = hand.game.before
    if before is None or not isinstance(before.data, DisputeSettled | ScoreCorrected):
        raise Stop(Code.WRONG_EVENT, f"nothing before event {event.seq} brings {phrase(event.type.name)} now")
    if event.at != before.at:
        yield Code.COMMIT_SPLIT, f"event {event.seq} belongs to the commit of event {before.seq} but has another time"
    if commits is not None and before.seq in commits:
        yield Code.COMMIT_SPLIT, f"a commit ends with event {before.seq}, inside a settlement"


def corrected(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """A correction: that the score it changes was recorded wrongly. Raises `Stop` where the hand has no score."""
    data, o = event.data, table.open
    assert isinstance(data, ScoreCorrected)
    if not 1 <= data.hand <= len(o.scores):
        raise Stop(Code.UNFOUNDED_CORRECTION, f"hand {data.hand} is corrected, which has no score")
    why = objection(table, hand, data)
    if why is not None:
        yield Code.UNFOUNDED_CORRECTION, f"the score of {data.seat} in hand {data.hand} is corrected, but {why}"
        return
    for wrong in hand.game.wrong:
        if wrong.seat == data.seat and wrong.hand >= data.hand and wrong.mended_by is None:
            wrong.mended_by = event


def objection(table: Table, hand: HandState, data: ScoreCorrected) -> str | None:
    """Why a correction of a scored hand is not what the plays make it, or None if it is."""
    o, lines = table.open, hand.game.recount.lines[data.seat]
    wrong = [number for number, line in enumerate(lines, 1) if o.scores[number - 1].line(data.seat) != line]
    if not wrong:
        return "every line of that seat is what the plays make it"
    if wrong[0] != data.hand:
        return f"its first wrong line is that of hand {wrong[0]}"
    if data.old != o.scores[data.hand - 1].line(data.seat):
        return "that is not the line that stood there"
    right = lines[data.hand - 1]
    if data.new != right:
        return f"the plays make it total {right.total}, bags {right.bags}, not total {data.new.total}, bags {data.new.bags}"
    others = {seat: (o.player(seat).total, o.player(seat).bags) for seat in SEATS}
    others[data.seat] = (lines[-1].total, lines[-1].bags)
    if any((getattr(data.totals, seat), getattr(data.bags, seat)) != others[seat] for seat in SEATS):
        text = ", ".join(f"{seat} {total} with {bags} bags" for seat, (total, bags) in others.items())
        return f"from then on it is {text}, not as it says"
    if data.winner != _winner(o, others["north"][0], others["south"][0]):
        return f"{data.winner or 'nobody'} is not who has won by it"
    return None


def _winner(o: Open, north: int, south: int) -> str | None:
    """The audit's own word on who has won: play stays ended as it was, the higher total wins where a score ended it."""
    if o.result is None:
        return None
    if o.result.by is not None or o.result.reason == "abandoned":
        return o.result.winner
    return {True: "north", False: "south"}[north > south] if north != south else None
