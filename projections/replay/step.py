"""One step of a replay: a moment that has a position, as one viewer may see it, and how it is told."""

from typing import Any

import msgspec

from events.cards import SEATS, Card, Seat, other
from events.types import Event, Exchanged, OneCard
from projections.audience import seen_by
from projections.replay.sentences import sentences, what
from projections.table import Table, Trick
from projections.view import moment


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
        moved = _moved(self.event, self.discarded)
        if any(moved.values()):
            shown["moved"] = moved
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
        if seat is not None and self.before.open.hand and self.before.own(seat).known and holds_all(self.before, seat):
            shown["held"] = {"seat": seat, "hand": list(self.before.own(seat).hand)}
        return shown


def _moved(event: Event, discarded: Event | None) -> dict[str, list[Card]]:
    """The cards of a draft turn or an exchange that the viewer may know: into the hand, and on to the pile."""
    if isinstance(event.secret, Exchanged):
        return {"to_hand": list(event.secret.drawn), "to_pile": list(event.secret.discarded)}
    kept, thrown = ([part.secret.card] if part and isinstance(part.secret, OneCard) else [] for part in (event, discarded))
    return {"to_hand": kept, "to_pile": thrown}


def holds_all(table: Table, seat: Seat) -> bool:
    """Whether the seat holds cards, and those known are all of them."""
    return 0 < len(table.own(seat).hand) == table.open.player(seat).cards
