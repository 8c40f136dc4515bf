"""What the comparison with the high-water file costs, by hand: `python -m tests.bench.history [GAMES]`; medians of five."""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from events import entry, keys
from events.redis_store import RedisStore
from events.store import LogHead
from service.base.high_water import FILE, contents, write_file
from service.games.history_check import compare
from tests.kit.servers import Servers

ROUNDS = 5
SERVICE = "5" * 64
_AT_A_TIME = 1000


def fill(store: RedisStore, games: int, seed: int = 1) -> dict[str, LogHead]:
    """Games of one commit each in the store, and the place of each."""
    chance, places = random.Random(seed), {}
    names = ["".join(chance.choices(keys.CROCKFORD, k=keys.ID_LENGTH)) for _ in range(games)]
    for begin in range(0, games, _AT_A_TIME):
        with store.client.pipeline(transaction=False) as many:
            for game in names[begin : begin + _AT_A_TIME]:
                places[game] = LogHead(chance.randint(5, 90), chance.randbytes(32))
                fields = {"1": b"x" * 300, "head": places[game].head}
                many.xadd(keys.stream(game), fields, id=entry.entry_id(places[game].version))
            many.execute()
    return places


def median(call: Callable[[], object]) -> float:
    """The seconds that a call takes."""
    seconds = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds)


def main(games: int) -> None:
    """Prints a row of docs/reliability.md."""
    servers = Servers()
    try:
        store = RedisStore(servers.start("--appendfsync", "no").url)
        places = fill(store, games)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / FILE
            rewrite = median(lambda: write_file(path, places, SERVICE))
            read = median(lambda: contents(path))
            compared = median(lambda: compare(store, contents(path))) - read
            size = path.stat().st_size / 1e6
        print(f"{games:,} games, {size:.1f} MB: read {read:.2f} s, compare {compared:.2f} s, rewrite {rewrite:.2f} s")
        store.close()
    finally:
        servers.end()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
