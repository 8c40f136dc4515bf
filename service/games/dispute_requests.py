"""What may be asked about a score, as frozen values: well-formed already, possible or not."""

from typing import Literal

import msgspec

from events.cards import Seat
from events.types import ClaimedScore


class NewDispute(msgspec.Struct, frozen=True):
    """A dispute to open. `position` names the moment it is about, None for now; `note` is for the operator and the players."""

    claim: ClaimedScore
    position: str | None = None
    note: str = ""


class Correction(msgspec.Struct, frozen=True):
    """A line to be put right: `points` is what the hand should have changed the seat's score by, a bag penalty included;
    `why` is None for the reason of the settlement."""

    hand: int
    seat: Seat
    points: int
    why: str | None = None


class Settlement(msgspec.Struct, frozen=True):
    """The operator's word on a dispute, and what is put right with it."""

    verdict: Literal["upheld", "rejected"]
    reason: str
    corrections: tuple[Correction, ...] = ()
