"""``trickbook rebuild``: read models built anew from the logs, beside the ones that serve."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from cli.commands import Command
from cli.failures import FOUND_OTHERWISE, OK, USAGE, Failure
from cli.output import format_option, write_json
from cli.progress import Bar
from cli.sources import data_option
from cli.text import say

if TYPE_CHECKING:
    from service.readmodels.rebuild import Built

_NAMES = ("games", "ladder")


@click.command(cls=Command, examples=("trickbook rebuild", "trickbook rebuild ladder", "trickbook rebuild --dry-run"))
@click.argument("model", type=click.Choice(_NAMES), required=False)
@click.option("--dry-run", is_flag=True, help="Build and compare, and let the old one serve on; exit 1 where they differ")
@format_option("table", "json")
@data_option
def rebuild(model: str | None, dry_run: bool, form: str, data: Path | None) -> int:
    """Build a read model, or all, anew from the logs.

    Games go on meanwhile and the old one serves until the new one has caught up and was compared with it. A run that was
    interrupted is gone on with by the next. The follower builds by itself what is missing or of an older version.
    """
    from projections.across.models import MODELS
    from service.readmodels import rebuild as rebuilding
    from service.runtime.compose import data_directory, open_books, open_store

    found = []
    with open_store(os.environ, data_directory(os.environ, data)) as opened:
        books = open_books(os.environ, opened)
        for each in MODELS:
            if model not in (None, each.name):
                continue
            bar, begun = Bar(f"reading for {each.name}", quiet=form == "json"), time.monotonic()

            def show(done: int, of: int, bar: Bar = bar, begun: float = begun) -> None:
                rate = done / max(time.monotonic() - begun, 0.001)
                bar.tick(done, of, f"{done} of {of} games, {rate:.0f} a second")

            try:
                found.append(rebuilding.rebuild(opened.store, books, each, show, dry_run=dry_run))
            except rebuilding.Underway as error:
                raise Failure(str(error), USAGE) from None
            finally:
                bar.close()
    if form == "json":
        write_json([msgspec.to_builtins(one) for one in found])
    else:
        for one in found:
            say(_sentence(one, dry_run=dry_run))
            for field in one.different[:20]:
                say(f"  differs: {field}")
            if len(one.different) > 20:
                say(f"  and {len(one.different) - 20} more")
    return FOUND_OTHERWISE if dry_run and any(one.different for one in found) else OK


def _sentence(one: "Built", *, dry_run: bool) -> str:
    told = f"{one.model}: {one.games} games read in {one.seconds:.1f} s; "
    if one.first:
        compared = "there was none before"
    elif one.changed:
        compared = "the one before was of another version"
    elif one.different:
        compared = f"{len(one.different)} fields differ from the one before"
    else:
        compared = "equal to the one before, byte for byte"
    if dry_run:
        return f"{told}{compared}; nothing was changed"
    return f"{told}{compared}; {'it serves now' if one.switched else 'another run was faster'}"
