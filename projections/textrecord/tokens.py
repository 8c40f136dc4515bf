"""A line of text cut into words with their columns: blanks, commas, ``/``, ``>`` and ``:`` part them."""

import re
from typing import Final

from events.printable import printable

INVISIBLE: Final = frozenset(map(chr, (
    0xAD, 0x61C, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF,
)))  # fmt: skip
"""Characters without width: joiners, direction marks, byte order marks."""
_JOINERS: Final = "\u200c\u200d"
_MARKS: Final = "/>:,"
_TIGHT: Final = re.compile(r"(?<!\w)[0-9]+(?:,[0-9]+)+(?!\w)")
_GROUPED: Final = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_BEFORE_DIGITS: Final = re.compile(r"^[^0-9]+")
_GROUP: Final = re.compile(r",[0-9]{3}(?![0-9])")


class BadLine(ValueError):
    """A line that cannot be read: its number and what was expected there."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class Token(str):
    """A word of a line; `column` (from 1) is where it begins, `end` the index in the line behind its last character."""

    column: int
    end: int

    def __new__(cls, text: str, column: int, end: int) -> "Token":
        token = super().__new__(cls, text)
        token.column, token.end = column, end
        return token


def tokens(text: str) -> list[Token]:
    """The words of a line, ``/``, ``>``, ``:`` and commas among them; digits in groups of three are one word."""
    seen = [(index, character) for index, character in enumerate(text) if character not in INVISIBLE]
    visible = "".join(character for _, character in seen)
    inside = {at for match in _TIGHT.finditer(visible) if _GROUP.search(match[0]) for at in range(*match.span())}
    found: list[Token] = []
    begun: int | None = None
    for at, (_, character) in enumerate(seen):
        is_mark = character in _MARKS and at not in inside
        if begun is not None and (is_mark or character.isspace()):
            found.append(_token(visible, seen, begun, at))
            begun = None
        if is_mark:
            found.append(_token(visible, seen, at, at + 1))
        elif begun is None and not character.isspace():
            begun = at
    if begun is not None:
        found.append(_token(visible, seen, begun, len(seen)))
    return found


def _token(visible: str, seen: list[tuple[int, str]], first: int, behind: int) -> Token:
    return Token(visible[first:behind], seen[first][0] + 1, seen[behind - 1][0] + 1)


def values(line: int, words: list[Token]) -> list[Token]:
    """The words without the commas between them. Raises `BadLine` where a comma has no value beside it, or two meanings."""
    commas = [at for at, word in enumerate(words) if word == ","]
    for word in words:
        if "," in word and word != "," and (commas or not _GROUPED.fullmatch(_BEFORE_DIGITS.sub("", word))):
            text = "expected commas either between values, with a blank behind them, or between groups of three digits"
            raise BadLine(line, f"{text}, not '{printable(word[:20])}' (column {word.column})")
    for at in commas:
        beside = [words[place] for place in (at - 1, at + 1) if 0 <= place < len(words)]
        if len(beside) < 2 or any(word in _MARKS for word in beside):
            raise BadLine(line, f"expected a value on both sides of the comma (column {words[at].column})")
    return [word for word in words if word != ","]


def name_of(text: str) -> str:
    """A player's name as it is meant: without blanks around it and invisible characters, but for joiners inside it."""
    kept = "".join(character for character in text if character not in INVISIBLE or character in _JOINERS)
    return kept.strip("".join(_JOINERS) + " \t").strip()


def first_invisible(text: str) -> int | None:
    """The column (from 1) of the first character without width that a reader drops; None without one."""
    return next((at for at, character in enumerate(text, 1) if character in INVISIBLE and character not in _JOINERS), None)
