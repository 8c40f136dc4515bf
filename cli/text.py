"""Text for people: cards with symbols and colours where the terminal has them, plain letters everywhere else."""

import os
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click

from events.printable import printable

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


def _can_say(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class Style:
    """What this standard output can show."""

    def __init__(self) -> None:
        terminal = _stdout_is_terminal()
        self.symbols = terminal and _can_say("♠♥♦♣")
        self.colours = terminal and "NO_COLOR" not in os.environ

    def card(self, card: str) -> str:
        """A card: ``Q♠`` in its colour, or ``QS``."""
        text = card[0] + (_SYMBOLS[card[1]] if self.symbols else card[1])
        return click.style(text, fg=_COLOURS[card[1]], bold=card[1] == "S") if self.colours else text

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
        return click.style(text, fg="green", bold=True) if self.colours else text

    def bad(self, text: str) -> str:
        """Bad news."""
        return click.style(text, fg="red", bold=True) if self.colours else text

    def heading(self, text: str) -> str:
        """A heading."""
        return click.style(text, bold=True) if self.colours else text


def say(text: str = "") -> None:
    """A line on standard output, in letters it can print."""
    if not _can_say(text):
        text = text.translate(_PLAIN)
        encoding = sys.stdout.encoding or "ascii"
        text = text.encode(encoding, "backslashreplace").decode(encoding)
    click.echo(text)


def tell(text: str) -> None:
    """A line on standard error, for what is not the result."""
    click.echo(text, err=True)


def name(text: str) -> str:
    """A player's name, harmless."""
    return printable(text)


def columns(rows: Sequence[Sequence[Any]], *, right: Iterable[int] = (), indent: int = 0) -> list[str]:
    """Rows as aligned text, each column as wide as its widest cell; `right` are the columns set to the right."""
    texts = [[str(cell) for cell in row] for row in rows]
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
    return len(click.unstyle(text))
