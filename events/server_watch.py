"""Notices that the server behind an address is another one than before: restarted, put back from a copy, or failed over.

The identity is asked on each new connection, before its first command. So nothing is written to a server that was not
looked at, and a command on a connection that exists costs nothing.
"""

import re
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import ResponseError

from events.store import Unreachable

_FIELDS: Final = re.compile(rb"^(run_id|master_replid|role):(\w+)", re.MULTILINE)


class ServerWatch:
    """Calls `check` with the identity of the server whenever it is another one; until that returns, no command is sent.

    `check` must use a client of its own. What it raises as `Unreachable` fails the connection, which is then made again.
    """

    def __init__(self, check: Callable[[str], None]) -> None:
        self._check = check
        self._known: str | None = None
        self._lock = threading.Lock()

    def attach(self, client: Any) -> None:
        """Watches every connection that the client makes from now on, after what it does on each already; those it has are
        closed."""
        arguments = client.connection_pool.connection_kwargs
        arguments["redis_connect_func"] = partial(self._connected, arguments.get("redis_connect_func"))
        client.connection_pool.disconnect()
        client.connection_pool.reset()  # a connection that is kept would connect again as it did before

    def poll(self, client: Any) -> None:
        """Looks once more, on a connection that exists: a primary may change without one being closed.

        Raises `redis.exceptions.RedisError`.
        """
        try:
            with client.pipeline(transaction=False) as both:
                both.execute_command("INFO", "server", NEVER_DECODE=True)
                both.execute_command("INFO", "replication", NEVER_DECODE=True)
                found = both.execute()
        except ResponseError:
            return
        self._compare(_identity(*(_fields(each) for each in found)))

    def _connected(self, greet: Callable[[Any], None] | None, connection: Any) -> None:
        if greet is None:
            connection.on_connect()
        else:
            greet(connection)
        found = []
        for section in ("server", "replication"):
            connection.send_command("INFO", section)
            try:
                found.append(_fields(connection.read_response()))
            except ResponseError:  # a server that keeps INFO to itself: compared at start alone
                found.append({})
        self._compare(_identity(*found))

    def _compare(self, identity: str) -> None:
        if identity == self._known:
            return
        with self._lock:
            if identity == self._known:
                return
            try:
                self._check(identity)
            except Unreachable as error:
                raise NoConnection(str(error)) from None
            self._known = identity


def _fields(answer: Any) -> dict[str, str]:
    if isinstance(answer, dict):  # as the client parses INFO
        return {str(name): str(value) for name, value in answer.items()}
    raw = answer.encode() if isinstance(answer, str) else bytes(answer)
    return {name.decode(): value.decode() for name, value in _FIELDS.findall(raw)}


def _identity(server: dict[str, str], replication: dict[str, str]) -> str:
    """The run of the server and the history it replicates, as one word; empty where the server does not say."""
    named = (server.get("run_id"), replication.get("master_replid"), replication.get("role"))
    return ".".join(text or "" for text in named).strip(".")
