"""Opening the read models, on the server for work where one is named."""

from collections.abc import Mapping

from events.redis_client import ANSWER_SECONDS
from events.redis_store import PATIENCE_SECONDS, RedisStore
from service.following.books import Books
from service.opening import OpenStore
from service.work.opening import work_url


def open_books(environment: Mapping[str, str], opened: OpenStore, *, patience: float = PATIENCE_SECONDS) -> Books:
    """The read models of an open store; `patience` is the seconds one call goes on where they have a server of their own.

    Raises `BadSetting`.
    """
    url = work_url(environment, opened)
    answer = min(ANSWER_SECONDS, patience)
    return Books(opened.store if url == opened.store.url else RedisStore(url, patience=patience, answer=answer))
