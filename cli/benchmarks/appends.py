"""The benchmark of the store: real commits through the append script, beside the same bytes by a bare XADD."""

import secrets
from collections.abc import Iterator
from typing import Any

from cli.benchmarks.games import play, sealed
from cli.benchmarks.measuring import Figure, figure
from events import entry, keys
from events.log import genesis
from events.receipts import Signer
from events.redis_store import RedisStore
from events.store import Appended, LogHead


def appends(store: RedisStore, runs: int) -> Iterator[Figure]:
    """Appends a second of one writer. The games it makes are removed again."""
    signer = Signer(bytes(range(32)))
    games = [_fresh_id() for _ in range(2 * runs)]
    logs = {game: sealed(play(1, signer), signer, game) for game in games}
    client: Any = store.client
    left = iter(games)

    def script() -> int:
        game = next(left)
        at = LogHead(0, genesis(game))
        for commit in logs[game]:
            if store.append(game, at, commit) != Appended():
                raise AssertionError("a benchmark append was not written")
            at = LogHead(commit.seq, commit.head)
        return len(logs[game])

    def bare() -> int:
        game = next(left)
        for commit in logs[game]:
            client.xadd(keys.stream(game), dict(entry.fields(commit)), id=entry.entry_id(commit.seq))
        return len(logs[game])

    try:
        yield figure("append, one writer", "commits", script, "bare XADD", bare, runs)
    finally:
        for game in games:
            client.delete(keys.stream(game))


def _fresh_id() -> str:
    """An id of no game; it stands in nobody's list, for it is removed when the benchmark ends."""
    return "".join(secrets.choice(keys.CROCKFORD) for _ in range(keys.ID_LENGTH))
