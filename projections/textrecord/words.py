"""One line of text as words, taken one after the other; what does not fit is refused with the line and what was expected."""

import re
from typing import Final, TypeVar, cast, get_args

from events.cards import CARD_PATTERN, SEATS, Card, Seat
from events.printable import printable
from events.types import Bid

_CARD: Final = re.compile(CARD_PATTERN)
_NUMBER: Final = re.compile(r"[+\-−]?[0-9]{1,9}\Z")
BID: Final = "a bid (0 to 13, nil or double_nil)"
SEAT: Final = "a seat (north or south)"
T = TypeVar("T")
assert get_args(Seat) == SEATS


class BadLine(ValueError):
    """A line that cannot be read: its number and what was expected there."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


class Words:
    """The words of a line behind its first."""

    def __init__(self, line: int, words: list[str]) -> None:
        self.line = line
        self._words = words
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._words)

    def refuse(self, expected: str) -> BadLine:
        """The refusal of the next word."""
        found = f"'{printable(self._words[self._at][:20])}'" if self else "the end of the line"
        return BadLine(self.line, f"expected {expected}, not {found}")

    def peek(self) -> str:
        """The next word, empty at the end."""
        return self._words[self._at] if self else ""

    def word(self, expected: str) -> str:
        """The next word, whatever it is."""
        if not self:
            raise self.refuse(expected)
        self._at += 1
        return self._words[self._at - 1]

    def take(self, wanted: str) -> bool:
        """Whether the next word is this one, which is then passed."""
        if self.peek() == wanted:
            self._at += 1
            return True
        return False

    def end(self, expected: str = "nothing more") -> None:
        """Refuses what stands behind."""
        if self:
            raise self.refuse(expected)

    def seat(self, expected: str = SEAT) -> Seat:
        """A seat."""
        if self.peek() not in SEATS:
            raise self.refuse(expected)
        return cast("Seat", self.word(expected))

    def card(self, expected: str = "a card such as QS or TD") -> Card:
        """A card."""
        if not _CARD.match(self.peek()):
            raise self.refuse(expected)
        return Card(self.word(expected))

    def number(self, expected: str, lowest: int | None = None, highest: int | None = None) -> int:
        """A whole number, signed or not."""
        text = self.peek()
        if not _NUMBER.match(text):
            raise self.refuse(expected)
        value = int(text.replace("−", "-"))
        if (lowest is not None and value < lowest) or (highest is not None and value > highest):
            raise self.refuse(expected)
        self._at += 1
        return value

    def bid(self) -> Bid:
        """A bid."""
        if self.peek() in ("double_nil", "dn"):
            self._at += 1
            return "double_nil"
        return 0 if self.take("nil") else self.number(BID, 0, 13)
