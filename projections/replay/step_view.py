"""A step and its explanation as they are answered (design §4): frozen values, sent as they are."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from events.cards import SEATS, Card, Seat, other
from events.types import Event, Exchanged, OneCard
from projections.audience import seen_by
from projections.positions import Position
from projections.replay.sentences import sentences, what
from projections.replay.step import Step, holds_all
from projections.view import moment, trick_view
from projections.view_types import Cards, Count, Moment, SeatCard, Shown, Time, TrickView


class MovedCards(msgspec.Struct, frozen=True):
    """The cards of a draft turn or an exchange that the viewer may know: into the hand, and on to the pile."""

    to_hand: tuple[Card, ...]
    to_pile: tuple[Card, ...]


class SeatCards(msgspec.Struct, frozen=True):
    """Cards that a seat may play."""

    seat: Seat
    cards: Cards


class CoveredStep(msgspec.Struct, frozen=True):
    """How a step is told while the hand of `seat` lies face down."""

    seat: Seat
    text: str
    why: tuple[str, ...]


class TakenTrick(TrickView, frozen=True, kw_only=True):
    """A trick that is complete, and why it went where it did."""

    why: str


class StepView(Shown, frozen=True, kw_only=True):
    """One moment, just after its event. `hands`, `discarded` and `legal` are what the viewer may know, `drawn` is the first
    card of the draft turn that is due, `trick` a trick that is complete with this step."""

    position: Position
    version: Count
    hand: Count
    at: Time
    type: str
    text: str
    why: tuple[str, ...]
    hands: dict[Seat, Cards]
    tricks: dict[Seat, Count]
    totals: dict[Seat, int]
    table: Moment
    discarded: dict[Seat, Cards] | None = None
    moved: MovedCards | None = None
    drawn: SeatCard | None = None
    covered: CoveredStep | None = None
    legal: SeatCards | None = None
    trick: TakenTrick | None = None


class HeldHand(Shown, frozen=True, kw_only=True):
    """The hand a seat held just before a step, and to whom it is open, in words."""

    seat: Seat
    hand: Cards
    open_to: str | None = None


class Explanation(Shown, frozen=True, kw_only=True):
    """Why one moment was as it was: the sentences, and the hand held just before, where it may be shown."""

    position: Position
    version: Annotated[int, Meta(ge=1)]
    sentences: tuple[str, ...]
    held: HeldHand | None = None
    imported: Literal[True] | None = None


def step_view(step: Step, why: tuple[str, ...] = ()) -> StepView:
    """The step as an answer; `why` are further reasons, after its own."""
    after, turn = step.after, step.after.open.turn
    drawn = None if turn is None else after.own(turn).drawn
    return StepView(
        position=step.position,
        version=step.version,
        hand=step.hand,
        at=step.at,
        type=step.event.type.name,
        text=step.text,
        why=step.why + why,
        hands=step.hands,
        tricks={seat: after.open.player(seat).tricks for seat in SEATS},
        totals={seat: after.open.player(seat).total for seat in SEATS},
        table=moment(after.open),
        discarded={seat: after.own(seat).discarded for seat in step.hands if after.own(seat).discarded} or None,
        moved=_moved(step.event, step.discarded),
        drawn=None if turn is None or drawn is None else SeatCard(seat=turn, card=drawn),
        covered=_covered(step),
        legal=None if step.legal is None else SeatCards(*step.legal),
        trick=_taken(step),
    )


def explanation(step: Step) -> Explanation:
    """The step as ``explain`` answers it."""
    held, seat = None, getattr(step.event.data, "seat", None)
    if seat is not None and step.before.open.hand and step.before.own(seat).known and holds_all(step.before, seat):
        held = HeldHand(seat=seat, hand=step.before.own(seat).hand)
    return Explanation(position=step.position, version=step.version, sentences=step.why, held=held)


def covered(step: Step, seat: Seat) -> CoveredStep:
    """The step while the hand of `seat` lies face down."""
    event = seen_by(step.event, other(seat), ended=False)
    before = step.before.with_own(seat, known=False)
    return CoveredStep(seat, what(before, event), tuple(sentences(before, step.after, event)))


def _covered(step: Step) -> CoveredStep | None:
    """The step while the hand of the seat that acts lies face down, None where it is told the same."""
    seat = getattr(step.event.data, "seat", None)
    if seat is None:
        return None
    shown = covered(step, seat)
    return None if (shown.text, shown.why) == (step.text, step.why) else shown


def _taken(step: Step) -> TakenTrick | None:
    shown = trick_view(step.trick)
    return None if shown is None else TakenTrick(**msgspec.structs.asdict(shown), why=step.trick_why or "")


def _moved(event: Event, discarded: Event | None) -> MovedCards | None:
    if isinstance(event.secret, Exchanged):
        moved = MovedCards(event.secret.drawn, event.secret.discarded)
    else:
        one = [(part.secret.card,) if part and isinstance(part.secret, OneCard) else () for part in (event, discarded)]
        moved = MovedCards(*one)
    return moved if moved.to_hand or moved.to_pile else None
