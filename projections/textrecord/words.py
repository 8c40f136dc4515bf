"""One line of text as words, taken one after the other; what does not fit is refused with the line, the column, what was read
and what may have been meant.

A word may be written in every way that has one meaning (docs/spec/sheets.md).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Final, TypeVar, get_args

from events.cards import DECK, SEATS, Card, Seat
from events.printable import printable
from events.types import Bid
from projections.textrecord.letters import ENGLISH, Letters, latin, lookalike
from projections.textrecord.seat_words import NO_NAMES, AmbiguousSeat, Meant, Seats
from projections.textrecord.tokens import BadLine, Token, tokens, values

__all__ = ["BID", "SEAT", "BadCard", "BadLine", "Words", "by_seat", "number_of"]

_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,9}\Z")
_GROUPS: Final = re.compile(r"([+-]?)([1-9][0-9]{0,2})(?:,[0-9]{3})+\Z|([+-]?)([1-9][0-9]{0,2})(?:\.[0-9]{3})+\Z"
                            r"|([+-]?)([1-9][0-9]{0,2})(?:['’][0-9]{3})+\Z")  # fmt: skip
_MINUS: Final = "−\ufe63\uff0d\u2043\u207b"
"""Signs for minus that are no dashes of Unicode."""
BID: Final = "a bid (0 to 13, nil or double_nil)"
SEAT: Final = "a seat (north or south)"
_CARD: Final = "a card such as QS or TD"
_DOUBLE_NILS: Final = ("double_nil", "dn", "doublenil", "blind_nil")
_LONGEST_SHOWN: Final = 20
T = TypeVar("T")
assert get_args(Seat) == SEATS


class BadCard(BadLine):
    """A word in the place of a card that is none by the letters of the file."""

    def __init__(self, line: int, message: str, word: str) -> None:
        super().__init__(line, message)
        self.word = word


def number_of(text: str) -> int | None:
    """A whole number, with any dash for its minus and digits in groups of three; None for anything else."""
    if text[:1] and (unicodedata.category(text[0]) == "Pd" or text[0] in _MINUS):
        text = f"-{text[1:]}"
    if _GROUPS.match(text):
        text = re.sub("[,.'’]", "", text)
    return int(text) if _NUMBER.match(text) else None


class Words:
    """The words of a line behind its first."""

    def __init__(self, line: int, words: Sequence[str], seats: Seats = NO_NAMES, letters: Letters = ENGLISH) -> None:
        """`seats` and `letters` are those of the file. Raises `BadLine` for a comma with no value beside it."""
        self.line = line
        cut = all(isinstance(word, Token) for word in words)
        self._words: list[str] = [*values(line, [word for word in words if isinstance(word, Token)])] if cut else [*words]
        self._at = 0
        self._seats = seats
        self._letters = letters
        self.cards: set[str] = set()
        """The cards that were read, as they are written."""

    @classmethod
    def of(cls, line: int, text: str) -> "Words":
        """The words of a text. Raises `BadLine`."""
        return cls(line, tokens(text))

    def __bool__(self) -> bool:
        return self._at < len(self._words)

    def refuse(self, expected: str, meant: Iterable[str] = ()) -> BadLine:
        """The refusal of the next word; `meant` are words that might have been written there."""
        return BadLine(self.line, self._refusal(expected, did_you_mean(self.peek(), meant)))

    def _refusal(self, expected: str, hint: str) -> str:
        if not self:
            return f"expected {expected}, not the end of the line"
        shown = self.peek()[:_LONGEST_SHOWN]
        about = lookalike(shown)
        return f"expected {expected}, not '{printable(shown)}'{self.column()}{f'; {about}' if about else ''}{hint}"

    def column(self) -> str:
        """Where the next word begins, as it is written in a refusal; empty where that is not known."""
        word = self.peek()
        return f" (column {word.column})" if isinstance(word, Token) else ""

    def peek(self) -> str:
        """The next word, empty at the end."""
        return self._words[self._at] if self else ""

    def word(self, expected: str) -> str:
        """The next word, whatever it is."""
        if not self:
            raise self.refuse(expected)
        self._at += 1
        return self._words[self._at - 1]

    def is_next(self, wanted: str) -> bool:
        """Whether the next word is this one, in any case."""
        return self.peek().lower() == wanted

    def take(self, wanted: str) -> bool:
        """Whether the next word is this one, in any case, which is then passed."""
        if self.is_next(wanted):
            self._at += 1
            return True
        return False

    def take_exactly(self, wanted: str) -> bool:
        """Whether the next word is this one as it stands in a record, which is then passed."""
        return self.peek() == wanted and self.take(wanted)

    def keyword(self, wanted: str) -> bool:
        """Whether the next word is this one, which is then passed with a colon behind it."""
        return self.take(wanted) and (self.take(":") or True)

    def end(self, expected: str = "nothing more") -> None:
        """Refuses what stands behind."""
        if self:
            raise self.refuse(expected)

    def is_seat(self) -> bool:
        """Whether a seat comes next. Raises `BadLine` where it may be either."""
        return self._meant() is not None

    def _meant(self) -> Meant | None:
        try:
            return self._seats.at(self._words, self._at)
        except AmbiguousSeat as error:
            raise BadLine(self.line, f"expected north or south: {error}{self.column()}") from None

    def seat_ahead(self, expected: str = SEAT) -> Seat:
        """The seat that comes next, which stays."""
        meant = self._meant()
        if meant is None:
            raise self.refuse(expected, self._seats.suggestions())
        return meant.seat

    def seat(self, expected: str = SEAT) -> Seat:
        """A seat, or the name of the player who sits there, with or without a colon."""
        found = self.seat_ahead(expected)
        meant = self._meant()
        assert meant is not None
        self._at += meant.words
        self.take(":")
        return found

    def card(self, expected: str = _CARD) -> Card:
        """A card. Raises `BadCard`, or `BadLine` at the end of the line."""
        if not self:
            raise self.refuse(expected)
        card = self._letters.card(self.peek())
        if card is None:
            raise BadCard(self.line, self._refusal(expected, _similar(self.peek(), self._letters)), self.peek())
        self.cards.add(self.word(expected))
        return card

    def number(self, expected: str, lowest: int | None = None, highest: int | None = None) -> int:
        """A whole number, signed or not."""
        value = number_of(self.peek())
        if value is None or (lowest is not None and value < lowest) or (highest is not None and value > highest):
            raise self.refuse(expected)
        self._at += 1
        return value

    def bid(self) -> Bid:
        """A bid."""
        word = re.sub(r"(?<=[a-z])[-‐‑](?=[a-z])", "_", self.peek().lower())
        if word in ("double", "blind") and self._at + 1 < len(self._words) and self._words[self._at + 1].lower() == "nil":
            self._at += 2
            return "double_nil"
        if word in _DOUBLE_NILS:
            self._at += 1
            return "double_nil"
        if word == "nil":
            self._at += 1
            return 0
        value = number_of(word)
        if value is None or not 0 <= value <= 13:
            raise self.refuse(BID, () if word[:1].isdigit() else ("nil", "double_nil", "blind_nil"))
        self._at += 1
        return value


def by_seat(words: Words, value: Callable[[Words], T]) -> dict[Seat, T]:
    """A value for one seat or for each, in either order. Raises `BadLine`."""
    found: dict[Seat, T] = {}
    while words or not found:
        ahead = words.seat_ahead()
        if ahead in found:
            raise BadLine(words.line, f"expected each seat once, and {ahead} stands here twice{words.column()}")
        seat = words.seat()
        found[seat] = value(words)
    return found


def did_you_mean(word: str, meant: Iterable[str]) -> str:
    """``; did you mean 'nil'?``, empty where nothing is like it. `word` is compared without regard to case."""
    by_lower = {candidate.lower(): candidate for candidate in meant}
    close = get_close_matches(latin(word.lower()[:64]), by_lower, n=1, cutoff=0.6)
    return f"; did you mean '{printable(by_lower[close[0]])}'?" if close else ""


def _similar(word: str, letters: Letters) -> str:
    """The card that a word might be: with Latin letters, a ten with a letter for its zero, the suit before the rank."""
    if not word or len(word) > _LONGEST_SHOWN:
        return ""
    plain = latin(word).upper()
    ten = re.sub("^[1IL][O0]", "10", plain)
    for text in (plain, ten, plain[1:] + plain[:1], ten[1:] + ten[:1]):
        if letters.card(text) or ENGLISH.card(text):
            return f"; did you mean '{text}'?"
    return did_you_mean(word, DECK if letters.code == ENGLISH.code else ())
