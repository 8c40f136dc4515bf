"""Making text fit a terminal: measured in cells, cut and folded without breaking a colour, lines left out by weight."""

import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

import click

from cli.text import _PLAIN, _can_say

_STYLED: Final = re.compile(r"(\x1b\[[0-9;]*m)")

Weighed = tuple[int, str]
"""A line and its weight: where there is not enough room the lightest lines go first."""


def sayable(text: str) -> str:
    """The text in letters that standard output has."""
    if _can_say(text):
        return text
    encoding = sys.stdout.encoding or "ascii"
    return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)


def cells(text: str) -> int:
    """How many columns the text takes."""
    return sum(_cell(character) for character in click.unstyle(text))


def _cell(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clip(text: str, columns: int) -> str:
    """The text cut after so many columns, its colours ended."""
    if cells(text) <= columns:
        return text
    found, left = [], columns
    for piece in _STYLED.split(text):
        if piece.startswith("\x1b"):
            found.append(piece)
            continue
        for character in piece:
            if _cell(character) > left:
                return "".join(found) + ("\x1b[0m" if "\x1b" in text else "")
            found.append(character)
            left -= _cell(character)
    return "".join(found)


def folded(text: str, columns: int, indent: str = "  ") -> list[str]:
    """The text in lines of at most so many columns, broken at spaces; all but the first are indented."""
    lines: list[str] = []
    line, *words = text.split(" ")
    for word in words:
        wider = f"{line} {word}"
        if line.strip() and cells(wider) > columns:
            lines.append(line)
            wider = indent + word
        line = wider
    return [*lines, line]


def weighed(weight: int, lines: Iterable[str]) -> list[Weighed]:
    """The lines, all of one weight."""
    return [(weight, line) for line in lines]


def fit(lines: Sequence[Weighed], rows: int) -> list[str]:
    """At most so many lines: the lightest are left out, among equals the upper ones."""
    kept = list(lines)
    while len(kept) > max(rows, 1):
        lightest = min(weight for weight, _ in kept)
        kept.pop(next(i for i, (weight, _) in enumerate(kept) if weight == lightest))
    return [text for _, text in kept]


def joined(lines: Sequence[str], columns: int) -> str:
    """The lines under each other. One that fills its row runs on into the next, so that a long link can be copied whole;
    nothing is cleared behind it: there a terminal would take away its last letter."""
    text = ""
    for above, line in zip(["", *lines], lines, strict=False):
        if text and cells(above) == columns and cells(line):
            text += line + ("\x1b[K" if cells(line) < columns else "")
        else:
            text += ("\r\n" if text else "") + "\x1b[K" + line
    return text
