"""``trickbook bench``: how fast this machine plays, writes, audits and answers, each beside its floor."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from cli.commands import Command
from cli.output import format_option, write_json
from cli.text import columns, say, tell
from service.bench.measuring import Figure

PARTS: Final = ("core", "bulk", "store", "http")


@click.command(cls=Command, examples=("trickbook bench", "trickbook bench --runs 3 --only core --format json"))
@click.option("--runs", type=click.IntRange(1, 50), default=5, show_default=True, help="Runs of each; the median counts")
@click.option("--only", type=click.Choice(PARTS), multiple=True, help="Leave out the others")
@format_option("table", "json")
def bench(runs: int, only: tuple[str, ...], form: str) -> None:
    """Measure the pure core, the audit, appends and HTTP moves, each with its floor in the same run.

    It uses a store of its own in a temporary directory, or the server of TRICKBOOK_REDIS_URL; it removes what it wrote
    but for the few games of the HTTP benchmark.
    """
    parts = only or PARTS
    figures = []
    with tempfile.TemporaryDirectory(prefix="trickbook-bench-") as directory:
        for part in parts:
            tell(f"measuring {part} ...")
            figures += list(_measure(part, runs, Path(directory) / "data"))
    if form == "json":
        write_json([figure.data() for figure in figures])
        return
    rows = [["what", "a second", "floor", "a second", "times the floor"]]
    for figure in figures:
        rate, floor = f"{figure.rate:,.0f} {figure.unit}", f"{figure.floor:,.0f}"
        rows.append([figure.name, rate, figure.floor_name, floor, f"{figure.ratio:.1f}"])
    for line in columns(rows, right=(1, 3, 4)):
        say(line)
    say(f"median of {runs}; {os.cpu_count()} processors, the clients of the HTTP benchmark run on them too")


def _measure(part: str, runs: int, data: Path) -> Iterator[Figure]:
    from service.bench import appends, bulk, core, http
    from service.opening import open_store

    if part == "core":
        yield from core.core(runs)
        return
    if part == "bulk":
        yield from bulk.bulk(runs)
        return
    with open_store(os.environ, data) as opened:
        if part == "store":
            yield from appends.appends(opened.store, runs)
        else:
            data.mkdir(mode=0o700, exist_ok=True)
            yield from http.moves(opened.store.url, data, runs)
            http.clean(opened.store.client)
