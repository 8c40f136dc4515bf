"""Opening the store and the identity that a command or a web worker works with: named by the environment, or our own."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import platformdirs

from events.redis_store import PATIENCE_SECONDS, RedisStore
from events.store import Unreachable
from service import secrets_file
from service.durability import Durability, RedisError, durability
from service.embedded import EmbeddedStore, StoreUnavailable, prepare
from service.identity import Identity
from service.settings import DATA, REDIS_URL


class OtherIdentity(Exception):
    """The store holds games of another secret or signing key; the message says what to do."""


def data_directory(environment: Mapping[str, str], given: Path | None = None) -> Path:
    """Where this user's games live, unless another place is named."""
    if given is not None:
        return given
    named = environment.get(DATA)
    return Path(named) if named else platformdirs.user_data_path("trickbook", appauthor=False)


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


def open_store(environment: Mapping[str, str], data: Path, *, patience: float = PATIENCE_SECONDS) -> OpenStore:
    """The store that the environment names, or our own in the data directory; `patience` in seconds, see `RedisStore`.

    Raises `StoreUnavailable`, `Unreachable`.
    """
    url = environment.get(REDIS_URL)
    if url:
        try:
            store = RedisStore(url, patience=patience)
        except ValueError as error:
            raise StoreUnavailable(f"{REDIS_URL} is not an address of a server: {error}") from None
        return OpenStore(store, None)
    embedded = EmbeddedStore.open(data)

    def mend() -> None:
        try:
            embedded.ensure()
        except StoreUnavailable as error:
            raise Unreachable(str(error)) from None

    return OpenStore(RedisStore(embedded.url, mend=mend, patience=patience), embedded)


def open_identity(environment: Mapping[str, str], data: Path, store: RedisStore) -> Identity:
    """Our identity, once the store agrees with it. Raises `secrets_file.BadSecret`, `OtherIdentity`."""
    prepare(data)
    identity = secrets_file.load(environment, data)
    ours, theirs = identity.names(), store.claim(identity.names())
    if ours["secret"] != theirs.get("secret"):
        raise OtherIdentity(
            f"this store holds games of another service secret: give that one in {secrets_file.SECRET_VARIABLE} or in "
            f"{data / secrets_file.SECRET_FILE}, or use another store"
        )
    if ours["key"] == theirs.get("key"):
        return identity
    if theirs.get("key") in [signer.key.id for signer in identity.retired]:
        store.claim(ours, instead_of=theirs)  # the key was rotated: from now on the old one alone is refused
        return open_identity(environment, data, store)
    raise OtherIdentity(
        f"this store holds games signed by another key ({theirs.get('key', '')[:16]}…): give that one in "
        f"{secrets_file.KEY_VARIABLE} or in {data / secrets_file.KEY_FILE} (or, after a rotation, the new one there and the "
        f"old one in {data / secrets_file.RETIRED_FILE}), or use another store"
    )
