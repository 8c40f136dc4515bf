"""``--format``: the same rows as a table, JSON, NDJSON or CSV, on standard output."""

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import click
import msgspec

from cli.text import can_encode, columns, say
from events.printable import printable

F = TypeVar("F", bound=Callable[..., Any])
_SPECIAL: Final = re.compile(r"[^ -~]")


def format_option(*kinds: str) -> Callable[[F], F]:
    """``--format``; the first kind is the default."""
    return click.option("--format", "form", type=click.Choice(kinds), default=kinds[0], help=f"Output [default: {kinds[0]}]")


def write_rows(form: str, headings: Sequence[str], rows: Sequence[Sequence[Any]], *, right: Sequence[int] = ()) -> None:
    """Rows under headings, in the form asked for."""
    match form:
        case "json":
            write_json([dict(zip(headings, row, strict=True)) for row in rows])
        case "ndjson":
            for row in rows:
                write_json_line(dict(zip(headings, row, strict=True)))
        case "csv":
            for row in (headings, *rows):
                write_csv_row(row)
        case _:
            for line in columns([headings, *rows], right=right):
                say(line)


def write_json(value: Any, before: str = "", indent: str = "") -> None:
    """One value as readable JSON; `before` stands before its first line, `indent` before every other one."""
    first, *others = json_text(value, indent=2).split("\n")
    say(before + first)
    for line in others:
        say(indent + line)


def write_json_line(value: Any, separators: tuple[str, str] | None = None) -> None:
    """One value as JSON in one line."""
    say(json_text(value, separators=separators))


def csv_line(row: Iterable[Any]) -> str:
    """One row of a CSV file (RFC 4180) without its end, each cell harmless to a spreadsheet."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([harmless(cell) for cell in row])
    return line.getvalue()


def write_csv_row(row: Iterable[Any]) -> None:
    """One row of a CSV file, in a line."""
    say(csv_line(row))


def json_text(value: Any, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    r"""The value as JSON (RFC 8259) in which every character is printable: the others are ``\uXXXX``, so that it is the same
    value for a program and cannot steer a terminal."""
    plain = msgspec.to_builtins(value)
    text = json.dumps(plain, ensure_ascii=False, indent=indent, separators=separators)
    readable = _SPECIAL.sub(lambda found: _json_escaped(found[0]), text)
    return readable if can_encode(readable, sys.stdout.encoding) else json.dumps(plain, indent=indent, separators=separators)


def _json_escaped(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"


def harmless(cell: Any) -> Any:
    """A cell of a CSV file: its text escaped, and one that a spreadsheet would run as a formula is given an apostrophe."""
    if not isinstance(cell, str):
        return cell
    return f"'{printable(cell)}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else printable(cell)
