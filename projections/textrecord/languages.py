"""Whose letters the cards of a file are written in: English, what its ``cards`` line names, or the one table that reads all."""

from collections.abc import Callable
from typing import Protocol

from projections.textrecord.game import TextGame
from projections.textrecord.letters import ENGLISH, TABLES, Letters, distinctive, lookalike
from projections.textrecord.words import BadCard, BadLine


class SheetReading(Protocol):
    """A file that was read to its end with one table."""

    cards: set[str]
    declared: tuple[int, Letters] | None
    """The line and the table of a ``cards`` line."""

    def done(self) -> TextGame:
        """The game. Raises `BadLine`."""


Read = Callable[[Letters, Callable[[Letters], Letters]], SheetReading]
"""Reads the file: with these letters, or with what the function makes of those its ``cards`` line names. Raises `BadLine`."""


def readable(read: Read) -> tuple[TextGame, str]:
    """The game, and a note where its letters were guessed. Raises `BadLine`, for cards that two languages read as well."""
    try:
        reading = read(ENGLISH, lambda table: table)
        game = reading.done()
    except BadCard as error:
        return _otherwise(read, error)
    if reading.declared is not None and reading.declared[1] is not ENGLISH:
        _refuse_two_meanings(read, game, *reading.declared)
    return game, ""


def _refuse_two_meanings(read: Read, game: TextGame, line: int, table: Letters) -> None:
    """Raises `BadLine` where the suit letters of the language and the English ones make two games of one file."""
    try:
        other = read(ENGLISH, lambda table: table.with_english_suits()).done()
    except BadLine:
        return
    if other != game:
        same = ", ".join(letter for letter, suit in table.suits.items() if ENGLISH.suits.get(letter, suit) != suit)
        text = (
            f"expected cards of one meaning: the suit {same} is another one in {table.language} than in English, and all cards"
        )
        raise BadLine(line, f"{text} can be read both ways; write suits as signs (♠ ♥ ♦ ♣)")


def _otherwise(read: Read, first: BadCard) -> tuple[TextGame, str]:
    """The game of a file that the letters of English, or those it names, do not read. Raises `BadLine`."""
    declared: list[Letters] = []

    def with_english_suits(table: Letters) -> Letters:
        declared.append(table)
        return table.with_english_suits()

    try:
        game = read(ENGLISH, with_english_suits).done()
    except BadCard:
        game = None
    if not declared:
        return _guessed(read, first)
    if game is None:
        raise first
    return game, ""


def _guessed(read: Read, first: BadCard) -> tuple[TextGame, str]:
    """The game in the one language that reads every card. Raises `BadLine`."""
    fitting: dict[str, list[TextGame | BadLine]] = {}
    certain: set[str] = set()
    for table in TABLES.values():
        if table is ENGLISH:
            continue
        for letters in (table, table.with_english_suits()):
            outcome, cards = _outcome(read, letters)
            if outcome is None:
                continue
            if not any(_same(outcome, other) for other in fitting.setdefault(table.code, [])):
                fitting[table.code].append(outcome)
            if not _is_cyrillic(table) or any(map(distinctive, cards)):
                certain.add(table.code)
    if len(fitting) == 1:
        ((code, outcomes),) = fitting.items()
        if len(outcomes) == 1 and code in certain:
            if isinstance(outcomes[0], BadLine):
                raise outcomes[0]
            language = TABLES[code].language
            note = (
                f"the cards are read with the letters of {language}, the only ones that read them all: 'cards {code}' says so"
            )
            return outcomes[0], note
    codes = list(fitting) or [code for code, table in TABLES.items() if _reads(table, first.word)]
    if not codes or (not fitting and lookalike(first.word)):
        raise first
    meant = " or ".join(f"`cards {code}`" for code in codes)
    message = first.message.partition("; did you mean")[0]
    raise BadCard(first.line, f"{message}; did you mean {meant} (a line before hand 1)?", first.word)


def _outcome(read: Read, letters: Letters) -> tuple[TextGame | BadLine | None, set[str]]:
    """What comes of reading with these letters: the game, a refusal of something that is no card, or None for a card."""
    reading = None
    try:
        reading = read(letters, lambda table: table)
        return reading.done(), reading.cards
    except BadCard:
        return None, set()
    except BadLine as error:
        return error, set()


def _same(one: TextGame | BadLine, other: TextGame | BadLine) -> bool:
    return one == other or (isinstance(one, BadLine) and str(one) == str(other))


def _is_cyrillic(table: Letters) -> bool:
    return "К" in table.ranks


def _reads(table: Letters, word: str) -> bool:
    return bool(table.card(word) or table.with_english_suits().card(word))
