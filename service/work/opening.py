"""Where the work server is: RQ, the rate limiter and the read models live there, nothing that cannot be made anew."""

from collections.abc import Mapping

import redis

from events.redis_client import ANSWER_SECONDS, connect
from service.opening import OpenStore
from service.settings import WORK_URL, BadSetting


def work_url(environment: Mapping[str, str], opened: OpenStore) -> str:
    """The address in TRICKBOOK_WORK_URL, or that of the store of the games. Raises `BadSetting`."""
    named = environment.get(WORK_URL)
    if not named:
        return opened.store.url
    try:
        connect(named).close()  # it connects only when it is used
    except ValueError as error:
        raise BadSetting(f"{WORK_URL} is not an address of a server: {error}") from None
    return named


def connect_work(environment: Mapping[str, str], opened: OpenStore, *, answer: float = ANSWER_SECONDS) -> redis.Redis:
    """A client of the work server; `answer` is how many seconds one command may take. Raises `BadSetting`."""
    return connect(work_url(environment, opened), socket_timeout=answer)
