"""The replay: a game as steps, one a moment that has a position, as one viewer may see it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from events.cards import SEATS, Card, Seat, other
from events.types import CardDiscarded, CardKept, CardPlayed, Event, HandScored, ScoreCorrected
from projections.audience import seen_by
from projections.fold import apply
from projections.legal import options
from projections.positions import Index, of
from projections.table import Table, Trick, empty
from projections.view import moment
from projections.why import sentences, trick_reason, what


class Step(msgspec.Struct, frozen=True):
    """One moment, just after its event: `text` is what happened, `why` the reasons; `hands` and `legal` are what the viewer
    may know of the seats and of what the seat on turn may do; `trick` is a trick that is complete with this step."""

    position: str
    version: int
    hand: int
    at: int
    event: Event
    text: str
    why: tuple[str, ...]
    hands: dict[Seat, tuple[Card, ...]]
    legal: tuple[Seat, tuple[Card, ...]] | None
    before: Table
    after: Table
    trick: Trick | None = None
    trick_why: str | None = None
    discarded: Event | None = None

    def data(self) -> dict[str, Any]:
        """The step as an answer (design §4)."""
        shown: dict[str, Any] = {
            "position": self.position,
            "version": self.version,
            "hand": self.hand,
            "at": self.at,
            "type": self.event.type.name,
            "text": self.text,
            "why": list(self.why),
            "hands": {seat: list(cards) for seat, cards in self.hands.items()},
            "tricks": {seat: self.after.open.player(seat).tricks for seat in SEATS},
            "totals": {seat: self.after.open.player(seat).total for seat in SEATS},
            "table": moment(self.after.open),
        }
        thrown = {seat: list(self.after.own(seat).discarded) for seat in self.hands if self.after.own(seat).discarded}
        if thrown:
            shown["discarded"] = thrown
        turn = self.after.open.turn
        if turn is not None and self.after.own(turn).drawn is not None:
            shown["drawn"] = {"seat": turn, "card": self.after.own(turn).drawn}
        actor = getattr(self.event.data, "seat", None)
        if actor is not None and self.covered(actor) != (self.text, self.why):
            text, why = self.covered(actor)
            shown["covered"] = {"seat": actor, "text": text, "why": list(why)}
        if self.legal is not None:
            shown["legal"] = {"seat": self.legal[0], "cards": list(self.legal[1])}
        if self.trick is not None:
            cards = [{"seat": seat, "card": card} for seat, card in self.trick.cards]
            trick = {"number": self.trick.number, "leader": self.trick.leader, "cards": cards, "winner": self.trick.winner}
            shown["trick"] = trick | {"why": self.trick_why}
        return shown

    def covered(self, seat: Seat) -> tuple[str, tuple[str, ...]]:
        """`text` and `why` as they are told while the hand of `seat` lies face down."""
        event = seen_by(self.event, other(seat), ended=False)
        before = self.before.with_own(seat, known=False)
        return what(before, event), tuple(sentences(before, self.after, event))

    def explanation(self) -> dict[str, Any]:
        """The step as the answer of ``explain``: the sentences, and the hand held just before, where it may be shown."""
        shown: dict[str, Any] = {"position": self.position, "version": self.version, "sentences": list(self.why)}
        seat = getattr(self.event.data, "seat", None)
        if seat is not None and self.before.open.hand and self.before.own(seat).known and _holds(self.before, seat):
            shown["held"] = {"seat": seat, "hand": list(self.before.own(seat).hand)}
        return shown


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
    hands = {seat: after.own(seat).hand for seat in SEATS if o.hand and after.own(seat).known and _holds(after, seat)}
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


def _holds(table: Table, seat: Seat) -> bool:
    """Whether the seat holds cards, and those known are all of them."""
    return 0 < len(table.own(seat).hand) == table.open.player(seat).cards


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
