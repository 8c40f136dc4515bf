"""The event types and the exact data of each (fairness.md, The events), and the table that gives them their stored names.

What a fact means for the game is decided in ``projections``.
"""

from typing import Annotated, Any, Final, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta

from events.cards import CARD_PATTERN, Card, Owner, Seat

Hex32 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Hex16 = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
CardField = Annotated[Card, Meta(pattern=CARD_PATTERN)]
Positive = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]
TrickNumber = Annotated[int, Meta(ge=1, le=13)]
Tricks = Annotated[int, Meta(ge=0, le=13)]
DoubleNil = Literal["double_nil"]
Bid = Tricks | DoubleNil
ScoreEnd = Literal["target", "floor", "hand_limit"]
"""What ends a game by its score, after a hand (rules.md §8)."""
EarlyEnd = Literal["resigned", "timed_out", "abandoned"]
"""What ends a game at any time."""
Reason = ScoreEnd | EarlyEnd
SCORE_ENDS: Final[tuple[ScoreEnd, ...]] = get_args(ScoreEnd)
EARLY_ENDS: Final[tuple[EarlyEnd, ...]] = get_args(EarlyEnd)


Name = Annotated[str, Meta(min_length=1, max_length=64)]
GAME_ID: Final = r"^[0-9a-hjkmnp-tv-z]{16}\Z"
GameId = Annotated[str, Meta(pattern=GAME_ID)]
MOST_TEXT: Final = 500
"""Characters (code points) of a note, a reason or a why."""
MOST_HANDS: Final = 200
Sentence = Annotated[str, Meta(min_length=1, max_length=MOST_TEXT)]


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an event says, in its public or its sealed part. A key that does not apply is left out (None here)."""

    @property
    def v(self) -> int:
        """The version of its type: the lowest that can say it, so that older readers read all they can."""
        return 1


class ServerKey(Data, frozen=True):
    """The signing key of a game: `id` is the SHA-256 of the raw public key, `ed25519` that key in base64url."""

    id: Hex32
    ed25519: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{43}\Z")]


class Names(Data, frozen=True):
    """The names that may sit at a table."""

    north: Name
    south: Name


class GameCreated(Data, frozen=True):
    """Event 1. `rules` is the whole ruleset as `events.ruleset` stores it.

    Version 2 adds what concerns other games (docs/decisions/across-games.md): whether the table is `listed` for anybody to
    join, whether the game is `rated`, the `names` that alone may sit down, and the game it is the rematch of (`after`).
    """

    rules: dict[str, int | str]
    first: Seat
    root_commitment: Hex32
    server_key: ServerKey
    listed: bool = False
    rated: bool = False
    names: Names | None = None
    after: GameId | None = None

    @property
    def v(self) -> int:
        return 2 if self.listed or self.rated or self.names or self.after else 1


class GameSecrets(Data, frozen=True):
    """The house's part of event 1."""

    root: Hex32
    invite_hash: Hex32


class PlayerJoined(Data, frozen=True):
    """A seat is taken; `contribution` is the commitment to the player's own 32 bytes, if they brought any."""

    seat: Seat
    name: Name
    contribution: Hex32 | None = None


class PlayerSecrets(Data, frozen=True):
    """The house's part of a join, never opened."""

    token_hash: Hex32


class ContributionRevealed(Data, frozen=True):
    """A player's own 32 bytes."""

    seat: Seat
    bytes: Hex32


class HandStarted(Data, frozen=True):
    """A hand begins; `first` is its first player (rules.md §1.4)."""

    hand: Positive
    first: Seat


class Stock(Data, frozen=True):
    """The house's part of a hand: 52 cards in drawing order."""

    stock: Annotated[tuple[CardField, ...], Meta(min_length=52, max_length=52)]


class Looked(Data, frozen=True):
    """The right to double nil is given up (rules.md §3.2)."""

    hand: Positive
    seat: Seat


