"""The shapes of what is answered to a request that writes, and of events and disputes (design §4): frozen, sent as they are."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from events.cards import Seat
from events.types import ClaimedScore, GameId, Hex32, ServerKey
from projections.view_types import Count, RawReceipt, Shown, View

RawPart = Annotated[msgspec.Raw, Meta(extra_json_schema={"type": "object"})]
"""The canonical bytes of a part of an event, copied into the answer."""

Token = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{22,128}$", description="As secret as the seat.")]


class EventLine(Shown, frozen=True, kw_only=True):
    """One event: its stored public part, and its sealed part where the reader may have it; the last event of a commit has the
    receipt."""

    public: RawPart
    sealed: RawPart | None = None
    head: Hex32
    receipt: RawReceipt | None = None


class Moved(Shown, frozen=True, kw_only=True):
    """The answer to a move: its events, and the table after it."""

    version: Count
    events: tuple[EventLine, ...]
    view: View
    receipt: RawReceipt


class DisputeView(Shown, frozen=True, kw_only=True):
    """A dispute; `version` and `head` are the moment it is about, `opened` and `settled` versions of its events."""

    n: int
    seat: Seat
    hand: int
    version: int
    head: Hex32
    claim: ClaimedScore
    opened: int
    settled: int | None = None
    verdict: Literal["upheld", "rejected"] | None = None
    reason: str | None = None
    status: Literal["open", "settled"]
    note: str | None = None


class Disputed(Moved, frozen=True, kw_only=True):
    """The answer to a dispute opened or settled."""

    dispute: DisputeView


class Joined(Shown, frozen=True, kw_only=True):
    """The answer to whoever has taken a seat."""

    game: GameId
    seat: Seat
    token: Token
    server_key: ServerKey
    version: Count
    view: View
    receipt: RawReceipt


class Created(Joined, frozen=True, kw_only=True):
    """The answer to a create; there is an invite only where the other seat is nobody's yet."""

    invite: str | None = None
    invite_link: str | None = None
