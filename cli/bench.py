"""``trickbook bench``: how fast this machine plays, writes, audits and answers, each beside its floor."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from cli.benchmarks.measuring import Figure, Waits
from cli.commands import Command
from cli.output import format_option, write_json
from cli.text import columns, say, tell

_ENDED_SECONDS: Final = 10.0
PARTS: Final = ("core", "bulk", "store", "http", "streams", "reads")


@click.command(cls=Command, examples=("trickbook bench", "trickbook bench --runs 3 --only core --format json"))
@click.option("--runs", type=click.IntRange(1, 50), default=5, show_default=True, help="Runs of each; the median counts")
@click.option("--only", type=click.Choice(PARTS), multiple=True, help="Leave out the others")
@click.option(
    "--streams",
    "open_streams",
    type=click.IntRange(1, 2000),
    default=400,
    show_default=True,
    help="Event streams open",
)
@format_option("table", "json")
def bench(runs: int, only: tuple[str, ...], open_streams: int, form: str) -> None:
    """Measure the pure core, the audit, appends, HTTP moves, and moves beside event streams and readers, each with its
    floor in the same run.

    It uses a store of its own in a temporary directory, or the server of TRICKBOOK_REDIS_URL; it removes what it wrote
    but for the few games of the HTTP benchmark.
    """
    parts = only or PARTS
    figures = []
    with tempfile.TemporaryDirectory(prefix="trickbook-bench-") as directory:
        for part in parts:
            tell(f"measuring {part} ...")
            figures += list(_measure(part, runs, Path(directory) / "data", open_streams))
    if form == "json":
        write_json([figure.data() for figure in figures])
        return
    rates = [figure for figure in figures if isinstance(figure, Figure)]
    rows = [["what", "a second", "floor", "a second", "times the floor"]]
    for figure in rates:
        rate, floor = f"{figure.rate:,.0f} {figure.unit}", f"{figure.floor:,.0f}"
        rows.append([figure.name, rate, figure.floor_name, floor, f"{figure.ratio:.1f}"])
    _say(rows, right=(1, 3, 4))
    waits = [["what", "half within", "99 % within", "floor: half", "99 %"]]
    waits += [
        [one.name, *(f"{ms:.1f} ms" for ms in (one.half, one.most, one.floor_half, one.floor_most))]
        for one in figures
        if isinstance(one, Waits)
    ]
    _say(waits, right=(1, 2, 3, 4))
    say(f"median of {runs}; {os.cpu_count()} processors, the clients of the HTTP benchmark run on them too")


def _say(rows: list[list[str]], right: tuple[int, ...]) -> None:
    """A table, unless it is nothing but its headings."""
    if len(rows) > 1:
        for line in columns(rows, right=right):
            say(line)
        say()


def _measure(part: str, runs: int, data: Path, open_streams: int) -> Iterator[Figure | Waits]:
    from cli.benchmarks import appends, bulk, core, http, reads, streams
    from service.runtime.compose import open_store

    if part == "core":
        yield from core.core(runs)
        return
    if part == "bulk":
        yield from bulk.bulk(runs)
        return
    with open_store(os.environ, data) as opened:
        data.mkdir(mode=0o700, exist_ok=True)
        if part == "store":
            yield from appends.appends(opened.store, runs)
        elif part == "streams":
            yield from streams.streams(opened.store.url, data, runs, open_streams)
        elif part == "reads":
            yield from reads.reads(opened.store.url, data, runs)
        else:
            yield from http.moves(opened.store.url, data, runs)
            http.clean(opened.store.client)
    if opened.embedded is not None:
        opened.embedded.close(wait_seconds=_ENDED_SECONDS)  # its directory is removed next