class DoubleNilBid(Data, frozen=True):
    """A double nil, bid before any card of the hand was seen (rules.md §3.1)."""

    hand: Positive
    seat: Seat


class CardKept(Data, frozen=True):
    """A draft turn: the first card drawn was kept, or the second had to be taken (rules.md §2.2)."""

    hand: Positive
    seat: Seat
    choice: Literal["first", "second"]


class CardDiscarded(Data, frozen=True):
    """The other card of a draft turn goes face down on the pile."""

    hand: Positive
    seat: Seat


class OneCard(Data, frozen=True):
    """The card of a kept or a discarded."""

    card: CardField


class CardsExchanged(Data, frozen=True):
    """An exchange of 0 to 3 cards with the pile (rules.md §4)."""

    hand: Positive
    seat: Seat
    count: Annotated[int, Meta(ge=0, le=3)]


class Exchanged(Data, frozen=True):
    """The owner's part of an exchange: what was thrown, and what was drawn in drawing order."""

    discarded: Annotated[tuple[CardField, ...], Meta(max_length=3)]
    drawn: Annotated[tuple[CardField, ...], Meta(max_length=3)]


class BidPlaced(Data, frozen=True):
    """A bid of 0 to 13 tricks; 0 is nil."""

    hand: Positive
    seat: Seat
    tricks: Tricks


class CardPlayed(Data, frozen=True):
    """A card of a trick."""

    hand: Positive
    seat: Seat
    trick: TrickNumber
    card: CardField


class Line(Data, frozen=True):
    """One seat's line of a hand's score, in points and bags; `points` is before the penalty."""

    bid: Bid
    tricks: Tricks
    points: int
    new_bags: Natural
    penalty: Natural
    total: int
    bags: Natural


class HandScored(Data, frozen=True):
    """The score of a hand (rules.md §7)."""

    hand: Positive
    north: Line
    south: Line


class Totals(Data, frozen=True):
    """Both scores, in points."""

    north: int
    south: int


class GameEnded(Data, frozen=True):
    """The end of play, not of the log: disputes may follow. A draw and an abandoned game have no winner; `by` is who resigned,
    ran out of time or stayed away."""

    reason: Reason
    totals: Totals
    root: Hex32
    winner: Seat | None = None
    by: Seat | None = None


class Figures(Data, frozen=True):
    """What somebody claims of a seat in a hand: `points` is what the hand changed the score by, a bag penalty included;
    `bags` and `total` are those after the hand. At least one figure is given."""

    bid: Bid | None = None
    tricks: Tricks | None = None
    points: int | None = None
    bags: int | None = None
    total: int | None = None


class ClaimedHand(Data, frozen=True):
    """What somebody claims of one hand."""

    hand: Positive
    north: Figures | None = None
    south: Figures | None = None


class ClaimedResult(Data, frozen=True):
    """What somebody claims of the score as it stands: totals in points, and who has won."""

    north: int | None = None
    south: int | None = None
    winner: Literal["north", "south", "draw", "none"] | None = None


class ClaimedScore(Data, frozen=True):
    """A claim about a score, hand by hand, of the score as it stands, or of both."""

    hands: Annotated[tuple[ClaimedHand, ...], Meta(max_length=MOST_HANDS)] = ()
    result: ClaimedResult | None = None


class DisputeOpened(Data, frozen=True):
    """A seat says that the score is wrong: the `n`th dispute of the game, from 1, about the moment after event `version`,
    whose head is `head` (docs/spec/additions.md)."""

    n: Positive
    seat: Seat
    version: Positive
    head: Hex32
    claim: ClaimedScore


class DisputeNote(Data, frozen=True):
    """The house's part of a dispute, never opened: what the seat wrote to the operator, empty if nothing."""

    note: Annotated[str, Meta(max_length=MOST_TEXT)]


