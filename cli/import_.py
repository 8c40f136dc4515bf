"""``trickbook import``: records from elsewhere, kept apart from our own games."""

from pathlib import Path

import click

from cli.commands import Command
from cli.failures import NOT_TRUSTED, OK
from cli.output import format_option, write_rows
from cli.sources import data_option, opened, read_records, timeout_option
from projections.audit import audit, from_record
from service.games.importing import GOOD, import_record


@click.command(
    "import",
    cls=Command,
    examples=("trickbook import game.trickbook.ndjson", "trickbook import 'games/*.ndjson' --dry-run"),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Only say what would be done")
@click.option("--replace", is_flag=True, help="Take the place of a record imported before")
@format_option("table", "json", "ndjson", "csv")
@timeout_option
@data_option
def import_(files: tuple[str, ...], dry_run: bool, replace: bool, form: str, data: Path | None) -> int:
    """Import records of games played elsewhere, or compare them with our own games of the same id.

    They are kept as they came, read-only, and marked as imported in every answer; they are never signed, listed or rated.
    Exit code 3 if a record contradicts what is there, or if its audit finds anything.
    """
    rows, worst = [], OK
    with opened(data) as store:
        for name, read in read_records(files):
            done = import_record(store, read, replace=replace, dry_run=dry_run)
            verdict = audit(from_record(read)).verdict
            rows.append([done.game, done.outcome, verdict, done.message, name])
            if done.outcome not in GOOD or verdict != "ok":
                worst = NOT_TRUSTED
    write_rows(form, ("game", "outcome", "audit", "what", "file"), rows)
    return worst
