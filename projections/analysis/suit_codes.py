"""The cards of one suit that are still held, as a number that keeps only the order of their holders.

Bit i of a code is 1 if north holds the i-th lowest card, and a 1 above the highest bit marks the number of cards: 0b1_01 is two
cards, the lower one north's. Two cards of one hand with none of the other's between them are worth the same, and removing
either gives the same code.
"""

from collections.abc import Collection
from functools import cache
from typing import Final

from events.cards import DECK, Card

Code = int
NORTH: Final = 1
SOUTH: Final = 0
EMPTY: Final[Code] = 1
CODES: Final = 1 << 14
"""One more than the greatest code, that of thirteen cards."""

Outcome = tuple[Code, int]
"""The code after both have played to a suit, and the hand that takes the trick."""

_SIZE: Final = 13


def suit_code(suit: int, north: Collection[Card], south: Collection[Card]) -> Code:
    """The code of suit 0 (clubs) to 3 (spades), of the cards that both hands hold in it."""
    return _code([NORTH if card in north else SOUTH for card in _cards_of(suit) if card in north or card in south])


def _cards_of(suit: int) -> tuple[Card, ...]:
    return DECK[suit * _SIZE : (suit + 1) * _SIZE]


def _code(owners: list[int]) -> Code:
    code = 1 << len(owners)
    for index, owner in enumerate(owners):
        code |= owner << index
    return code


def _without(code: Code, *indexes: int) -> Code:
    for index in sorted(indexes, reverse=True):
        code = code >> (index + 1) << index | code & ((1 << index) - 1)
    return code


def _owned(code: Code, owner: int) -> list[int]:
    """The indexes of an owner's cards, lowest first."""
    return [index for index in range(code.bit_length() - 1) if code >> index & 1 == owner]


def _counts() -> tuple[bytes, bytes]:
    north = bytes((code ^ 1 << code.bit_length() - 1).bit_count() if code else 0 for code in range(CODES))
    return bytes(code.bit_length() - 1 - north[code] if code else 0 for code in range(CODES)), north


def _top_runs() -> tuple[bytes, bytes]:
    runs = (bytearray(CODES), bytearray(CODES))
    for code in range(2, CODES):
        length = code.bit_length() - 1
        owner = code >> (length - 1) & 1
        below = _without(code, length - 1)
        runs[owner][code] = 1 + runs[owner][below]
    return bytes(runs[SOUTH]), bytes(runs[NORTH])


def _forced() -> tuple[bytes, bytes]:
    forced = (bytearray(CODES), bytearray(CODES))
    for code in range(2, CODES):
        for owner in (SOUTH, NORTH):
            higher = 0
            for index in reversed(range(code.bit_length() - 1)):
                if code >> index & 1 != owner:
                    higher += 1
                elif higher:
                    higher -= 1
                else:
                    forced[owner][code] += 1
    return bytes(forced[SOUTH]), bytes(forced[NORTH])


COUNT: Final = _counts()
"""By owner and code: the cards it holds."""
TOP: Final = _top_runs()
"""By owner and code: its cards above all of the other's."""
FORCED: Final = _forced()
"""By owner and the code of spades: the tricks these spades take however both play. A spade loses only to a higher one of the
other hand, and each of those beats at most one (rules.md §6.3)."""


@cache
def removals(code: Code, owner: int) -> tuple[Code, ...]:
    """The different codes after `owner` has played a card while the other hand plays none of this suit, lowest card first."""
    return tuple(dict.fromkeys(_without(code, index) for index in _owned(code, owner)))


@cache
def leads(code: Code, owner: int) -> tuple[tuple[Outcome, ...], ...]:
    """For each lead of `owner` that is worth a try, the outcomes the other hand can choose from, where both hold the suit.

    A lead that leaves the other hand every choice of another lead, and more, is left out: it is never better.
    """
    other_cards = _owned(code, 1 - owner)
    answers = (
        frozenset((_without(code, led, card), owner if led > card else 1 - owner) for card in other_cards)
        for led in _owned(code, owner)
    )
    different = list(dict.fromkeys(answers))
    return tuple(tuple(sorted(each)) for each in different if not any(fewer < each for fewer in different))