class DisputeSettled(Data, frozen=True):
    """The operator's word on a dispute."""

    n: Positive
    verdict: Literal["upheld", "rejected"]
    reason: Sentence


class Counts(Data, frozen=True):
    """Both counts of bags."""

    north: Natural
    south: Natural


class ScoreCorrected(Data, frozen=True):
    """A recorded line was not what the plays make: `new` stands in the place of `old`, and the seat's later lines follow from
    it. `totals` and `bags` are those at the table from now on; `winner` is who has won by them, once play has ended."""

    hand: Positive
    seat: Seat
    old: Line
    new: Line
    totals: Totals
    bags: Counts
    why: Sentence
    winner: Seat | None = None


class LossAccepted(Data, frozen=True):
    """The operator's note that history was lost: this log once had an event `version`, whose head was `head`, and no copy of it
    is left. What is in the log before the note is what is left; what followed it then is gone."""

    version: Positive
    head: Hex32
    why: Sentence


D = TypeVar("D", bound=Data)


class EventType(msgspec.Struct, frozen=True):
    """A row of the table: the stored name, the latest version, the two data types, who may own the sealed part."""

    name: str
    version: int
    data: type[Data]
    secret: type[Data] | None = None
    owners: tuple[Owner, ...] = ()
    opened: bool = True
    """Whether the sealed part is opened to everyone when play has ended."""


_SEATS: Final[tuple[Owner, ...]] = ("north", "south")
_HOUSE: Final[tuple[Owner, ...]] = ("house",)

TYPES: Final[dict[str, EventType]] = {
    row.name: row
    for row in (
        EventType("game_created", 2, GameCreated, GameSecrets, _HOUSE),
        EventType("player_joined", 1, PlayerJoined, PlayerSecrets, _HOUSE, opened=False),
        EventType("contribution_revealed", 1, ContributionRevealed),
        EventType("hand_started", 1, HandStarted, Stock, _HOUSE),
        EventType("looked", 1, Looked),
        EventType("double_nil_bid", 1, DoubleNilBid),
        EventType("card_kept", 1, CardKept, OneCard, _SEATS),
        EventType("card_discarded", 1, CardDiscarded, OneCard, _SEATS + _HOUSE),
        EventType("cards_exchanged", 1, CardsExchanged, Exchanged, _SEATS),
        EventType("bid_placed", 1, BidPlaced),
        EventType("card_played", 1, CardPlayed),
        EventType("hand_scored", 1, HandScored),
        EventType("game_ended", 1, GameEnded),
        EventType("dispute_opened", 1, DisputeOpened, DisputeNote, _HOUSE, opened=False),
        EventType("dispute_settled", 1, DisputeSettled),
        EventType("score_corrected", 1, ScoreCorrected),
        EventType("loss_accepted", 1, LossAccepted),
    )
}
BY_DATA: Final[dict[type[Data], EventType]] = {row.data: row for row in TYPES.values()}
REVIEW: Final = (DisputeOpened, DisputeSettled, ScoreCorrected, LossAccepted)
"""What is no part of play: it may follow the end, and moves no deadline."""


class Event(msgspec.Struct, frozen=True):
    """One fact with its place in the log. `secret`, `owner` and `salt` are None where there is no sealed part, and also
    where the reader may not have it: then `seal` alone says that there is one. `at` is in ms since 1970 UTC."""

    seq: int
    at: int
    data: Data
    secret: Data | None = None
    owner: Owner | None = None
    salt: str | None = None
    seal: str | None = None

    @property
    def type(self) -> EventType:
        """The event's row of the table."""
        return BY_DATA[type(self.data)]


class BadEvent(ValueError):
    """Bytes that are no event of ours: an unknown type, or data of another shape; the message says which."""


def data_of(kind: type[D], value: Any) -> D:
    """`value` as a `kind`. Raises `BadEvent` with the path of what does not fit."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise BadEvent(str(error).replace("`$`", "the data").replace("$.", "")) from None
