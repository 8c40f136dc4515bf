"""The one place where clients of the store's server are made, because their defaults lose or double writes.

redis-py repeats a command ten times by itself: a lost reply of an append would be written twice. Blocking reads get a
client of their own, whose socket outlives the longest block.
"""

from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

ANSWER_SECONDS: Final = 2.0
"""How long one command may take before its outcome counts as unknown."""

BLOCK_SECONDS: Final = 30
"""The longest blocking read."""


def connect(url: str, **changes: Any) -> redis.Redis:
    """A client without automatic repetition. `url` is ``redis://``, ``rediss://`` or ``unix://``; raises `ValueError` for others."""
    settings: dict[str, Any] = {
        "socket_timeout": ANSWER_SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "retry_on_timeout": False,
        "decode_responses": False,
        "legacy_responses": False,
        **changes,
    }
    if not url.startswith("unix://"):
        settings["socket_connect_timeout"] = ANSWER_SECONDS
    return redis.Redis.from_url(url, **settings)


def connect_blocking(url: str) -> redis.Redis:
    """A client for reads that block up to `BLOCK_SECONDS`, on a connection of its own."""
    return connect(url, socket_timeout=BLOCK_SECONDS + 5.0, single_connection_client=True)
