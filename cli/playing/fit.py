"""Making text fit a terminal: measured in cells, cut and folded without breaking a colour, lines left out by weight."""

import unicodedata
from collections.abc import Iterable, Sequence

from cli.markup import END, PIECES, escaped, unstyled

Weighed = tuple[int, str]
"""A line and its weight: where there is not enough room the lightest lines go first."""


def cells(text: str) -> int:
    """How many columns the text takes."""
    return sum(_cell(character) for character in unstyled(text))


def _cell(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clip(text: str, columns: int) -> str:
    """The text cut after so many columns, its colours ended."""
    if cells(text) <= columns:
        return text
    kept, left = [], columns
    pieces = PIECES.split(text)
    for i, piece in enumerate(pieces):
        if i % 2:
            kept.append(piece)
            continue
        for character in piece:
            if _cell(character) > left:
                return "".join(kept) + (END if len(pieces) > 1 else "")
            kept.append(character)
            left -= _cell(character)
    return "".join(kept)


def folded(text: str, columns: int, indent: str = "  ") -> list[str]:
    """The text in lines of at most so many columns, broken at spaces; all but the first are indented."""
    lines: list[str] = []
    line, *words = escaped(text).split(" ")
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
