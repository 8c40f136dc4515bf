"""Whole games in memory, played by random bots with given seeds: what the core and the audit are measured on."""

import random
from collections.abc import Iterator
from typing import Final

import msgspec

from events import shuffle
from events.cards import Card, Seat
from events.log import Commit, Stored, genesis, head_after, store
from events.receipts import Signer
from events.ruleset import STANDARD
from events.types import Event
from projections.legal import LegalMove, options
from projections.table import Table
from service.base.entropy import hand_key
from service.games import decider, moves

GAME: Final = "0k7f3x9q2m5v8w1c"
NOW: Final = 1_790_000_000_000


class SeededEntropy:
    """Entropy of a benchmark: repeatable, and therefore worthless for a game of anybody."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def root(self) -> str:
        return self._chance.randbytes(32).hex()

    def salt(self) -> str:
        return self._chance.randbytes(16).hex()

    def stock(self, table: Table, hand: int) -> tuple[Card, ...]:
        return shuffle.stock(hand_key(table, hand))

    def exchange(self, table: Table, seat: Seat, count: int) -> tuple[Card, ...]:
        return shuffle.exchange(hand_key(table, table.open.hand), seat, table.house.pile or (), count)


def play(seed: int, signer: Signer) -> Iterator[tuple[Event, ...]]:
    """The commits of a game of the standard rules, up to 12 hands, as the decider makes them."""
    chance = random.Random(seed)  # noqa: S311 - a benchmark
    entropy = SeededEntropy(chance)
    rules = msgspec.structs.replace(STANDARD, max_hands=12)
    create = moves.Create(
        name="Ann", rules=rules, first="north", server_key=signer.key, invite_hash="0" * 64, token_hash="0" * 64
    )
    made = decider.create(GAME, create, NOW, entropy)
    yield made.events
    made = decider.join(made.table, moves.Join(name="Bo", token_hash="0" * 64), NOW, entropy)
    while True:
        yield made.events
        table = made.table
        seat = table.open.turn
        if seat is None:
            return
        option = chance.choice(options(table.open, seat, table.own(seat)))
        made = decider.decide(table, seat, _move(option, table, chance), NOW, entropy)


def _move(option: LegalMove, table: Table, chance: random.Random) -> moves.Move:
    match option.type:
        case "look":
            return moves.Look()
        case "double_nil":
            return moves.Look() if chance.random() < 0.9 else moves.DoubleNil()
        case "keep":
            return moves.Keep()
        case "pass":
            return moves.Pass()
        case "exchange":
            return moves.Exchange(option.cards[: option.most])
        case "bid":
            return moves.Bid(chance.randint(2, 6))
    return moves.Play(chance.choice(option.cards))


def sealed(commits: Iterator[tuple[Event, ...]], signer: Signer, game: str = GAME) -> list[Commit]:
    """The commits as they are stored: bytes, heads and receipts, under the id of `game`."""
    head, found = genesis(game), []
    for events in commits:
        stored: tuple[Stored, ...] = tuple(store(event) for event in events)
        head = head_after(head, stored)
        receipt = signer.sign(events[-1].at, game, head, events[-1].seq)
        found.append(Commit(events[-1].seq, stored, head, receipt, b"{}"))
    return found
