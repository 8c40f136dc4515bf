"""The composition root: opens the store, the identity, the work server and the read models that the environment names."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import platformdirs
import redis

from events.redis_client import ANSWER_SECONDS, connect
from events.redis_store import PATIENCE_SECONDS, RedisStore
from events.store import Unreachable
from service.base import secrets_file
from service.base.clock import Clock
from service.base.identity import Identity
from service.base.settings import DATA, REDIS_URL, WORK_URL, BadSetting
from service.embedded import EmbeddedStore, StoreUnavailable, prepare
from service.operations.doctor import Check, examine
from service.operations.open_store import OpenStore
from service.readmodels.model_store import ReadModelStore

DOCTOR_PATIENCE_SECONDS = 2.0


class OtherIdentity(Exception):
    """The store holds games of another secret or signing key; the message says what to do."""


def data_directory(environment: Mapping[str, str], given: Path | None = None) -> Path:
    """Where this user's games live, unless another place is named."""
    if given is not None:
        return given
    named = environment.get(DATA)
    return Path(named) if named else platformdirs.user_data_path("trickbook", appauthor=False)


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
    """Our identity, once the store agrees with it. Fresh secrets are made only for a store that nobody has claimed.

    Raises `secrets_file.BadSecret`, `OtherIdentity`, `Unreachable`, and `StoreUnavailable` for a store that holds a part of a
    backup.
    """
    if store.restoring() is not None:
        raise StoreUnavailable(
            "The store holds a part of a backup: `trickbook restore` is running or was interrupted. Run it again, "
            "or empty the store"
        )
    prepare(data)
    fresh = secrets_file.missing(environment, data)
    if fresh and store.identity() is not None:
        raise _other_secret(data) if secrets_file.SECRET_FILE in fresh else _other_key(data, store.identity() or {})
    identity = secrets_file.load(environment, data)
    ours, theirs = identity.names(), store.claim(identity.names())
    if ours["secret"] != theirs.get("secret"):
        raise _other_secret(data)
    if ours["key"] == theirs.get("key"):
        return identity
    if theirs.get("key") in [signer.key.id for signer in identity.retired]:
        store.claim(ours, instead_of=theirs)  # the key was rotated: from now on the old one alone is refused
        return open_identity(environment, data, store)
    raise _other_key(data, theirs)


def _other_secret(data: Path) -> OtherIdentity:
    return OtherIdentity(
        f"this store holds games of another service secret: give that one in {secrets_file.SECRET_VARIABLE} or in "
        f"{data / secrets_file.SECRET_FILE}, or use another store"
    )


def _other_key(data: Path, theirs: Mapping[str, str]) -> OtherIdentity:
    return OtherIdentity(
        f"this store holds games signed by another key ({theirs.get('key', '')[:16]}…): give that one in "
        f"{secrets_file.KEY_VARIABLE} or in {data / secrets_file.KEY_FILE} (or, after a rotation, the new one there and the "
        f"old one in {data / secrets_file.RETIRED_FILE}), or use another store"
    )


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


def open_books(environment: Mapping[str, str], opened: OpenStore, *, patience: float = PATIENCE_SECONDS) -> ReadModelStore:
    """The read models of an open store; `patience` is the seconds one call goes on where they have a server of their own.

    Raises `BadSetting`.
    """
    url = work_url(environment, opened)
    if url == opened.store.url:
        return ReadModelStore(opened.store)
    return ReadModelStore(RedisStore(url, patience=patience, answer=min(ANSWER_SECONDS, patience), sound=False))


def checks(environment: Mapping[str, str], data: Path, clock: Clock, high_water: Sequence[Path] = ()) -> Iterator[Check]:
    """The checks of `trickbook doctor` over this environment, with the high-water files of further nodes.

    It never raises for what it finds."""
    patience = DOCTOR_PATIENCE_SECONDS
    return examine(
        environment,
        data,
        clock,
        partial(open_store, environment, data, patience=patience),
        partial(work_url, environment),
        partial(open_books, environment, patience=patience),
        high_water,
    )
