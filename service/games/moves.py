"""What somebody may ask for, as frozen values: well-formed already, legal or not."""

from typing import Literal

import msgspec

from events.cards import Card, Seat
from events.ruleset import Ruleset
from events.types import Names, ServerKey


class Create(msgspec.Struct, frozen=True, kw_only=True):
    """A new game; the creator sits north. Hashes are 64 hex digits."""

    name: str
    rules: Ruleset
    first: Seat
    server_key: ServerKey
    invite_hash: str
    token_hash: str
    contribution: str | None = None
    listed: bool = False
    rated: bool = False
    names: Names | None = None
    after: str | None = None


class Join(msgspec.Struct, frozen=True, kw_only=True):
    """The other seat is taken."""

    name: str
    token_hash: str
    contribution: str | None = None


class Reveal(msgspec.Struct, frozen=True):
    """Reveals the 32 bytes committed to at create or join, 64 hex digits (fairness.md, The shuffle, 2)."""

    bytes: str


class Look(msgspec.Struct, frozen=True):
    """Gives up double nil and shows the first card (rules.md §3.2)."""


class DoubleNil(msgspec.Struct, frozen=True):
    """Bids double nil before any card was seen (rules.md §3.1)."""


class Keep(msgspec.Struct, frozen=True):
    """Keeps the drawn card."""


class Pass(msgspec.Struct, frozen=True):
    """Passes the drawn card and takes the next."""


class Exchange(msgspec.Struct, frozen=True):
    """Throws these cards and draws as many (rules.md §4)."""

    discard: tuple[Card, ...]


class Bid(msgspec.Struct, frozen=True):
    """Bids a number of tricks; 0 is nil."""

    tricks: int


class Play(msgspec.Struct, frozen=True):
    """Plays a card."""

    card: Card


class Resign(msgspec.Struct, frozen=True):
    """Gives up the game (rules.md §8.3)."""


class ClaimTimeout(msgspec.Struct, frozen=True):
    """Claims that the other seat has run out of time (rules.md §8.4)."""


Move = Reveal | Look | DoubleNil | Keep | Pass | Exchange | Bid | Play | Resign | ClaimTimeout


class NewGame(msgspec.Struct, frozen=True):
    """What a create asks for. `listed`, `rated`, `names` and `after` are what other games and lists go by."""

    name: str
    rules: Ruleset
    first: Seat
    opponent: Literal["house"] | None = None
    contribution: str | None = None
    listed: bool = False
    rated: bool = False
    names: Names | None = None
    after: str | None = None


class NewPlayer(msgspec.Struct, frozen=True):
    """What a join asks for; `invite` is what the creator passed on, whole or its secret part alone."""

    name: str
    invite: str
    contribution: str | None = None
