"""The one place where clients of the store's server are made, because their defaults lose or double writes.

redis-py repeats a command ten times by itself: a lost reply of an append would be written twice. Blocking reads get a
client of their own, whose socket outlives the longest block.
"""

from typing import Any, Final
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.connection import BlockingConnectionPool, parse_url
from redis.exceptions import ResponseError
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

ANSWER_SECONDS: Final = 2.0
"""How long one command may take before its outcome counts as unknown."""

BLOCK_SECONDS: Final = 20.0
"""The longest blocking read."""

CONNECTIONS: Final = 64
"""The most connections of one client; a thread that finds none free waits for one."""

_OPTIONS: Final = {"client_name", "connection_class", "db", "host", "password", "path", "port", "username"}
"""What a URL may say. Time-outs and repetition are ours: in redis-py an option of the URL beats the program's."""


def connect(url: str, **changes: Any) -> redis.Redis:
    """A client without automatic repetition, for any number of threads; connections are made when they are needed.

    `url` is ``redis://``, ``rediss://`` or ``unix://``. Raises `ValueError` for others, which never repeats a password.
    """
    settings: dict[str, Any] = {
        "max_connections": CONNECTIONS,
        "timeout": ANSWER_SECONDS,
        "socket_timeout": ANSWER_SECONDS,
        "socket_connect_timeout": ANSWER_SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "retry_on_timeout": False,
        "decode_responses": False,
        "legacy_responses": False,
        **changes,
    }
    if not url.startswith("unix://"):
        settings["socket_keepalive"] = True
        # While these are on, a connection is not looked at for a late reply before it is used again.
        settings["maint_notifications_config"] = MaintNotificationsConfig(enabled=False)
    single = settings.pop("single_connection_client", False)
    pool: Any = BlockingConnectionPool  # redis-py gives it no types
    client = redis.Redis(connection_pool=pool(**{**_parts(url), **settings}), single_connection_client=single)
    client.auto_close_connection_pool = True
    return client


def connect_blocking(url: str, seconds: float = BLOCK_SECONDS) -> redis.Redis:
    """A client for reads that block up to so long, on a connection of its own, which is made at once."""
    return connect(url, socket_timeout=seconds + 5.0, max_connections=1, single_connection_client=True)


def is_other_type(error: Exception) -> bool:
    """Whether the server refused a command because the key holds a value of another type."""
    return isinstance(error, ResponseError) and "WRONGTYPE" in str(error)


def execute(pipeline: Any) -> list[Any]:
    """The answers of a pipeline without a transaction; None for a key that holds a value of another type.

    One such key stops no other command. Raises `redis.exceptions.RedisError` for everything else.
    """
    answers: list[Any] = pipeline.execute(raise_on_error=False)
    for answer in answers:
        if isinstance(answer, Exception) and not is_other_type(answer):
            raise answer
    return [None if isinstance(answer, Exception) else answer for answer in answers]


def address(url: str) -> str:
    """The URL without user, password and options, for messages."""
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        return "with the unreadable address"


def _parts(url: str) -> dict[str, Any]:
    parse: Any = parse_url  # redis-py gives it no types
    try:
        found: dict[str, Any] = parse(url)
        parts = urlsplit(url)
    except ValueError:  # its message can hold a piece of the password
        raise ValueError(
            "the address of the store must be redis://HOST:PORT/DB, rediss://HOST:PORT/DB or unix:///PATH?db=DB; "
            "write / ? # @ : % [ ] in a user name or password as %2F %3F %23 %40 %3A %25 %5B %5D"
        ) from None
    if parts.scheme == "unix":
        if (parts.netloc and not parts.netloc.endswith("@")) or not parts.path:
            raise ValueError("the address of a store on a unix socket is unix:///PATH, with three slashes")
    elif parts.path.strip("/") and not parts.path.strip("/").isdecimal():
        raise ValueError("what follows the host in the address of the store is the number of the database")
    unknown = sorted(name for name in found.keys() - _OPTIONS if not name.startswith("ssl_"))
    if unknown:
        raise ValueError(f"the address of the store may not say {', '.join(unknown)}")
    return found
