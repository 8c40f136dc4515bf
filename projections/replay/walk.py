"""The replay: a game as steps, one a moment that has a position, as one viewer may see it."""

from collections.abc import Sequence

import msgspec

from events.cards import SEATS
from events.types import CardDiscarded, CardKept, CardPlayed, Event, HandScored, ScoreCorrected
from projections.fold import apply
from projections.legal import options
from projections.positions import Index, of
from projections.replay.sentences import sentences, trick_reason, what
from projections.replay.step import Step, holds_all
from projections.table import Table, empty

__all__ = ["Step", "index", "is_score", "steps"]


def steps(game: str, events: Sequence[Event]) -> list[Step]:
    """All steps of a log as its reader sees it: sealed parts that are missing are simply not told.

    A draft turn is one step although it is two events. Raises `projections.fold.Impossible` for a log that cannot be folded.
    """
    found: list[Step] = []
    table, kept, before = empty(game), None, None
    for event in events:
        after = apply(table, event)
        if isinstance(event.data, CardKept):
            kept, before = event, table
        elif isinstance(event.data, CardDiscarded) and kept is not None and before is not None:
            found.append(_step(before, kept, after, event))
        else:
            found.append(_step(table, event, after, None))
        table = after
    return _mended(found)


def _mended(found: list[Step]) -> list[Step]:
    """The same, each score that was corrected later with a sentence that says where."""
    for step in found:
        data = step.event.data
        if isinstance(data, ScoreCorrected):
            at = next(i for i, each in enumerate(found) if isinstance(each.event.data, HandScored) and each.hand == data.hand)
            text = f"{data.seat.capitalize()}'s line was corrected later, at {step.position}."
            found[at] = msgspec.structs.replace(found[at], why=(*found[at].why, text))
    return found


def _step(before: Table, event: Event, after: Table, discarded: Event | None) -> Step:
    o = after.open
    hands = {seat: after.own(seat).hand for seat in SEATS if o.hand and after.own(seat).known and holds_all(after, seat)}
    legal = None
    if o.phase == "play" and o.turn is not None and o.turn in hands:
        chosen = options(o, o.turn, after.own(o.turn))
        legal = (o.turn, chosen[0].cards) if chosen else None
    trick, trick_why = None, None
    if isinstance(event.data, CardPlayed) and before.open.trick is not None and len(before.open.trick.cards) == 1:
        trick = o.last_trick
        trick_why = None if trick is None else trick_reason(trick)
    text = what(before, event)
    if discarded is not None and discarded.secret is not None:
        text += f", {getattr(discarded.secret, 'card', '')} to the pile"
    version = event.seq if discarded is None else discarded.seq
    return Step(
        of(before.open, event),
        version,
        o.hand,
        event.at,
        event,
        text,
        tuple(sentences(before, after, event)),
        hands,
        legal,
        before,
        after,
        trick,
        trick_why,
        discarded,
    )


def index(found: Sequence[Step]) -> Index:
    """The positions of a game, for `Index.span`."""
    places = []
    for step in found:
        places.append((step.position, step.event))
        if step.discarded is not None:
            places.append((step.position, step.discarded))
    return Index(places)


def is_score(step: Step) -> bool:
    """Whether the step is the score of a hand."""
    return isinstance(step.event.data, HandScored)
