"""Commits for the tests of the store: real ones, made by the decider, and plain ones with a true chain."""

import random
import secrets
from collections.abc import Iterator, Sequence

from events import log, receipts, ruleset
from events.canonical import encode
from events.keys import CROCKFORD, ID_LENGTH
from events.log import Commit, Stored, head_after
from events.store import Appended, GameStore, LogHead, start
from events.types import Event
from projections.legal import options
from projections.table import Table
from service.base.entropy import Csprng
from service.games import decider, moves

SIGNER = receipts.Signer(b"\1" * 32)
NOBODY = "0" * 64


def fresh_game() -> str:
    """The id of a game that no server has."""
    return "".join(secrets.choice(CROCKFORD) for _ in range(ID_LENGTH))


def place(commit: Commit) -> LogHead:
    """The place after a commit."""
    return LogHead(commit.seq, commit.head)


def plain(expected: LogHead, *texts: str, by: bytes = b"{}") -> Commit:
    """A commit of events that say these texts (one says something nobody else says), each with a sealed part."""
    events = tuple(Stored(encode({"text": text}), encode({"sealed": text})) for text in (texts or (secrets.token_hex(8),)))
    return Commit(expected.version + len(events), events, head_after(expected.head, events), b"{}", by)


def chain(game: str, count: int, *, after: LogHead | None = None) -> list[Commit]:
    """So many plain commits of one event each, one after the other."""
    at, found = after or start(game), []
    for _ in range(count):
        found.append(plain(at))
        at = place(found[-1])
    return found


def real(game: str, count: int, *, seed: int = 1) -> list[Commit]:
    """The first `count` commits of a real game: create, join, then legal moves drawn with `seed`."""
    made = _real(game, random.Random(seed))
    return [next(made) for _ in range(count)]


def _real(game: str, dice: random.Random) -> Iterator[Commit]:
    entropy, at = Csprng(), start(game)
    created = moves.Create(
        name="Ada",
        rules=ruleset.with_options({}),
        first="north",
        server_key=SIGNER.key,
        invite_hash=NOBODY,
        token_hash=NOBODY,
    )
    decision = decider.create(game, created, 1, entropy)
    while True:
        commit = _commit(game, at, decision.events)
        yield commit
        table, at = decision.table, place(commit)
        if not table.open.south.seated:
            decision = decider.join(table, moves.Join(name="Bob", token_hash=NOBODY), 2, entropy)
        else:
            turn = table.open.turn
            assert turn is not None, "the game is over"
            decision = decider.decide(table, turn, _move(table, dice), 3, entropy)


def _move(table: Table, dice: random.Random) -> moves.Move:
    turn = table.open.turn
    assert turn is not None
    option = dice.choice(options(table.open, turn, table.own(turn)))
    match option.type:
        case "look":
            return moves.Look()
        case "double_nil":
            return moves.DoubleNil()
        case "keep":
            return moves.Keep()
        case "pass":
            return moves.Pass()
        case "exchange":
            return moves.Exchange(tuple(dice.sample(option.cards, dice.randint(0, option.most))))
        case "bid":
            return moves.Bid(dice.randint(0, 4))
        case _:
            return moves.Play(dice.choice(option.cards))


def _commit(game: str, expected: LogHead, events: Sequence[Event]) -> Commit:
    stored = tuple(log.store(event) for event in events)
    head, seq = head_after(expected.head, stored), events[-1].seq
    by = encode({"key": secrets.token_hex(32), "request": secrets.token_hex(32), "seat": "north"})
    return Commit(seq, stored, head, SIGNER.sign(events[-1].at, game, head, seq), by)


def require_chain(game: str, commits: Sequence[Commit]) -> None:
    """Asserts that the commits are one unbroken log from event 1."""
    at = start(game)
    for commit in commits:
        assert commit.first == at.version + 1
        assert commit.head == head_after(at.head, commit.events)
        at = place(commit)


def write(store: GameStore, game: str, commits: Sequence[Commit], at: LogHead | None = None) -> None:
    """Appends the commits one after the other from a place, else from the start, and asserts that each went in."""
    at = at or start(game)
    for commit in commits:
        assert store.append(game, at, commit) == Appended()
        at = place(commit)
