"""Loops in a process of their own, each asking for one address after the other until standard input closes.

`python -m cli.benchmarks.loops URL` reads a line of JSON: how many loops, and the addresses they choose from. It prints how
many answers each status had.
"""

import http.client
import json
import random
import sys
import threading
from collections import Counter
from typing import Final
from urllib.parse import urlsplit

from cli.text import say

_SECONDS: Final = 30


def _loop(url: str, paths: list[str], seed: int, ended: threading.Event, counts: Counter[int]) -> None:
    parts, chance = urlsplit(url), random.Random(seed)  # noqa: S311 - a benchmark
    wire = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=_SECONDS)
    while not ended.is_set():
        try:
            wire.request("GET", chance.choice(paths))
            answer = wire.getresponse()
            answer.read()
            counts[answer.status] += 1
        except (OSError, http.client.HTTPException):
            wire.close()
            counts[0] += 1


def main(url: str) -> None:
    """Runs the loops."""
    loops, paths = json.loads(sys.stdin.readline())
    ended, counts = threading.Event(), Counter[int]()
    threads = [threading.Thread(target=_loop, args=(url, paths, seed, ended, counts)) for seed in range(loops)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join(_SECONDS)
    say(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1])
