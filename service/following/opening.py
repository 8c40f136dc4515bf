"""Opening the read models, on the server for work where one is named."""

from collections.abc import Mapping

from events.redis_store import RedisStore
from service.following.books import Books
from service.opening import OpenStore
from service.work.opening import work_url


def open_books(environment: Mapping[str, str], opened: OpenStore) -> Books:
    """The read models of an open store. Raises `BadSetting`."""
    url = work_url(environment, opened)
    return Books(opened.store if url == opened.store.url else RedisStore(url))
