"""Text for people: cards with symbols and colours where the terminal has them, plain letters everywhere else.

`say`, `tell`, `ask_line` and `write_bytes` are the only ways to standard output and standard error: `docs/decisions/output.md`.
"""

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click

from cli.markup import coloured, escaped, styled, unstyled
from events.cards import DECK
from events.printable import printable

_WIDEST: Final = 100
_SYMBOLS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_COLOURS: Final = {"C": "green", "D": "blue", "H": "red", "S": None}
_PLAIN: Final = str.maketrans({"×": "x", "−": "-", "→": ">", "·": "-", "…": "...", "✓": "ok", "§": "par. "})


def utc(at: int) -> str:
    """A time in ms since 1970 as ``2026-09-21T14:13:20Z``, or its number where no calendar has it."""
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, OSError, ValueError):
        return f"{at} ms"


def _stdout_is_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM", "") != "dumb"


def can_encode(text: str, encoding: str | None) -> bool:
    """Whether an output of this encoding has letters for the text."""
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def encodable(text: str, encoding: str | None) -> str:
    """The text in letters that an output of this encoding has."""
    if can_encode(text, encoding):
        return text
    return text.translate(_PLAIN).encode(encoding or "ascii", "backslashreplace").decode(encoding or "ascii")


class Style:
    """What this standard output can show."""

    def __init__(self) -> None:
        terminal = _stdout_is_terminal()
        self.symbols = terminal and can_encode("♠♥♦♣", sys.stdout.encoding)
        self.colours = terminal and "NO_COLOR" not in os.environ

    def card(self, card: str) -> str:
        """A card: ``Q♠`` in its colour, or ``QS``."""
        text = card[0] + (_SYMBOLS[card[1]] if self.symbols else card[1])
        return styled(text, fg=_COLOURS[card[1]], bold=card[1] == "S") if self.colours else text

    def cards(self, cards: Iterable[str]) -> str:
        """Cards side by side."""
        return " ".join(self.card(card) for card in cards)

    def sentence(self, text: str, known: Iterable[str]) -> str:
        """A sentence in which the `known` cards are shown as cards."""
        if not self.symbols:
            return text
        cards = set(known)
        return " ".join(self._word(word, cards) for word in text.split(" "))

    def _word(self, word: str, cards: set[str]) -> str:
        core = word.rstrip(",.;:")
        return self.card(core) + word[len(core) :] if core in cards else word

    def good(self, text: str) -> str:
        """Good news."""
        return styled(text, fg="green", bold=True) if self.colours else text

    def bad(self, text: str) -> str:
        """Bad news."""
        return styled(text, fg="red", bold=True) if self.colours else text

    def heading(self, text: str) -> str:
        """A heading."""
        return styled(text, bold=True) if self.colours else text

    def dim(self, text: str) -> str:
        """Text in the background."""
        return styled(text, dim=True) if self.colours else text


def say(text: str = "") -> None:
    """One line on standard output, escaped, in letters it can print. A line feed in the text is escaped too."""
    click.echo(coloured(encodable(escaped(text), sys.stdout.encoding)))


def wrapped(text: str, indent: str = " " * 13, style: Style | None = None, bad: str = "") -> None:
    """A sentence in lines that fit the terminal, or 80 columns; `bad` are words at its beginning that are bad news.

    It is cut first and coloured then, so that colours take no room.
    """
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    for line in textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False):
        if style is not None:
            coloured = style.sentence(line, DECK)
            line = coloured.replace(bad, style.bad(bad), 1) if bad else coloured
        say(line)


def fitted(text: str, style: Style, bad: str = "") -> None:
    """A line in as many lines as a terminal needs for it; elsewhere in one, for a program that reads it by lines."""
    if sys.stdout.isatty():
        wrapped(text, "    ", style, bad)
    else:
        say(text)


def tell(text: str) -> None:
    """One line on standard error, escaped, for what is not the result."""
    click.echo(coloured(encodable(escaped(text), sys.stderr.encoding)), err=True)


def ask_line(question: str) -> str:
    """A line typed by the user after the escaped question. Raises `EOFError` at the end of the input."""
    return input(coloured(encodable(escaped(question), sys.stdout.encoding)))


def write_bytes(raw: bytes) -> None:
    """A file on standard output, byte for byte; on a terminal escaped, line by line."""
    if sys.stdout.isatty():
        for line in raw.decode("utf-8", "backslashreplace").removesuffix("\n").split("\n"):
            say(line)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(raw)


def name(text: str) -> str:
    """A player's name, escaped: to measure or to cut it as it will be printed."""
    return printable(text)


def columns(rows: Sequence[Sequence[Any]], *, right: Iterable[int] = (), indent: int = 0) -> list[str]:
    """Rows as aligned text, each column as wide as its widest cell; `right` are the columns set to the right."""
    texts = [[escaped(str(cell)) for cell in row] for row in rows]
    widths = [max(_width(row[i]) for row in texts) for i in range(len(texts[0]))] if texts else []
    to_right = set(right)
    lines = []
    for row in texts:
        cells = []
        for i, cell in enumerate(row):
            space = " " * (widths[i] - _width(cell))
            cells.append(space + cell if i in to_right else cell + space)
        lines.append((" " * indent + "  ".join(cells)).rstrip())
    return lines


def _width(text: str) -> int:
    return len(unstyled(text))
