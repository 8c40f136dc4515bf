"""GAME on the command line: an id, a record file, a glob, a game's URL, or ``-``; each becomes the same loaded game. A text
record becomes a game of its own kind, for the commands that ask for `load_any`.
"""

import glob
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

import click
import msgspec

from cli.addresses import game_url, requested
from cli.bulk.units import StoredUnit, TextUnit, Unit, UnreadUnit
from cli.failures import NOT_ALLOWED, NOT_TRUSTED, UNREACHABLE, USAGE, Failure, code_of
from cli.text import name as shown
from cli.text import tell
from events import record
from events.keys import is_game_id
from events.log import BadEvent, NotCanonical, load
from events.types import Event, GameEnded
from projections.audience import Viewer, seen_by
from projections.audit import Source, from_record
from projections.hiding import hidden_by, shown_events
from projections.textaudit.auditing import ToldGame, told
from projections.textrecord import BadLine, is_text, read
from projections.textrecord.file_kinds import kind_of
from projections.textrecord.reader import MOST_BYTES
from service.client import TIMEOUT
from service.games.stored_logs import imported_log, own_log

if TYPE_CHECKING:
    from events.redis_store import RedisStore
    from service.readmodels.model_store import ReadModelStore

_PATIENCE_SECONDS: Final = 2.0  # somebody sits before the terminal
_BEGINNING: Final = 512
_TIMEOUT_KEY: Final = "trickbook.timeout"
_GLOB: Final = re.compile(r"[*?\[]")
F = TypeVar("F", bound=Callable[..., Any])


class GameInput(msgspec.Struct, frozen=True):
    """A game's raw log; `name` is what to call it, `stored` whether it came from a store and so holds every hand; `hidden`
    are the players' names its operator shows no longer."""

    name: str
    source: Source
    stored: bool
    hidden: frozenset[str] = frozenset()

    @property
    def imported(self) -> bool:
        """Whether it is a record from elsewhere that is kept in the store."""
        return self.name.endswith("(imported)")

    def damaged(self, events: Sequence[Event]) -> bool:
        """Whether `events` are not all that the log claims to hold."""
        return self.source.broken is not None or len(events) < max(self.source.length, len(self.source.events))

    def events(self) -> tuple[Event, ...]:
        """The events that can be read, up to the first that cannot, as they are shown to people."""
        found: list[Event] = []
        for stored in self.source.events:
            try:
                found.append(load(stored))
            except (BadEvent, NotCanonical):
                break
        return shown_events(found, self.hidden)

    def seen(self, viewer: str | None) -> tuple[Event, ...]:
        """The events as `viewer` (``north``, ``south``, ``all``, or None for what may be shown) sees them.

        Raises `Failure` where a hand of a running game would be shown to whoever reads the store.
        """
        events = self.events()
        ended = any(isinstance(event.data, GameEnded) for event in events)
        if self.stored and not ended:
            if viewer is not None:
                raise Failure(
                    f"game {self.name} is still being played: hands are shown when play has ended (leave out --as)", NOT_ALLOWED
                )
            return tuple(seen_by(event, "spectator", ended=False) for event in events)
        if viewer in (None, "all"):
            return tuple(seen_by(event, "spectator", ended=True) for event in events) if self.stored else events
        seat: Viewer = "north" if viewer == "north" else "south"
        return tuple(seen_by(event, seat, ended=False) for event in events)


class TextInput(msgspec.Struct, frozen=True):
    """A game that was written down as text; `name` is what to call it."""

    name: str
    told: ToldGame

    def events(self) -> tuple[Event, ...]:
        """What it tells, as events."""
        return self.told.events


def data_option(function: F) -> F:
    """``--data DIR``, the same for every command that reads games."""
    return click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        help="Data directory [default: the user's own, or TRICKBOOK_DATA]",
    )(function)


def timeout_option(function: F) -> F:
    """``--timeout SECONDS``, the same for every command that reads games from a service; `fetch_timeout` gives it."""

    def remember(context: click.Context, option: click.Parameter, seconds: float) -> None:
        context.meta[_TIMEOUT_KEY] = seconds

    return click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        default=TIMEOUT,
        expose_value=False,
        callback=remember,
        help=f"For a whole record from a URL [default: {TIMEOUT:g}]",
    )(function)


