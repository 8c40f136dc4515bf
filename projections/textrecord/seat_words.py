"""Which seat is meant: ``north`` and ``south`` in any case, or the name of the player who sits there."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from events.cards import SEATS, Seat
from events.printable import printable
from projections.textrecord.letters import TABLES
from projections.textrecord.tokens import tokens

Spelling = tuple[str, ...]


class AmbiguousSeat(ValueError):
    """Words that may mean either seat; the message says why."""


class Meant(msgspec.Struct, frozen=True):
    """A seat, and how many words it is written in."""

    seat: Seat
    words: int


class Seats:
    """The spellings of both seats in one file."""

    def __init__(self, names: Mapping[Seat, str] | None = None) -> None:
        self.names: dict[Seat, str] = dict(names or {})
        self._spellings: list[tuple[Spelling, Seat]] = [((seat,), seat) for seat in SEATS]
        for seat, name in self.names.items():
            spelling = tuple(word.casefold() for word in tokens(name) if word != ",")
            if spelling:
                self._spellings.append((spelling, seat))

    def at(self, words: Sequence[str], start: int) -> Meant | None:
        """The seat that is written from the word `start` on, None without one. Raises `AmbiguousSeat`.

        ``north`` and ``south`` in small letters are the seats in every file, whatever the players are called.
        """
        exact = next((seat for seat in SEATS if words[start : start + 1] == [seat]), None)
        if exact is not None:
            return Meant(exact, 1)
        meant = {Meant(seat, len(spelling)) for spelling, seat in self._spellings if _begins(words, start, spelling)}
        if not meant:
            return None
        longest = max(found.words for found in meant)
        of_longest = [found for found in meant if found.words == longest]
        shorter = [found for found in meant if found.words < longest and found.seat != of_longest[0].seat]
        written = " ".join(words[start : start + longest])
        if len(of_longest) > 1:
            raise AmbiguousSeat(f"'{printable(written)}' may be either player")
        if any(_could_be_a_value(words[start + found.words]) for found in shorter):
            raise AmbiguousSeat(f"'{printable(written)}' may be one player, or the other with a value")
        return of_longest[0]

    def suggestions(self) -> list[str]:
        """What may be written for a seat."""
        return [*SEATS, *(self.names[seat] for seat in SEATS if seat in self.names)]


def _begins(words: Sequence[str], start: int, spelling: Spelling) -> bool:
    return tuple(word.casefold() for word in words[start : start + len(spelling)]) == spelling


_VALUES: Final = frozenset(("nil", "double", "blind", "dn", "winner", "draw"))


def _could_be_a_value(word: str) -> bool:
    """Whether a word behind a name may be a number, a bid, a card or a mark as well as the rest of a longer name."""
    return not word.isalpha() or word.casefold() in _VALUES or any(table.card(word) for table in TABLES.values())


NO_NAMES: Final = Seats()
