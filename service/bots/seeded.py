"""A table in the pure core, without service and store, at which bots play again the same game for the same seed.

The cards come from roots that a seeded `random.Random` draws: for tests and benchmarks, never for people's games.
"""

import random
from collections.abc import Callable
from typing import Final

import msgspec

from events.cards import Card, Seat
from events.ruleset import STANDARD, Ruleset
from events.types import ServerKey
from projections.table import Table
from projections.view import view
from service.base.entropy import Csprng
from service.bots.kinds import Move, View
from service.games import decider, moves

_GAME: Final = "0000000000000000"
_NOBODY: Final = "0" * 64
_KEY: Final = ServerKey(_NOBODY, "A" * 43)
_ACTS: Final[dict[str, Callable[[Move], moves.Move]]] = {
    "look": lambda _: moves.Look(),
    "double_nil": lambda _: moves.DoubleNil(),
    "keep": lambda _: moves.Keep(),
    "pass": lambda _: moves.Pass(),
    "exchange": lambda move: moves.Exchange(tuple(Card(card) for card in move["discard"])),
    "bid": lambda move: moves.Bid(move["tricks"]),
    "play": lambda move: moves.Play(Card(move["card"])),
}


class Seeded(Csprng):
    """Roots and salts of a game that is to be played again the same."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - a benchmark's cards, nobody's game

    def root(self) -> str:
        return self._chance.randbytes(32).hex()

    def salt(self) -> str:
        return self._chance.randbytes(16).hex()


def seen_by(table: Table, seat: Seat) -> View:
    """What a bot in this seat is given: the view as it comes out of the API's JSON, without head and receipt."""
    seen: View = msgspec.json.decode(msgspec.json.encode(view(table.open, "", None, seat, table.own(seat))))
    return seen


def start(seed: int, rules: Ruleset = STANDARD, first: Seat = "north") -> tuple[Table, Seeded]:
    """A table with both seats taken and the first hand's stock shuffled, and where its later cards come from."""
    entropy = Seeded(seed)
    created = moves.Create(name="N", rules=rules, first=first, server_key=_KEY, invite_hash=_NOBODY, token_hash=_NOBODY)
    table = decider.create(_GAME, created, 1, entropy).table
    return decider.join(table, moves.Join(name="S", token_hash=_NOBODY), 1, entropy).table, entropy


def step(table: Table, move: Move, entropy: Seeded) -> Table:
    """The table after a bot's move of the seat on turn. Raises `Refused` where the move is not legal."""
    seat = table.open.turn
    assert seat is not None, "somebody is on turn until the game has ended"
    return decider.decide(table, seat, _ACTS[move["type"]](move), 1, entropy).table