def fetch_timeout() -> float:
    """The seconds for a whole record from a service, as the running command's ``--timeout`` says."""
    context = click.get_current_context(silent=True)
    return TIMEOUT if context is None else float(context.meta.get(_TIMEOUT_KEY, TIMEOUT))


def load_one(argument: str, data: Path | None) -> GameInput:
    """The one game that GAME names. Raises `Failure`."""
    found = list(load_games([argument], data))
    if len(found) != 1:
        raise Failure(f"{argument} names {len(found)} games, one is wanted", USAGE)
    return found[0]


def load_any(arguments: Iterable[str], data: Path | None) -> Iterator[GameInput | TextInput]:
    """Every game the arguments name, text records too. Raises `Failure`, for a line of text that cannot be read as well."""
    for argument in arguments:
        if is_game_id(argument) and not Path(argument).exists():
            yield from load_games([argument], data)
            continue
        for name, file in _files(argument):
            text = None if game_url(argument) else _text(name, file)  # a service gives sealed records, never text
            yield _as_requested(_record(name, file)) if text is None else text


def load_any_one(argument: str, data: Path | None) -> GameInput | TextInput:
    """The one game that GAME names, a text record too. Raises `Failure`."""
    found = list(load_any([argument], data))
    if len(found) != 1:
        raise Failure(f"{argument} names {len(found)} games, one is wanted", USAGE)
    return found[0]


def load_unit(unit: Unit, data: Path | None) -> GameInput | TextInput:
    """The game of a unit that was read already, or of the store. Raises `Failure`."""
    match unit:
        case StoredUnit():
            return load_one(unit.name, data)
        case UnreadUnit():
            raise Failure(f"{unit.name}: {unit.message}", UNREACHABLE if unit.missing else USAGE)
    text = _text(unit.name, io.BufferedReader(io.BytesIO(unit.raw))) if isinstance(unit, TextUnit) else None
    return _record(unit.name, io.BytesIO(unit.raw)) if text is None else text


def _text(name: str, file: BinaryIO) -> TextInput | None:
    """A text record, None for another file."""
    if not isinstance(file, io.BufferedReader) or not is_text(file.peek(_BEGINNING)[:_BEGINNING]):
        return None
    try:
        game = read(file.read(MOST_BYTES + 1))
    except BadLine as error:
        raise Failure(f"{name}, {error}", USAGE) from None
    for note in game.notes:
        tell(f"note: {shown(name)}, {note}")
    return TextInput(name, told(game))


def load_games(arguments: Iterable[str], data: Path | None) -> Iterator[GameInput]:
    """Every game the arguments name, one after the other. Raises `Failure` for one that is not there or unreadable."""
    ids: list[str] = []
    for argument in arguments:
        if is_game_id(argument) and not Path(argument).exists():
            ids.append(argument)
        else:
            yield from map(_as_requested, _outside(argument))
    if ids:
        with opened(data) as store:
            hidden = hidden_by(store.notes())
            for game in ids:
                yield stored_game(store, game, hidden)


def load_files(arguments: Iterable[str]) -> Iterator[GameInput | Failure]:
    """Every record the arguments name: files, globs, URLs, standard input; never a store.

    What cannot be read is a `Failure` in its place, so that one file does not keep the others from being read.
    """
    for argument in arguments:
        try:
            for place in _places(argument):
                yield from _each(place)
        except Failure as failure:
            yield failure


def _each(place: str) -> Iterator[GameInput | Failure]:
    """The records of one place, or why it cannot be read."""
    try:
        yield from _outside(place)
    except Exception as error:
        code = code_of(error)
        if code is None:
            raise
        yield Failure(str(error), code)


def read_records(arguments: Iterable[str]) -> Iterator[tuple[str, record.Record]]:
    """The records of files, each whole. Raises `Failure` for one that is not."""
    for argument in arguments:
        for name, file in _files(argument):
            try:
                yield name, record.read(file)
            except record.UnreadableRecord as error:
                raise Failure(f"{name} is no whole record: {error}", USAGE) from None


