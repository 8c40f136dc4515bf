"""``trickbook games``: what is in the store."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.commands import Command
from cli.output import format_option, write_rows
from cli.progress import Bar
from cli.sources import data_option, opened_books, stored_game
from cli.text import name, tell, utc
from events.redis_store import RedisStore
from events.store import BadEntry
from projections.across.row import GameRow
from projections.fold import Impossible, apply
from projections.hiding import hidden_by, shown
from projections.table import Open, empty
from service.jobs import verdicts
from service.readmodels.queries import FILTERS

if TYPE_CHECKING:
    from service.readmodels.model_store import ReadModelStore

HEADINGS = ("game", "north", "south", "phase", "turn", "hand", "score", "verdict", "receipts", "events", "last_event")
VERDICTS = ("ok", "bad", "none")


@click.command(
    cls=Command,
    examples=(
        "trickbook games",
        "trickbook games --status stalled",
        "trickbook games --player Ann --format csv > games.csv",
        "trickbook games --verdict bad",
    ),
)
@click.option("--status", type=click.Choice(FILTERS), help="Only these")
@click.option("--player", help="Only games this name sits in")
@click.option("--verdict", type=click.Choice(VERDICTS), help="Only games whose audit said so; none: finished, not audited")
@format_option("table", "json", "ndjson", "csv")
@data_option
def games(status: str | None, player: str | None, verdict: str | None, form: str, data: Path | None) -> None:
    """List every game of the store, the one played last first.

    Games that the read model does not have yet are read from their logs.
    """
    rows = []
    with opened_books(data) as (store, books):
        found, hidden = _rows(store, books, status, player), hidden_by(store.notes())
        said, frozen = verdicts.read_all(books.server), store.frozen_games()
        bar, begun = Bar("reading"), time.monotonic()
        try:
            for done, row in enumerate(found, 1):
                kept = said.get(row.game)
                word = kept.verdict if kept else "none" if row.status in ("finished", "damaged") else ""
                if verdict in (None, word):
                    cells = [*_shown(store, row, hidden)]
                    if row.game in frozen:
                        cells[HEADINGS.index("phase") : HEADINGS.index("turn") + 1] = ["frozen", ""]
                    at = HEADINGS.index("verdict")
                    cells[at:at] = [word, kept.receipts if kept else ""]
                    rows.append(cells)
                bar.tick(done, None, f"{done} games, {done / max(time.monotonic() - begun, 0.001):.0f} a second")
        finally:
            bar.close()
    rows.sort(key=lambda row: str(row[-1]), reverse=True)
    if not rows and form == "table":
        if status or player or verdict:
            tell("there is no such game")
        else:
            tell("there are no games yet: `trickbook demo` plays one, `trickbook serve` lets people play")
        return
    write_rows(form, HEADINGS, rows, right=(5, 9))


def _rows(store: RedisStore, books: "ReadModelStore", status: str | None, player: str | None) -> Iterator[GameRow]:
    from service.readmodels.current import current
    from service.readmodels.queries import GameQuery, fits
    from service.readmodels.stalled import stalled

    wanted = GameQuery(status=status, player=player, everything=True)  # type: ignore[arg-type]  # click has checked it
    frozen = store.frozen_games()
    found = (row for row in current(store, books) if fits(row, wanted, frozen))
    if status != "stalled":
        yield from found
        return
    running = list(found)
    still = stalled(store, running)
    yield from (row for row in running if row.game in still)


def _shown(store: RedisStore, row: GameRow, hidden: frozenset[str]) -> Sequence[object]:
    """A row as it is printed; of a game that goes on the log tells the phase and whose turn it is."""
    turn, phase = "", "waiting" if row.status == "open" else "ended"
    if row.status in ("running", "damaged"):
        try:
            return _folded(store, row, hidden)
        except BadEntry:  # one log that somebody else wrote in does not hide the others
            phase = "damaged"
    if row.outcome is not None:
        turn = f"{row.outcome.winner} won" if row.outcome.winner else "" if row.outcome.reason == "abandoned" else "draw"
    score = f"{row.totals.north}:{row.totals.south}"
    north, south = (name(shown(text, hidden)) for text in (row.north, row.south))
    return [row.game, north, south, phase, turn, row.hands, score, row.version, utc(row.at)]


def _folded(store: RedisStore, row: GameRow, hidden: frozenset[str]) -> Sequence[object]:
    game = stored_game(store, row.game, hidden)
    table, damaged = empty(row.game), False
    events = game.events()
    for event in events:
        try:
            table = apply(table, event)
        except Impossible:
            damaged = True
            break
    o: Open = table.open
    phase = "damaged" if damaged or len(events) < len(game.source.events) or row.status == "damaged" else o.phase
    score = f"{o.north.total}:{o.south.total}"
    return [row.game, name(o.north.name), name(o.south.name), phase, o.turn or "", o.hand, score, o.version, utc(o.at)]
