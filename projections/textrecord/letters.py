"""The letters of cards in other languages (docs/spec/sheets.md): one table a file, and how a written card is read by it."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

import msgspec

from events.cards import RANKS, SUITS, Card

SIGNS: Final = {"♠": "S", "♤": "S", "♥": "H", "♡": "H", "♦": "D", "♢": "D", "♣": "C", "♧": "C"}
"""Suit signs, filled and outlined."""

_SELECTORS: Final = re.compile("[\ufe0e\ufe0f]")
"""Variation selectors: whether a sign is drawn as text or as a picture."""
_TEN: Final = "10"


class Letters(msgspec.Struct, frozen=True):
    """The letters of one language. `ranks` and `suits` map what is written, in capitals, to rank and suit of a `Card`."""

    code: str
    language: str
    ranks: Mapping[str, str]
    suits: Mapping[str, str]

    def card(self, text: str) -> Card | None:
        """The card that `text` is by this table, None where it is none."""
        if len(text) > _LONGEST:
            return None
        if re.fullmatch(f"[{RANKS}][{SUITS}]", text) and self.code == "en":
            return Card(str(text))
        plain = _SELECTORS.sub("", text)
        written = plain.upper()
        if written.lower() != plain.lower():
            return None
        if written[:1] in SIGNS or written[-1:] in SIGNS:
            sign, rank = (written[0], written[1:]) if written[0] in SIGNS else (written[-1], written[:-1])
            return self._card(rank, SIGNS[sign])
        found = (self._card(written[: -len(letter)], suit) for letter, suit in self.suits.items() if written.endswith(letter))
        cards = {card for card in found if card is not None}
        return cards.pop() if len(cards) == 1 else None

    def _card(self, rank: str, suit: str) -> Card | None:
        if rank == _TEN:
            return Card(f"T{suit}")
        return Card(self.ranks[rank] + suit) if rank in self.ranks else None

    def with_english_suits(self) -> "Letters":
        """The same ranks with the suit letters C, D, H, S."""
        return Letters(self.code, self.language, self.ranks, ENGLISH.suits)


_LONGEST: Final = 8
_PIPS: Final = {pips: pips for pips in "23456789"}


def _table(code: str, language: str, ranks: dict[str, str], suits: dict[str, str]) -> Letters:
    """A table of the letters for ace, king, queen, jack (and ten), and for the suits."""
    return Letters(code, language, {**_PIPS, **ranks}, suits)


ENGLISH: Final = _table(
    "en", "English", {"T": "T", "J": "J", "Q": "Q", "K": "K", "A": "A"}, {"C": "C", "D": "D", "H": "H", "S": "S"}
)

TABLES: Final[dict[str, Letters]] = {
    table.code: table
    for table in (
        ENGLISH,
        _table(
            "de", "German", {"A": "A", "K": "K", "D": "Q", "B": "J"}, {"P": "S", "H": "H", "KA": "D", "KR": "C"},
        ),
        _table(
            "fr", "French", {"A": "A", "R": "K", "D": "Q", "V": "J"}, {"P": "S", "C": "H", "K": "D", "T": "C"},
        ),
        _table(
            "ru", "Russian", {"Т": "A", "К": "K", "Д": "Q", "В": "J"}, {"П": "S", "Ч": "H", "Б": "D", "Т": "C"},
        ),
        _table(
            "he", "Hebrew", {"א": "A", "מך": "K", "מה": "Q", "נ": "J"}, {"ע": "S", "ל": "H", "י": "D", "ת": "C"},
        ),
        _table(
            "bg", "Bulgarian", {"А": "A", "К": "K", "П": "K", "Д": "Q", "В": "J"}, {"П": "S", "КУ": "H", "КА": "D", "С": "C"},
        ),
        _table(
            "fi", "Finnish",
            {"A": "A", "Ä": "A", "K": "K", "Q": "Q", "R": "Q", "J": "J", "S": "J"},
            {"P": "S", "H": "H", "RU": "D", "RI": "C"},
        ),
    )
}  # fmt: skip
"""The tables by the code that a ``cards`` line names."""

LOOKALIKES: Final = {
    **dict(zip("АВСЕНІЈКМОРЅТХ", "ABCEHIJKMOPSTX", strict=True)),  # Cyrillic
    **dict(zip("асеіјорѕх", "aceijopsx", strict=True)),
    **dict(zip("ΑΒΕΗΙΚΜΝΟΡΤΧ", "ABEHIKMNOPTX", strict=True)),  # Greek
    **{chr(wide): chr(wide - 0xFEE0) for wide in range(0xFF10, 0xFF5B) if chr(wide - 0xFEE0).isalnum()},
}
"""Letters of other alphabets that look like a Latin one, and which."""


def lookalike(text: str) -> str:
    """A sentence about the first letter in `text` that only looks like a Latin one; empty where there is none."""
    for letter in text:
        if letter in LOOKALIKES:
            return f"'{letter}' is {unicodedata.name(letter)}, which only looks like the Latin {LOOKALIKES[letter]}"
    return ""


def latin(text: str) -> str:
    """The text with the Latin letters that its lookalikes look like."""
    return "".join(LOOKALIKES.get(letter, letter) for letter in text)


def distinctive(text: str) -> bool:
    """Whether a letter in `text` belongs to another alphabet beyond doubt: it is neither Latin nor looks like it."""
    return any(letter.isalpha() and not letter.isascii() and letter.upper() not in LOOKALIKES for letter in text)
