"""A store that is open, with what keeps it running."""

from types import TracebackType
from typing import Self

from events.redis_store import RedisStore
from events.store import Unreachable
from service.embedded import EmbeddedStore
from service.operations.durability import Durability, RedisError, durability


class OpenStore:
    """A store that is open, with what keeps it running. Use as a context manager."""

    def __init__(self, store: RedisStore, embedded: EmbeddedStore | None) -> None:
        self.store = store
        self.embedded = embedded

    def ready(self) -> Durability:
        """How durable the store is. Raises `Unreachable` when it takes no moves."""
        self.store.ping()
        try:
            return durability(self.store.client)
        except RedisError as error:
            raise Unreachable(f"the store does not answer: {type(error).__name__}") from None

    def close(self) -> None:
        """Ends the connections; our own store ends with its last user."""
        self.store.close()
        if self.embedded is not None:
            self.embedded.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