@contextmanager
def opened(data: Path | None) -> Iterator["RedisStore"]:
    """The store that the environment or the data directory names."""
    from service.runtime.compose import data_directory, open_store

    with open_store(os.environ, data_directory(os.environ, data), patience=_PATIENCE_SECONDS) as found:
        yield found.store


@contextmanager
def opened_books(data: Path | None) -> Iterator[tuple["RedisStore", "ReadModelStore"]]:
    """The store, and the read models kept of it."""
    from service.runtime.compose import data_directory, open_books, open_store

    with open_store(os.environ, data_directory(os.environ, data), patience=_PATIENCE_SECONDS) as found:
        yield found.store, open_books(os.environ, found, patience=_PATIENCE_SECONDS)


def stored_game(store: "RedisStore", game: str, hidden: frozenset[str] | None = None) -> GameInput:
    """A game of the store. `hidden` are the names its operator has hidden, where they were read already. Raises `Failure`."""
    hidden = hidden_by(store.notes()) if hidden is None else hidden
    own = own_log(store, game)
    if own is not None:
        return GameInput(game, own.source, stored=True, hidden=hidden)
    raw = store.imported(game)
    if raw is None:
        raise Failure(f"there is no game {game} in this store: `trickbook games` lists them", UNREACHABLE)
    return GameInput(f"{game} (imported)", imported_log(game, raw), stored=False, hidden=hidden)


def _as_requested(loaded: GameInput) -> GameInput:
    """The game itself. Raises `Failure` where a service answered with another one."""
    source = loaded.source
    if source.requested not in (None, source.game):
        raise Failure(f"{loaded.name}: the service answered with another game, {source.game}", NOT_TRUSTED)
    return loaded


def _outside(argument: str) -> Iterator[GameInput]:
    """Games that are in no store of ours."""
    for name, file in _files(argument):
        yield _record(name, file)


def _files(argument: str) -> Iterator[tuple[str, BinaryIO]]:
    """What an argument names: standard input, a game on a service, a file or a glob of files. Raises `Failure`."""
    if argument == "-":
        yield "standard input", sys.stdin.buffer
        return
    url = game_url(argument)
    if url is not None:
        from service.client.http import Client

        base, game = url
        with Client(base, timeout=fetch_timeout()).record(game) as file:
            yield argument, file
        return
    for path in _places(argument):
        try:
            with Path(path).open("rb") as file:
                yield path, file
        except FileNotFoundError:
            raise Failure(f"{path} is neither a file nor a game's id (16 characters, 0-9 and a-z)", UNREACHABLE) from None
        except OSError as error:
            raise Failure(f"{path} cannot be read: {error.strerror}", USAGE) from None


def _places(argument: str) -> list[str]:
    """The paths that a pattern matches; anything else is itself. Raises `Failure` where nothing matches."""
    if not _GLOB.search(argument) or Path(argument).exists() or game_url(argument) is not None:
        return [argument]
    paths = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207 - the pattern may be absolute
    if not paths:
        raise Failure(f"no file matches {argument}", UNREACHABLE)
    return paths


def _kind(file: BinaryIO) -> str | None:
    """What a file is that is no record, where it can be looked at once more."""
    if not file.seekable():
        return None
    file.seek(0)
    return kind_of(file.read(MOST_BYTES))


def _record(name: str, file: BinaryIO) -> GameInput:
    """A record; one that breaks off is loaded as far as it goes, so that the audit can name the place."""
    try:
        return GameInput(name, from_record(record.read(file), requested=requested(name)), stored=False)
    except record.AlteredRecord as error:
        raise Failure(f"{name} is a sealed record, but {error.message}", USAGE) from None
    except record.UnreadableRecord as error:
        if error.read is None or not error.read.events:
            kind = _kind(file)
            code = UNREACHABLE if game_url(name) else USAGE
            raise Failure(f"{name} is no record of a game: {error}{f'; {kind}' if kind else ''}", code) from None
        return GameInput(name, from_record(error.read, error, requested=requested(name)), stored=False)
