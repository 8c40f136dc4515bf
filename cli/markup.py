"""Colours inside text, and the one function that makes text safe for a terminal.

A style is a mark that only `styled` can make: it holds a number drawn for this process, so no text from a server, a file or
an argument can hold one. Every output function passes its text through `escaped`, which leaves these marks and escapes every
other character that is not printable: control characters, C1 controls, bidi controls, line and paragraph separators, lone
surrogates. `cli.text` and `cli.playing.terminal` turn the marks into colours last.
"""

import re
import secrets
from typing import Final

from events.printable import printable

_OPEN: Final = f"\x1b{secrets.token_hex(8)}["
_MARK: Final = re.compile(re.escape(_OPEN) + r"([0-9;]+)m")
PIECES: Final = re.compile("(" + re.escape(_OPEN) + r"[0-9;]+m)")
"""Splits a text into plain pieces (even places) and marks (odd places)."""
END: Final = f"{_OPEN}0m"
"""The mark that ends every style before it."""
_COLOURS: Final = {"red": "31", "green": "32", "blue": "34"}


def styled(text: str, *, fg: str | None = None, bold: bool = False, dim: bool = False) -> str:
    """The text between the marks of a style: a colour of `_COLOURS`, bold, dim."""
    codes = [*([_COLOURS[fg]] if fg is not None else []), *(["1"] if bold else []), *(["2"] if dim else [])]
    return f"{_OPEN}{';'.join(codes)}m{text}{END}" if codes else text


def escaped(text: str) -> str:
    """The text with its marks, every other character printable; the same text when it is escaped again."""
    if text.isprintable():
        return text
    pieces = PIECES.split(text)
    pieces[::2] = map(printable, pieces[::2])
    return "".join(pieces)


def unstyled(text: str) -> str:
    """The text without its marks."""
    return _MARK.sub("", text)


def coloured(text: str) -> str:
    """An escaped text as it goes to the terminal: its marks are SGR sequences (ECMA-48)."""
    return _MARK.sub("\x1b[\\1m", text)
