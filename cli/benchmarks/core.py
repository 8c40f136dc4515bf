"""The benchmarks that need no server: the pure core played by random bots, and the audit of whole logs."""

import hashlib
import json
from collections.abc import Iterator
from typing import Final

from cli.benchmarks.games import GAME, play, sealed
from cli.benchmarks.measuring import Figure, figure
from events.log import Commit
from events.receipts import Signer
from projections.audit import audit, from_commits

GAMES: Final = 6


def core(runs: int) -> Iterator[Figure]:
    """Games a second of the decider and the fold, and events a second of the audit, beside decoding and hashing alone."""
    signer = Signer(bytes(range(32)))
    logs = [sealed(play(seed, signer), signer) for seed in range(GAMES)]

    def play_all() -> int:
        return sum(len(commit) for seed in range(GAMES) for commit in play(seed, signer))

    def audit_all() -> int:
        for log in logs:
            if audit(from_commits(GAME, log)).verdict != "ok":
                raise AssertionError("a benchmark game does not audit well")
        return sum(len(commit.events) for log in logs for commit in log)

    def bare() -> int:
        return decode_and_hash(logs)

    yield figure("pure core, random bots", "events", play_all, "decode + hash", bare, runs)
    yield figure("audit, receipts included", "events", audit_all, "decode + hash", bare, runs)


def decode_and_hash(logs: list[list[Commit]]) -> int:
    """The least a reader of these logs could do: decode each event and hash its bytes."""
    count = 0
    for log in logs:
        for commit in log:
            for event in commit.events:
                json.loads(event.public)
                hashlib.sha256(event.public).digest()
                if event.sealed is not None:
                    json.loads(event.sealed)
                    hashlib.sha256(event.sealed).digest()
                count += 1
    return count


def games_a_second(events_a_second: float) -> float:
    """The rate in games of the benchmark's length."""
    signer = Signer(bytes(range(32)))
    events = sum(len(commit) for seed in range(GAMES) for commit in play(seed, signer))
    return events_a_second * GAMES / events
