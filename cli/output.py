"""``--format``: the same rows as a table, JSON, NDJSON or CSV, on standard output."""

import csv
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from cli.text import columns, say

F = TypeVar("F", bound=Callable[..., Any])


def format_option(*kinds: str) -> Callable[[F], F]:
    """``--format``; the first kind is the default."""
    return click.option("--format", "form", type=click.Choice(kinds), default=kinds[0], help=f"Output [default: {kinds[0]}]")


def write_rows(form: str, headings: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[int] = ()) -> None:
    """Rows under headings, in the form asked for."""
    match form:
        case "json":
            say(json.dumps([dict(zip(headings, row, strict=True)) for row in rows], ensure_ascii=False, indent=2))
        case "ndjson":
            for row in rows:
                say(json.dumps(dict(zip(headings, row, strict=True)), ensure_ascii=False))
        case "csv":
            writer = csv.writer(sys.stdout, lineterminator="\n")
            writer.writerow(headings)
            writer.writerows([[harmless(cell) for cell in row] for row in rows])
        case _:
            for line in columns([headings, *rows], right=right):
                say(line)


def write_json(value: Any) -> None:
    """One value as readable JSON."""
    say(json.dumps(value, ensure_ascii=False, indent=2))


def harmless(cell: Any) -> Any:
    """A cell of a CSV file: a text that a spreadsheet would run as a formula is given an apostrophe."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
