"""Reads a text record (record.md §2) line by line into a `TextGame`. It judges no move: only what cannot be read is refused."""

from typing import Any, Final

from events.cards import SEATS
from projections.textrecord.game import TextGame, TextHand
from projections.textrecord.handlines import BY_SEAT, ENDINGS, HAND, rules_of
from projections.textrecord.words import BadLine, Words
from projections.textrecord.writer import FORMAT

MOST_BYTES: Final = 1024 * 1024
"""A text record is not longer: 200 whole hands take a tenth of it."""
_LONGEST_LINE: Final = 4096
_LONGEST_NAME: Final = 64
_HEADER: Final = ("north", "south", "rules", "first")
_ENDING: Final = ("result", "end")


def is_text(beginning: bytes) -> bool:
    """Whether a file that begins like this is meant to be a text record and not a record for machines."""
    return beginning.strip()[:1] not in (b"", b"{")


def read(raw: bytes | str) -> TextGame:
    """The game of a text record. Raises `BadLine`."""
    reading = _Reading()
    for number, line in enumerate(_lines(raw), 1):
        said, _, _ = line.partition("#")
        if said.strip():
            reading.line(number, said)
    return reading.done()


def _lines(raw: bytes | str) -> list[str]:
    if len(raw) > MOST_BYTES:
        raise BadLine(1, f"expected a text record of at most {MOST_BYTES} bytes")
    text = raw if isinstance(raw, str) else ""
    if isinstance(raw, bytes):
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            before = bytes(raw)[: error.start]
            raise BadLine(before.count(b"\n") + 1, "expected UTF-8") from None
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > _LONGEST_LINE:
            raise BadLine(number, f"expected at most {_LONGEST_LINE} characters a line")
    return lines


class _Reading:
    """The state of a reading: the game so far and the hand that is being read."""

    def __init__(self) -> None:
        self.begun = False
        self.last = 1
        self.seen: dict[str, int] = {}
        self.game: dict[str, Any] = {"names": {}}
        self.hands: list[TextHand] = []
        self.hand: dict[str, Any] | None = None

    def line(self, number: int, said: str) -> None:
        self.last = number
        if not self.begun:
            if said.split() != FORMAT.split():
                raise BadLine(number, f"expected '{FORMAT}' as the first line of a text record")
            self.begun = True
            return
        word, *rest = said.split()
        words = Words(number, rest)
        if word in self.seen:
            raise BadLine(number, f"expected no second '{word}' line: the first is line {self.seen[word]}")
        if word in _HEADER and self.hand is None:
            self.seen[word] = number
            self.header(word, words, said.strip()[len(word) :].strip())
        elif word in _ENDING:
            self.seen[word] = number
            ENDINGS[word](self.game, words)
        elif word == "hand":
            self.begin(words)
        elif word in HAND and self.hand is not None and not (self.seen.keys() & set(_ENDING)):
            self.part(word, words)
        else:
            raise BadLine(number, f"expected {self.expected()}, not '{word[:20]}'" if word.isprintable() else "expected a word")

    def expected(self) -> str:
        if self.seen.keys() & set(_ENDING):
            return "result or end, and nothing after them"
        return " or ".join((*HAND, "hand", *_ENDING) if self.hand is not None else (*_HEADER, "hand", *_ENDING))

    def header(self, word: str, words: Words, rest: str) -> None:
        if word in SEATS:
            if not 0 < len(rest) <= _LONGEST_NAME:
                raise BadLine(words.line, f"expected a name of 1 to {_LONGEST_NAME} characters")
            self.game["names"][word] = rest
        elif word == "first":
            self.game["first"] = words.seat()
            words.end()
        else:
            self.game["rules"] = rules_of(words)
            self.game["rules_at"] = f"line {words.line}"

    def begin(self, words: Words) -> None:
        """A ``hand`` line."""
        self.close()
        wanted = len(self.hands) + 1
        if self.seen.keys() & set(_ENDING):
            raise BadLine(words.line, "expected no hand after result or end")
        if words.number(f"hand {wanted}", wanted, wanted):
            words.end()
        self.hand = {"number": wanted, "lines": {"hand": words.line}}

    def part(self, word: str, words: Words) -> None:
        """A line of a hand."""
        assert self.hand is not None
        key = word
        if word in BY_SEAT:
            key = f"{word} {words.peek()}"
        if key in self.hand["lines"]:
            first = self.hand["lines"][key]
            raise BadLine(words.line, f"expected no second '{key}' in hand {self.hand['number']}: the first is line {first}")
        self.hand["lines"][key] = words.line
        HAND[word](self.hand, words)
        words.end()

    def close(self) -> None:
        if self.hand is not None:
            self.hands.append(TextHand(**self.hand))

    def done(self) -> TextGame:
        if not self.begun:
            raise BadLine(self.last, f"expected '{FORMAT}' as the first line of a text record")
        self.close()
        return TextGame(**self.game, hands=tuple(self.hands))
