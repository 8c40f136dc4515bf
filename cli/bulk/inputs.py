"""What is to be audited, named as a person names it: ids, files, globs, directories, URLs, standard input; read one after
the other, and never all held.
"""

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from cli.addresses import game_url
from cli.bulk.splitting import split
from cli.bulk.units import STORED_WEIGHT, StoredUnit, Unit, UnreadUnit
from events.keys import is_game_id
from service.client import TIMEOUT

STDIN: Final = "-"
_GLOB: Final = re.compile(r"[*?\[]")
_SUFFIXES: Final = (".ndjson", ".txt")
"""What counts as a record in a directory that is named."""


def is_stored(argument: str) -> bool:
    """Whether an argument names a game of the store: it has the form of an id, and there is no such file."""
    return is_game_id(argument) and not Path(argument).exists()


class Inputs:
    """The units that the arguments name, to be gone through once.

    `total` is how many there are as far as that is known, `is_exact` whether nothing has shown that there may be more:
    a file or a stream can hold many games. `weight` is that of all, None where a stream does not say its own;
    `has_stored` is whether a game of the store is among them.
    """

    def __init__(
        self,
        arguments: Iterable[str],
        stdin: Callable[[], BinaryIO],
        stored: Sequence[StoredUnit] = (),
        timeout: float = TIMEOUT,
    ) -> None:
        """`stored` come before what the arguments name; `stdin` is asked for at ``-``; `timeout` in seconds is for each URL."""
        self._stdin, self._timeout = stdin, timeout
        self._places: list[str | Unit] = [*stored]
        for argument in arguments:
            self._places += _expanded(argument)
        self.total = len(self._places)
        self.is_exact = STDIN not in self._places
        self.has_stored = any(isinstance(place, StoredUnit) for place in self._places)
        self.weight = sum(map(_weight, self._places)) if self.is_exact else None

    def __iter__(self) -> Iterator[Unit]:
        for place in self._places:
            if not isinstance(place, str):
                yield place
                continue
            for number, unit in enumerate(self._units(place)):
                if number:
                    self.total += 1
                    self.is_exact = False
                yield unit

    def _units(self, place: str) -> Iterator[Unit]:
        url = game_url(place)
        try:
            if url is not None:
                yield from _fetched(place, *url, self._timeout)
            elif place == STDIN:
                yield from split("standard input", self._stdin())
            else:
                with Path(place).open("rb") as file:
                    yield from split(place, file)
        except FileNotFoundError:
            yield UnreadUnit(place, "it is neither a file nor a game's id (16 characters, 0-9 and a-z)", missing=True)
        except OSError as error:
            yield UnreadUnit(place, f"it cannot be read: {error.strerror}")


def _fetched(place: str, base: str, game: str, timeout: float) -> Iterator[Unit]:
    """The record of a game on a service."""
    from service.client.http import Client, ClientError  # here: only a URL needs it

    try:
        with Client(base, timeout=timeout).record(game) as stream:
            yield from split(place, stream, text=False)
    except ClientError as error:
        yield UnreadUnit(place, str(error), missing=True)


def _expanded(argument: str) -> Iterator[str | Unit]:
    """The places an argument names: itself, what a glob matches, the records in a directory and below it."""
    if argument == STDIN or game_url(argument):
        yield argument
    elif is_stored(argument):
        yield StoredUnit(argument)
    elif _GLOB.search(argument) and not Path(argument).exists():
        matching = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207 - the pattern may be absolute
        for path in matching:
            yield from _walked(path)
        if not matching:
            yield UnreadUnit(argument, "no file matches it", missing=True)
    else:
        yield from _walked(argument)


def _walked(path: str) -> Iterator[str | Unit]:
    """A file, or the records of a directory."""
    if not Path(path).is_dir():
        yield path
        return
    refused: list[OSError] = []
    found = False
    for folder, below, names in os.walk(path, onerror=refused.append):
        below.sort()
        for name in sorted(names):
            if name.endswith(_SUFFIXES):
                found = True
                yield os.path.join(folder, name)  # noqa: PTH118 - as it was named, not normalised
    for error in refused:
        yield UnreadUnit(str(error.filename), f"it cannot be read: {error.strerror}")
    if not found and not refused:
        yield UnreadUnit(path, f"there is no record in this directory (*{', *'.join(_SUFFIXES)})", missing=True)


def _weight(place: str | Unit) -> int:
    if not isinstance(place, str):
        return place.weight
    try:
        return Path(place).stat().st_size
    except OSError:
        return STORED_WEIGHT if game_url(place) else 0
