"""Waiting for a store that is starting: it loads its data, or rewrites its file, and says how far it is."""

import time
from collections.abc import Callable
from typing import Any, Final

from redis.exceptions import BusyLoadingError, RedisError

from events.redis_client import ANSWER_SECONDS, connect
from events.redis_store import RedisStore

_LOOK_SECONDS: Final = 0.1
_TELL_SECONDS: Final = 5.0


def wait_for_start(store: RedisStore, tell: Callable[[str], object]) -> None:
    """Returns when the server takes commands, or is away, which the first use of the store reports.

    It may load for as long as it does; `tell` gets a sentence at once and then every five seconds.
    """
    due = 0.0
    while True:
        why = _still_starting(store)
        if why is None:
            return
        if time.monotonic() >= due:
            tell(f"Waiting for the store: {_progress(store.url) or why}")
            due = time.monotonic() + _TELL_SECONDS
        time.sleep(_LOOK_SECONDS)


def _still_starting(store: RedisStore) -> str | None:
    try:
        store.client.ping()
    except BusyLoadingError as error:
        return str(error)
    except RedisError:
        return None
    return None


def _progress(url: str) -> str | None:
    """How far the server is, as it says itself; INFO is answered while it loads."""
    try:
        with connect(url, socket_timeout=ANSWER_SECONDS) as client:
            about: dict[str, Any] = client.info("persistence")
    except RedisError:
        return None
    if int(about.get("loading", 0)):
        share, left = float(about.get("loading_loaded_perc", 0)), int(about.get("loading_eta_seconds", 0))
        return f"it has loaded {share:.0f} % of its data" + (f", about {left} s left" if left > 0 else "")
    if int(about.get("aof_rewrite_in_progress", 0)):
        seconds = max(int(about.get("aof_current_rewrite_time_sec", 0)), 0)
        return f"it rewrites its append-only file, for {seconds} s so far"
    return None
