"""The script that appends a commit (append.lua), as it is sent: alone, or behind its announcement in the same round trip."""

from hashlib import sha1
from importlib.resources import files
from typing import Any, Final

from redis.exceptions import NoScriptError

from events import keys

_SCRIPT: Final = files("events").joinpath("append.lua").read_text(encoding="utf-8")
_SHA: Final = sha1(_SCRIPT.encode(), usedforsecurity=False).hexdigest()
"""The name the server knows the script by."""

Hint = tuple[str, dict[str, str | int]]
"""The feed of a game's partition, and the entry that announces a version of it."""


def hint(game: str, version: int) -> Hint:
    """The announcement that a game is about to reach `version`, as XADD takes it."""
    return keys.feed(keys.partition(game)), {"game": game, "version": version}


class AppendScript:
    """The script on one client, for any number of threads."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, names: list[str], values: list[bytes | str], *, hint: Hint | None) -> Any:
        """The script's answer to one sending, with `hint` before it in the same round trip. Where the server does not know the
        script it is loaded and sent once more. Raises `redis.exceptions.RedisError`."""
        try:
            return self._send(names, values, hint)
        except NoScriptError:
            self._client.script_load(_SCRIPT)
            return self._send(names, values, hint)

    def _send(self, names: list[str], values: list[bytes | str], hint: Hint | None) -> Any:
        if hint is None:
            return self._client.evalsha(_SHA, len(names), *names, *values)
        with self._client.pipeline(transaction=False) as both:
            both.xadd(*hint)
            both.evalsha(_SHA, len(names), *names, *values)
            _, outcome = both.execute(raise_on_error=False)  # a refused hint must not hide what became of the commit
        if isinstance(outcome, Exception):
            raise outcome
        return outcome
