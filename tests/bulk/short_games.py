"""Thousands of finished games for little time: each one that was resigned at once, by the real decider, under its own id."""

import random
from pathlib import Path

from cli.benchmarks.games import NOW, SeededEntropy, sealed
from events import keys, record
from events.log import Commit
from events.ruleset import STANDARD
from service.games import decider, moves
from service.games.exporting import record_for
from tests.kit.logs import SIGNER

_CREATE = moves.Create(
    name="Ann", rules=STANDARD, first="north", server_key=SIGNER.key, invite_hash="a" * 64, token_hash="b" * 64
)


def short_game(number: int) -> tuple[str, list[Commit]]:
    """The id and the log of a game; the same for the same number."""
    chance = random.Random(number)
    game = "".join(chance.choice(keys.CROCKFORD) for _ in range(keys.ID_LENGTH))
    entropy = SeededEntropy(chance)
    made = decider.create(game, _CREATE, NOW, entropy)
    joined = decider.join(made.table, moves.Join(name="Bo", token_hash="c" * 64), NOW, entropy)
    resigned = decider.decide(joined.table, "south", moves.Resign(), NOW, entropy)
    return game, sealed(iter([made.events, joined.events, resigned.events]), SIGNER, game)


def short_record(number: int) -> bytes:
    """The record of such a game."""
    game, log = short_game(number)
    return record.write(record_for(game, log, "spectator", ended=True))


def write_records(directory: Path, count: int) -> list[Path]:
    """So many records, a file each, in the order of their names."""
    paths = [directory / f"{number:04}.trickbook.ndjson" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_bytes(short_record(number))
    return paths


def damaged(raw: bytes, line: int = 4) -> bytes:
    """The record with the event of a line (from 1) taken out."""
    lines = raw.splitlines(keepends=True)
    return b"".join([*lines[: line - 1], *lines[line:]])
