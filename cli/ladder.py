"""``trickbook ladder``: who stands where over rated games."""

from pathlib import Path

import click

from cli.commands import Command
from cli.output import format_option, write_json, write_rows
from cli.sources import data_option, opened_books
from cli.text import name, tell

_HEADINGS = ("rank", "name", "rating", "games", "wins", "draws", "bids", "nils", "double_nils", "bags_a_hand")


@click.command(cls=Command, examples=("trickbook ladder", "trickbook ladder --format json"))
@format_option("table", "json", "ndjson", "csv")
@data_option
def ladder(form: str, data: Path | None) -> None:
    """List the players of rated games, best first.

    Bids are made/set, nils and double nils made/tried, counted from the logs.
    """
    from projections.across.ladder import standings
    from projections.hiding import hidden_by
    from service.readmodels.current import current
    from service.readmodels.listed import ranked

    with opened_books(data) as (store, books):
        frozen = store.frozen_games()
        counted = (row for row in current(store, books) if row.game not in frozen)
        everybody = ranked(standings(counted), hidden_by(store.notes()))
    if form == "json":
        write_json(everybody)
        return
    if not everybody and form == "table":
        tell("no rated game has ended yet: the operator creates them (docs/operating.md)")
        return
    rows = []
    for one in everybody:
        made = [f"{one.bids.made}/{one.bids.set}", *(f"{nils.made}/{nils.tried}" for nils in (one.nils, one.double_nils))]
        rows.append([one.rank, name(one.name), f"{one.rating:.2f}", one.games, one.wins, one.draws, *made, one.bags_a_hand])
    write_rows(form, _HEADINGS, rows, right=(0, 2, 3, 4, 5, 6, 7, 8, 9))
