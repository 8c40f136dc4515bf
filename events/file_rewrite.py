"""The rewrite of the append-only file that some servers need between a start and the first move
(docs/decisions/torn-tails.md).

Redis cuts a torn file at the last whole command, also inside MULTI. The next write then belongs to a transaction without an
end, and the start after the next one drops it. A rewritten file has no such beginning. Valkey 9 and later cut before MULTI.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from redis.exceptions import BusyLoadingError, ResponseError

_SOUND_VALKEY: Final = 9
_UNDER_WAY: Final = ("aof_rewrite_in_progress", "aof_rewrite_scheduled")


class RewriteUnderWay(BusyLoadingError):
    """The server has not finished the rewrite yet; nothing was sent."""


def needs_rewrite(about: Mapping[str, Any]) -> bool:
    """Whether a server with this INFO cuts a torn file inside MULTI, keeps such a file, and has not rewritten it since it
    started."""
    if not int(about.get("aof_enabled", 0)) or about.get("role") == "slave":
        return False
    if about.get("server_name") == "valkey" and _major(about.get("valkey_version", "")) >= _SOUND_VALKEY:
        return False
    rewritten = int(about.get("aof_rewrites", 0)) > 0 and about.get("aof_last_bgrewrite_status") == "ok"
    return not rewritten or any(int(about.get(name, 0)) for name in _UNDER_WAY)


class FileRewrite:
    """Looks at each new connection of a client. A server that restarts ends all its connections, so no move passes by."""

    def __init__(self) -> None:
        self._done: str | None = None  # the run id of the server whose file is known to be sound

    def connected(self, connection: Any) -> None:
        """For `redis_connect_func`: greets the server, and has it rewrite its file where that is needed.

        Raises `BusyLoadingError` while the server loads its data, `RewriteUnderWay` until the file is rewritten, and
        `ResponseError` where the server refuses.
        """
        connection.on_connect()
        about = _info(connection)
        if about["run_id"] == self._done:
            return
        if int(about.get("loading", 0)):
            raise BusyLoadingError("it is loading its data")
        if not needs_rewrite(about):
            self._done = about["run_id"]
            return
        if not any(int(about.get(name, 0)) for name in _UNDER_WAY):
            _start(connection)
        raise RewriteUnderWay("it rewrites its append-only file, as it must after each start before it takes moves")


def _start(connection: Any) -> None:
    try:
        connection.send_command("BGREWRITEAOF")
        connection.read_response()
    except ResponseError as error:
        if "already in progress" in str(error):
            return
        raise ResponseError(
            f"its append-only file must be rewritten after a start, and BGREWRITEAOF is refused ({error}): allow it, "
            "or use Valkey 9 or later"
        ) from None


def _info(connection: Any) -> dict[str, str]:
    connection.send_command("INFO", "server", "persistence", "replication")
    raw: Any = connection.read_response()
    text = raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)
    return dict(re.findall(r"^([a-z_0-9]+):(.*?)\r?$", text, re.MULTILINE))


def _major(version: str) -> int:
    first = str(version).partition(".")[0]
    return int(first) if first.isdigit() else 0
