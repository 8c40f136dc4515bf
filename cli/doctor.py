"""``trickbook doctor``: is everything in order, and what to do where it is not."""

import os
from pathlib import Path

import click
import msgspec

from cli.commands import Command
from cli.failures import FOUND_OTHERWISE, OK
from cli.output import format_option, write_json
from cli.sources import data_option
from cli.text import Style, columns, fitted, say
from service.base.clock import SystemClock


@click.command(cls=Command, examples=("trickbook doctor", "trickbook doctor --data ./games --format json"))
@format_option("table", "json")
@click.option(
    "--high-water",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="The high-water file of another node, compared with the store as well; may be repeated",
)
@data_option
def doctor(form: str, files: tuple[Path, ...], data: Path | None) -> int:
    """Check Python, packages, settings, disk, secrets, store, durability, clock and history; exit 1 if anything is wrong.

    Every game whose history was lost is named: those that are frozen, and those of which the store lacks what a high-water file
    has.
    """
    from service.runtime import compose

    checks = list(compose.checks(os.environ, compose.data_directory(os.environ, data), SystemClock(), files))
    if form == "json":
        write_json([msgspec.to_builtins(check) for check in checks])
    else:
        style = Style()
        rows = [[style.good("ok") if check.ok else style.bad("WRONG"), check.name, check.found] for check in checks]
        for check, line in zip(checks, columns(rows), strict=True):
            if check.ok:
                say(line)
            else:
                fitted(line, style)
                fitted(f"       remedy: {check.remedy}", style)
    return OK if all(check.ok for check in checks) else FOUND_OTHERWISE
