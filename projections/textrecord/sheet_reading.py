"""The lines of a text record one after the other, each read into the game (record.md §2); none is judged."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from events.cards import SEATS, Seat, other
from events.printable import printable
from projections.textrecord.game import TextGame, TextHand
from projections.textrecord.handlines import BY_SEAT, ENDINGS, HAND, rules_of
from projections.textrecord.letters import TABLES, Letters, lookalike
from projections.textrecord.seat_words import NO_NAMES, Seats
from projections.textrecord.spelling import FORMAT
from projections.textrecord.tokens import Token, name_of
from projections.textrecord.words import BadLine, Words, did_you_mean

_LONGEST_NAME: Final = 64
_SHOWN: Final = 20
_HEADER: Final = ("north", "south", "rules", "first", "cards")
_ENDING: Final = ("result", "end")


class NoHeader(BadLine):
    """A file that does not begin as a text record does."""


class SheetReading:
    """The state of a reading: the game so far and the hand that is being read."""

    def __init__(self, letters: Letters, declared: Callable[[Letters], Letters]) -> None:
        self.letters, self._declare = letters, declared
        self.declared: tuple[int, Letters] | None = None
        self.cards: set[str] = set()
        self._begun = False
        self._last = 1
        self._seen: dict[str, int] = {}
        self._game: dict[str, Any] = {"names": {}}
        self._first: list[Token] | None = None
        self._seats: Seats | None = None
        self._hands: list[TextHand] = []
        self._hand: dict[str, Any] | None = None

    def line(self, number: int, said: str, found: list[Token]) -> None:
        """One line, cut into words. Raises `BadLine`."""
        self._last = number
        if not self._begun:
            if [word.lower() for word in found] != FORMAT.split():
                raise self._no_header(number, said, found[0])
            self._begun = True
            return
        word, count = _first_word(found)
        if word in self._seen:
            raise BadLine(number, f"expected no second '{word}' line: the first is line {self._seen[word]}")
        ended = bool(self._seen.keys() & set(_ENDING))
        if word in _HEADER and self._hand is None:
            self._seen[word] = number
            self._header(word, number, said, found, count)
        elif word in _ENDING:
            self._seen[word] = number
            self._settle_names()
            self._reading_words(ENDINGS[word], self._game, self._words(number, found, count))
        elif word == "hand":
            self._begin(self._words(number, found, count))
        elif word in HAND and self._hand is not None and not ended:
            self._part(word, self._words(number, found, count))
        else:
            raise self._unknown(number, found[0])

    def _no_header(self, number: int, said: str, first: Token) -> NoHeader:
        text = f"expected '{FORMAT}' as the first line of a text record, not"
        if first.lower() == FORMAT.split()[0]:
            return NoHeader(number, f"{text} '{printable(said.strip()[:_SHOWN])}'")
        about = lookalike(first[:_SHOWN])
        text = f"{text} '{printable(first[:_SHOWN])}' (column {first.column}){f'; {about}' if about else ''}"
        return NoHeader(number, text + did_you_mean(first, [FORMAT.split()[0]]))

    def _unknown(self, number: int, word: Token) -> BadLine:
        about, expected = lookalike(word[:_SHOWN]), self._expected()
        text = f"expected {' or '.join(expected)}, not '{printable(word[:_SHOWN])}' (column {word.column})"
        if about:
            text += f"; {about}"
        if word.lower() in _HEADER and self._hand is not None:
            return BadLine(number, f"{text}; '{word.lower()}' belongs before hand 1")
        return BadLine(number, text + did_you_mean(word, expected))

    def _words(self, number: int, found: list[Token], count: int) -> Words:
        """The words behind the first of a line, and a colon behind it."""
        rest = found[count:]
        return Words(number, rest[1:] if rest[:1] == [":"] else rest, self._seats or NO_NAMES, self.letters)

    def _expected(self) -> tuple[str, ...]:
        if self._seen.keys() & set(_ENDING):
            return ("result", "end, and nothing after them")
        return (*HAND, "hand", *_ENDING) if self._hand is not None else (*_HEADER, "hand", *_ENDING)

    def _header(self, word: str, number: int, said: str, found: list[Token], count: int) -> None:
        if word in SEATS:
            behind = said[found[0].end :]
            name = name_of(behind.removeprefix(":"))
            if not 0 < len(name) <= _LONGEST_NAME:
                raise BadLine(number, f"expected a name of 1 to {_LONGEST_NAME} characters")
            self._game["names"][word] = name
            return
        if word == "first":
            self._first = found[count:]
            return
        words = self._words(number, found, count)
        if word == "cards":
            code = words.peek().lower()
            if code not in TABLES:
                raise words.refuse(f"the letters of the cards: {', '.join(TABLES)}", TABLES)
            words.word("")
            words.end()
            self.declared = (number, TABLES[code])
            self.letters = self._declare(TABLES[code])
        else:
            self._game["rules"] = rules_of(words)
            self._game["rules_at"] = f"line {number}"

    def _settle_names(self) -> None:
        """The names are known, and with them who is meant where."""
        if self._seats is None:
            self._seats = Seats(self._game["names"])
            self._game["notes"] = tuple(_name_notes(self._game["names"]))
        if self._first is not None:
            words = self._words(self._seen["first"], self._first, 0)
            self._game["first"] = words.seat()
            words.end()
            self._first = None

    def _begin(self, words: Words) -> None:
        """A ``hand`` line."""
        self._settle_names()
        self._close()
        wanted = len(self._hands) + 1
        if self._seen.keys() & set(_ENDING):
            raise BadLine(words.line, "expected no hand after result or end")
        if words.number(f"hand {wanted}", wanted, wanted):
            words.take(":")
            words.end()
        self._hand = {"number": wanted, "lines": {"hand": words.line}}

    def _part(self, word: str, words: Words) -> None:
        """A line of a hand."""
        assert self._hand is not None
        key = f"{word} {words.seat_ahead()}" if word in BY_SEAT else word
        if key in self._hand["lines"]:
            first = self._hand["lines"][key]
            raise BadLine(words.line, f"expected no second '{key}' in hand {self._hand['number']}: the first is line {first}")
        self._hand["lines"][key] = words.line
        self._reading_words(HAND[word], self._hand, words)
        words.end()

    def _reading_words(self, part: Callable[[dict[str, Any], Words], None], into: dict[str, Any], words: Words) -> None:
        part(into, words)
        self.cards |= words.cards

    def _close(self) -> None:
        if self._hand is not None:
            self._hands.append(TextHand(**self._hand))

    def done(self) -> TextGame:
        """The game that was read. Raises `NoHeader`, and `BadLine` for anything else."""
        if not self._begun:
            raise NoHeader(self._last, f"expected '{FORMAT}' as the first line of a text record")
        self._settle_names()
        self._close()
        return TextGame(**self._game, hands=tuple(self._hands))


def _name_notes(names: Mapping[Seat, str]) -> Iterator[str]:
    """A note for a player whose name is the other seat's word."""
    for seat, name in names.items():
        if name.lower() == other(seat):
            yield f"{other(seat)} in small letters is the seat: the player of this name sits {seat}"


def _first_word(found: list[Token]) -> tuple[str, int]:
    """The word that a line begins with, in small letters, and how many words it is written in."""
    word = found[0].lower()
    if len(found) > 1 and word in ("double", "blind") and found[1].lower() == "nil":
        return "double_nil", 2
    return ("double_nil" if word in ("double-nil", "blind-nil", "blind_nil") else word), 1
