"""What the judges of single events share: how they speak, when they give up, whose move it was."""

from collections.abc import Iterator, Mapping

from events.cards import Seat
from events.types import CardPlayed, Event
from projections.audit.codes import Code
from projections.audit.phrases import phrase
from projections.audit.score_table import Recount
from projections.legal import options
from projections.table import Table

Problem = tuple[Code, str]
"""A finding's code and sentence."""


class WrongScore:
    """A line that is not what the plays make; `mended_by` is the correction that put it right, if one did."""

    def __init__(self, hand: int, seat: Seat, version: int, position: str, message: str) -> None:
        self.hand, self.seat, self.version, self.position, self.message = hand, seat, version, position, message
        self.mended_by: Event | None = None


class Whole:
    """What the audit itself keeps of the game: its heads by version, the sheet as the plays make it, the wrong lines, and the
    event before."""

    def __init__(self, heads: Mapping[int, bytes]) -> None:
        self.heads = heads
        self.recount = Recount()
        self.wrong: list[WrongScore] = []
        self.before: Event | None = None
        self.losses: list[tuple[int, str]] = []
        """Notes of lost history: version and sentence."""


class HandState:
    """What the audit itself keeps of the hand: the cards played, and which card the last draft turn kept."""

    def __init__(self, game: Whole | None = None) -> None:
        self.game = game or Whole({})
        self.plays: list[CardPlayed] = []
        self.choice = ""


class Stop(Exception):
    """Nothing after this event can be judged."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.problem = (code, message)


def whose(table: Table, event: Event, seat: Seat, kind: str) -> None:
    """Raises `Stop` unless `seat` could make a move of this kind now."""
    o = table.open
    kinds = [option.type for option in options(o, seat, table.own(seat))]
    if kind in kinds:
        return
    if o.turn is not None and o.turn != seat:
        raise Stop(Code.NOT_THEIR_TURN, f"{phrase(event.type.name)} by {seat}, but it was {o.turn}'s turn")
    may = " or ".join(kind.replace("_", " ") for kind in kinds) or "do nothing"
    raise Stop(Code.WRONG_PHASE, f"{phrase(event.type.name)} by {seat} in phase {o.phase}, where {seat} could {may}")


def same_hand(table: Table, number: int) -> None:
    """Raises `Stop` unless `number` is the hand that is being played."""
    if number != table.open.hand:
        raise Stop(Code.WRONG_HAND, f"hand {number} is named, but hand {table.open.hand} was being played")


def owner(event: Event, right: str) -> Iterator[Problem]:
    """A `WRONG_OWNER` problem where the sealed part is shown and does not belong to `right`."""
    if event.owner is not None and event.owner != right:
        yield Code.WRONG_OWNER, f"the sealed part of event {event.seq} belongs to {right}, but {event.owner} is written"
