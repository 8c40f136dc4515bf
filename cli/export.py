"""``trickbook export``: games as files, for machines (records), for people (text) or for a spreadsheet (their score sheets)."""

import io
from pathlib import Path

import click

from cli.commands import Command
from cli.failures import NOT_ALLOWED, NOT_TRUSTED, OK, USAGE, Failure
from cli.sheet_rows import COLUMNS, csv_text, names_of, sheet_rows
from cli.sources import GameInput, data_option, load_games, opened, timeout_option
from cli.text import tell, write_bytes
from events import record
from events.record import Header, Record
from events.types import GameCreated
from projections.audience import may_open
from projections.audit import Source
from projections.textrecord import NotFinished, write

_ENDINGS = {"ndjson": ".trickbook.ndjson", "text": ".txt", "csv": ".csv"}


@click.command(
    cls=Command,
    examples=(
        "trickbook export 0k7f3x9q2m5v8w1c > game.trickbook.ndjson",
        "trickbook export GAME --as text",
        "trickbook export --all --format csv > scores.csv",
        "trickbook export --all --to ./games",
    ),
)
@click.argument("games", metavar="[GAME...]", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Every game of the store")
@click.option("--as", "--format", "form", type=click.Choice(tuple(_ENDINGS)), default="ndjson", show_default=True)
@click.option("--to", type=click.Path(file_okay=False, path_type=Path), help="Directory for the files")
@timeout_option
@data_option
def export(games: tuple[str, ...], every: bool, form: str, to: Path | None, data: Path | None) -> int:
    """Write records of games: of a finished one everything that is open, of a running one the public log.

    CSV is the score sheet, a row a hand and seat; several games are one table without --to.

    A running game's own sealed parts are given to its players by the service: GET /v1/games/{id}/record with the token.
    """
    if every == bool(games):
        raise Failure("name games, or --all", USAGE)
    if to is None and (every or len(games) > 1) and form != "csv":
        raise Failure("several games need a directory: --to DIR", USAGE)
    worst, written = OK, 0
    if every:
        with opened(data) as store:
            games = tuple(sorted(store.games()))
    if to is not None:
        to.mkdir(parents=True, exist_ok=True)
    for loaded in load_games(games, data):
        try:
            raw = _text(loaded) if form == "text" else _csv(loaded) if form == "csv" else _record(loaded)
        except NotFinished as error:
            if not every:
                raise Failure(f"{loaded.name}: {error}", NOT_ALLOWED) from None
            tell(f"trickbook: {loaded.name} is left out: {error}")
            continue
        except (ValueError, IndexError, AssertionError) as error:
            tell(f"trickbook: {loaded.name} cannot be written, its log is damaged: {error}")
            worst = NOT_TRUSTED
            continue
        if to is None:
            write_bytes(raw.partition(b"\n")[2] if form == "csv" and written else raw)
            written += 1
        else:
            (to / f"{loaded.source.game}{_ENDINGS[form]}").write_bytes(raw)
    if to is not None:
        tell(f"written to {to}")
    return worst


def _text(loaded: GameInput) -> bytes:
    return write(loaded.seen(None)).encode()


def _csv(loaded: GameInput) -> bytes:
    events = loaded.events()
    if len(events) < len(loaded.source.events) or loaded.source.broken is not None:
        raise ValueError(loaded.source.broken or f"event {len(events) + 1} cannot be read")
    found = sheet_rows(events, names_of(events))
    return csv_text(("game", *COLUMNS), ([loaded.source.game, *row] for row in found)).encode()


def _record(loaded: GameInput) -> bytes:
    """The record; of a file the same bytes again."""
    source = loaded.source
    if source.broken is not None:
        raise ValueError(source.broken)
    if not loaded.stored:
        raw = _written(source, keep_all=True)
        record.read(io.BytesIO(raw))
        return raw
    return _written(source, keep_all=False, ended=any(event.type.name == "game_ended" for event in loaded.events()))


def _written(source: Source, *, keep_all: bool, ended: bool = False) -> bytes:
    from events.log import Stored, load

    shown = source.events
    if not keep_all:
        shown = tuple(e if may_open(load(e), "spectator", ended=ended) else Stored(e.public) for e in source.events)
    created = load(source.events[0]).data
    assert isinstance(created, GameCreated)
    key = source.server_key or created.server_key
    last = source.length if keep_all else len(shown)
    if last not in source.heads:
        raise ValueError("the audit names the place")
    header = Header(last, "trickbook-record", source.game, source.heads[last].hex(), key, 1)
    return record.write(Record(header, shown, source.receipts.get(len(shown))))
