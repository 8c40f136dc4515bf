"""The table: all state of one game, as frozen values, with what everybody may know kept apart from what one seat may.

It holds state only; `projections.fold` is what changes it and `projections.legal` what may be done with it.
"""

from typing import Any, Literal

import msgspec

from events.cards import Card, Seat, other
from events.ruleset import STANDARD, Ruleset
from events.types import Bid, ClaimedScore, Line, Names, Reason, ServerKey

Phase = Literal["waiting", "reveal", "draft", "exchange", "bidding", "play", "ended"]
Due = Literal["player_joined", "hand_started", "card_discarded", "hand_scored", "verdict"]

TURNS = 26
"""Draft turns of a hand, both seats together (rules.md §2.4)."""


class Player(msgspec.Struct, frozen=True):
    """What everybody may know of a seat. `total` is in points; `looked` is True once the first card of the hand was shown,
    by a look or by a double nil; `cards` is how many the hand holds; `exchanged` how many went in the exchange;
    `played` are the cards played in this hand, in order."""

    name: str = ""
    contribution: str | None = None
    revealed: str | None = None
    total: int = 0
    bags: int = 0
    looked: bool = False
    bid: Bid | None = None
    exchanged: int | None = None
    cards: int = 0
    tricks: int = 0
    played: tuple[Card, ...] = ()

    @property
    def seated(self) -> bool:
        """Whether somebody has taken the seat."""
        return self.name != ""


class Trick(msgspec.Struct, frozen=True):
    """A trick, complete once it has a `winner`; `broken` says whether spades were broken before its lead."""

    number: int
    leader: Seat
    cards: tuple[tuple[Seat, Card], ...] = ()
    winner: Seat | None = None
    broken: bool = False

    @property
    def led(self) -> Card | None:
        """The card that was led."""
        return self.cards[0][1] if self.cards else None


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """How play ended; a draw and an abandoned game have no `winner`. `corrected` says that the totals, and with them perhaps
    the winner, were put right afterwards."""

    reason: Reason
    winner: Seat | None = None
    by: Seat | None = None
    corrected: bool = False


class Scored(msgspec.Struct, frozen=True):
    """A scored hand: the two lines that are in force, and bid and tricks of each seat as they were played; `version` is that
    of its `hand_scored`."""

    hand: int
    version: int
    north: Line
    south: Line
    played: tuple[tuple[Bid, int], tuple[Bid, int]]

    def line(self, seat: Seat) -> Line:
        """A seat's line."""
        return self.north if seat == "north" else self.south

    def with_line(self, seat: Seat, line: Line) -> "Scored":
        """The same with one line changed."""
        return msgspec.structs.replace(self, north=line) if seat == "north" else msgspec.structs.replace(self, south=line)


class Dispute(msgspec.Struct, frozen=True):
    """A dispute, as everybody may know it. It is about the moment after event `version`, in `hand`; `opened` and `settled`
    are the versions of its events, `settled` and `verdict` None while it is open."""

    n: int
    seat: Seat
    hand: int
    version: int
    head: str
    claim: ClaimedScore
    opened: int
    settled: int | None = None
    verdict: Literal["upheld", "rejected"] | None = None
    reason: str | None = None


class Loss(msgspec.Struct, frozen=True):
    """A loss of history that the operator accepted: the version that was lost, and when the note was written (ms)."""

    version: int
    at: int


class Open(msgspec.Struct, frozen=True):
    """What everybody may know: it is built from public parts alone. Times in ms since 1970 UTC.

    `first` is the first player of hand 1, `names` those that alone may sit down, `hand_first` the first player of this
    hand; `due` is what must still follow in the same commit (fairness.md, Commits); `played_at` is the time of the last
    event of play (rules.md §8.4); `scores` is the score sheet as it is in force.
    """

    game: str
    version: int = 0
    at: int = 0
    played_at: int = 0
    rules: Ruleset = STANDARD
    server_key: ServerKey | None = None
    first: Seat = "north"
    names: Names | None = None
    phase: Phase = "waiting"
    turn: Seat | None = None
    due: Due | None = None
    hand: int = 0
    hand_first: Seat = "north"
    turns: int = 0
    broken: bool = False
    trick: Trick | None = None
    last_trick: Trick | None = None
    north: Player = Player()
    south: Player = Player()
    result: Result | None = None
    scores: tuple[Scored, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    losses: tuple[Loss, ...] = ()

    def player(self, seat: Seat) -> Player:
        """The public state of a seat."""
        return self.north if seat == "north" else self.south

    def with_player(self, seat: Seat, **changes: Any) -> "Open":
        """The same with one seat's state changed."""
        player = msgspec.structs.replace(self.player(seat), **changes)
        if seat == "north":
            return msgspec.structs.replace(self, north=player)
        return msgspec.structs.replace(self, south=player)

    def but(self, **changes: Any) -> "Open":
        """The same with other fields changed."""
        return msgspec.structs.replace(self, **changes)

    @property
    def ended(self) -> bool:
        """Whether play has ended; disputes and corrections may still follow."""
        return self.phase == "ended"

    @property
    def hand_second(self) -> Seat:
        """The second player of the hand, who exchanges, bids and leads first."""
        return other(self.hand_first)

    @property
    def deciding(self) -> bool:
        """Whether the seat on turn has a drawn card before it."""
        return self.phase == "draft" and self.turn is not None and self.player(self.turn).looked

    @property
    def stock_left(self) -> int:
        """Cards in the stock, the drawn one not counted (design §4)."""
        return 52 - 2 * self.turns - (1 if self.deciding else 0)

    def hand_at(self, version: int) -> int:
        """The hand that was going on at a version; what comes before hand 1 counts to it."""
        return max(min(1 + sum(scored.version < version for scored in self.scores), self.hand), 1)

    @property
    def pile_size(self) -> int:
        """Cards on the pile: one a draft turn, and an exchange keeps the number (rules.md §2.3, §4.2)."""
        return self.turns


class Own(msgspec.Struct, frozen=True):
    """What one seat alone may know. `known` is False where the reader lacks a sealed part of this hand: then `hand`
    and `discarded` hold only what was readable. `drawn` is there while the seat is deciding on it."""

    known: bool = True
    hand: tuple[Card, ...] = ()
    drawn: Card | None = None
    discarded: tuple[Card, ...] = ()


class House(msgspec.Struct, frozen=True):
    """What the service alone knows while play goes on; None where the reader lacks it."""

    root: str | None = None
    stock: tuple[Card, ...] | None = None
    pile: tuple[Card, ...] | None = None
    token_hashes: tuple[tuple[Seat, str], ...] = ()
    invite_hash: str | None = None

    def token_hash(self, seat: Seat) -> str | None:
        """The hash of a seat's token, 64 hex digits."""
        return dict(self.token_hashes).get(seat)


class Table(msgspec.Struct, frozen=True):
    """The whole table. A view is made from `open` and one seat's own part, so that nothing has to be filtered out."""

    open: Open
    north: Own = Own()
    south: Own = Own()
    house: House = House()

    def own(self, seat: Seat) -> Own:
        """What `seat` alone may know."""
        return self.north if seat == "north" else self.south

    def but(self, **changes: Any) -> "Table":
        """The same with other parts changed."""
        return msgspec.structs.replace(self, **changes)

    def with_own(self, seat: Seat, **changes: Any) -> "Table":
        """The same with one seat's own part changed."""
        own = msgspec.structs.replace(self.own(seat), **changes)
        return self.but(north=own) if seat == "north" else self.but(south=own)


def empty(game: str) -> Table:
    """The table before event 1."""
    return Table(Open(game))
