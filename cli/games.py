"""``trickbook games``: what is in the store."""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import click

from cli.commands import Command
from cli.output import format_option, write_rows
from cli.sources import LoadedGame, data_option, opened, stored_game
from cli.text import name, tell
from projections.fold import Impossible, apply
from projections.table import Open, empty

HEADINGS = ("game", "north", "south", "phase", "turn", "hand", "score", "events", "last_event")


@click.command(cls=Command, examples=("trickbook games", "trickbook games --format csv > games.csv"))
@format_option("table", "json", "ndjson", "csv")
@data_option
def games(form: str, data: Path | None) -> None:
    """List every game of the store, the one played last first."""
    rows = []
    with opened(data) as store:
        ids = list(store.games())
        begun = time.monotonic()
        for done, game in enumerate(ids, 1):
            rows.append(_row(stored_game(store, game)))
            if sys.stderr.isatty() and time.monotonic() - begun > 1:
                click.echo(f"\rreading {done} of {len(ids)}", err=True, nl=done == len(ids))
    rows.sort(key=lambda row: str(row[-1]), reverse=True)
    if not rows and form == "table":
        tell("there are no games yet: `trickbook demo` plays one, `trickbook serve` lets people play")
        return
    write_rows(form, HEADINGS, rows, right=(5, 7))


def _row(game: LoadedGame) -> list[object]:
    o, damaged = _fold(game)
    phase = "damaged" if damaged else o.phase
    score = f"{o.north.total}:{o.south.total}"
    last = datetime.fromtimestamp(o.at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    turn: str = o.turn or ""
    if o.result is not None:
        turn = f"{o.result.winner} won" if o.result.winner else "draw" if o.result.reason != "abandoned" else ""
    return [game.source.game, name(o.north.name), name(o.south.name), phase, turn, o.hand, score, o.version, last]


def _fold(game: LoadedGame) -> tuple[Open, bool]:
    """The table as far as the log can be folded, and whether it could not be folded whole."""
    table = empty(game.source.game)
    events = game.events()
    for event in events:
        try:
            table = apply(table, event)
        except Impossible:
            return table.open, True
    return table.open, len(events) < len(game.source.events)
