"""The shapes of a view and of a moment (design §4): frozen values that are sent as they are; a key that does not apply is left
out, which is None here."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from events.cards import Seat
from events.types import Bid, CardField, GameId, Hex32
from projections.table import Phase, Result

Cards = tuple[CardField, ...]
Rules = dict[str, int | str]
Count = Annotated[int, Meta(ge=0)]
Time = Annotated[int, Meta(description="Milliseconds since 1970 UTC.")]
RawReceipt = Annotated[msgspec.Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Receipt"})]
"""The canonical bytes of an `events.receipts.Receipt`, copied into the answer."""

_SHOWN_NAME: Final = "The name, (hidden) where the operator has hidden it."
ShownName = Annotated[str, Meta(min_length=1, max_length=64, description=_SHOWN_NAME)]
LegalType = Literal["reveal", "look", "double_nil", "keep", "pass", "exchange", "bid", "play"]


class Shown(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A value that is shown without the keys that do not apply."""


class SeatCard(Shown, frozen=True, kw_only=True):
    """A card and the seat it belongs to."""

    seat: Seat
    card: CardField


class TrickView(Shown, frozen=True, kw_only=True):
    """A trick; it has a `winner` once it is complete."""

    number: Count
    leader: Seat
    cards: tuple[SeatCard, ...]
    winner: Seat | None = None


class DraftView(Shown, frozen=True, kw_only=True):
    """How many cards the stock and the pile hold; the pile is shown in a replay."""

    stock: Count
    pile: Count | None = None


class MomentPlayer(Shown, frozen=True, kw_only=True):
    """What everybody may know of a seat at a moment. `penalty_in` is the number of bags until the next penalty."""

    total: int
    bags: int
    penalty_in: int | None = None
    bid: Bid | None = None
    tricks: Count | None = None
    cards: Count | None = None
    exchanged: Count | None = None


class PlayerView(MomentPlayer, frozen=True, kw_only=True):
    """What everybody may know of a seat; `played` are its cards of this hand, in order."""

    name: ShownName
    played: Cards | None = None


class Moment(Shown, frozen=True, kw_only=True):
    """What everybody may know just after a step of a replay."""

    phase: Phase
    first: Seat | None = None
    turn: Seat | None = None
    spades_broken: bool | None = None
    seats: dict[Seat, MomentPlayer]
    draft: DraftView | None = None
    trick: TrickView | None = None
    last_trick: TrickView | None = None
    result: Result | None = None


class Bounds(msgspec.Struct, frozen=True):
    """The lowest and the highest number that is legal."""

    min: int
    max: int


class DiscardBounds(msgspec.Struct, frozen=True):
    """The cards that may be discarded, and how many of them at most."""

    of: Cards
    max: int


class LegalView(Shown, frozen=True, kw_only=True):
    """One thing the seat may do now; `card`, `tricks` and `discard` say within which bounds."""

    type: LegalType
    discard: DiscardBounds | None = None
    tricks: Bounds | None = None
    card: Cards | None = None


class Unplayable(msgspec.Struct, frozen=True):
    """A card of the hand that may not be played now, and why."""

    card: CardField
    code: str
    message: str


class OwnView(Shown, frozen=True, kw_only=True):
    """What a seat alone may see: its cards and what it may do with them."""

    seat: Seat
    hand: Cards
    drawn: CardField | None = None
    discarded: Cards
    legal: tuple[LegalView, ...]
    unplayable: tuple[Unplayable, ...] | None = None


class OpenDispute(msgspec.Struct, frozen=True):
    """An open dispute: whose it is, about which hand and the moment after which version."""

    n: int
    seat: Seat
    hand: int
    version: int


class LostHistory(msgspec.Struct, frozen=True):
    """The history of this game was lost: its log once had `version`. Nobody can move, and no clock runs."""

    version: Count


class View(Shown, frozen=True, kw_only=True):
    """The table as one reader may see it; keys that do not apply are left out."""

    game: GameId
    version: Count
    head: Hex32
    phase: Phase
    hand: int | None = None
    first: Seat | None = None
    turn: Seat | None = None
    deadline: Time | None = None
    rules: Rules
    spades_broken: bool | None = None
    seats: dict[Seat, PlayerView]
    draft: DraftView | None = None
    trick: TrickView | None = None
    last_trick: TrickView | None = None
    result: Result | None = None
    disputes: tuple[OpenDispute, ...] | None = None
    frozen: LostHistory | None = None
    receipt: RawReceipt | None = None
    you: OwnView | None = None
    imported: Literal[True] | None = None
