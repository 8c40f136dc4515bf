"""The address of a game on a service, as it is given on the command line."""

import re
from typing import Final

_URL: Final = re.compile(r"(?P<base>https?://[^/]+)/(g|v1/games)/(?P<game>[0-9a-z]{16})\b")


def game_url(argument: str) -> tuple[str, str] | None:
    """The base and the id of the game of a URL, None for anything else."""
    url = _URL.match(argument)
    return None if url is None else (url["base"], url["game"])


def requested(name: str) -> str | None:
    """The id of the game that was requested by this name, None where it is not a game's URL."""
    url = game_url(name)
    return None if url is None else url[1]
