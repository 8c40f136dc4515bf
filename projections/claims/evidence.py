"""What a score rests on, for its explanation: the bids and tricks with their positions, and to whom a hand is open."""

import msgspec

from events.cards import SEATS, Seat
from events.types import HandScored
from projections.claims.facts import Facts, ScoredHand
from projections.claims.scoring_mistakes import bid_name
from projections.replay.step_view import Explanation, explanation
from projections.replay.walk import Step


def grounds(facts: Facts, step: Step) -> tuple[str, ...]:
    """The sentences that name where the bids and tricks of a score are to be seen; none for another step."""
    data = step.event.data
    if not isinstance(data, HandScored):
        return ()
    hand = next((hand for hand in facts.hands if hand.number == data.hand), None)
    return () if hand is None else tuple(_seat(hand, seat) for seat in SEATS)


def explained(facts: Facts, step: Step, last: Step) -> Explanation:
    """The whole explanation of a step; `last` is the last one of the game."""
    bare = explanation(step)
    held = bare.held and msgspec.structs.replace(bare.held, open_to=open_to(last, bare.held.seat))
    return msgspec.structs.replace(bare, sentences=bare.sentences + grounds(facts, step), held=held)


def _seat(hand: ScoredHand, seat: Seat) -> str:
    fact = hand.of(seat)
    said = f"{seat.capitalize()} bid {bid_name(fact.bid)}" + (f" at {fact.bid_at}" if fact.bid_at else "")
    if not fact.tricks:
        return f"{said} and took no trick."
    if not fact.taken:
        return f"{said} and took {fact.tricks}, as it is written."
    tricks = [f"{hand.number}.{number}" for number in fact.taken]
    listed = tricks[0] if len(tricks) == 1 else f"{', '.join(tricks[:-1])} and {tricks[-1]}"
    return f"{said} and took {listed}."


def open_to(last: Step, seat: Seat) -> str:
    """To whom a seat's cards may be shown, given the last step of the game."""
    ended = last.after.open.ended
    return "open to everybody, as play has ended" if ended else f"open to {seat} alone until play has ended"
