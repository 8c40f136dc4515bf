"""A position in the play with both hands open: what it is worth with best play of both, and what each legal card is worth."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from events.cards import ORDER, SPADES, SUITS, Card, Seat, other
from projections.analysis.solver import Mask, Solver
from projections.analysis.suit_codes import NORTH, SOUTH, suit_code
from projections.play import playable, winner
from projections.table import Trick

SIDE: Final[dict[Seat, int]] = {"north": NORTH, "south": SOUTH}

Worth = Sequence[float]
"""What it is worth to north to take 0, 1, 2, … more tricks than it has; south wants it low."""


class OpenHands(msgspec.Struct, frozen=True):
    """What each seat holds, the card led to the trick on the table if there is one, the seat that leads or has led it, and
    whether spades were broken before this trick. The card led is no longer in its leader's hand."""

    north: tuple[Card, ...]
    south: tuple[Card, ...]
    leader: Seat
    broken: bool
    led: Card | None = None

    @property
    def turn(self) -> Seat:
        """The seat that plays the next card."""
        return self.leader if self.led is None else other(self.leader)

    @property
    def left(self) -> int:
        """The tricks that are not complete, the one on the table included."""
        return max(len(self.north), len(self.south))

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        """What `seat` holds."""
        return self.north if seat == "north" else self.south

    def legal(self) -> tuple[Card, ...]:
        """The cards that may be played now (rules.md §6)."""
        return playable(self.hand(self.turn), self.led, self.broken)

    def lower(self, card: Card) -> int:
        """How many cards of the seat that is not on turn, the one on the table included, are lower in this suit.

        Two cards of a hand are worth the same if this is the same for both (`suit_codes`).
        """
        held = (*self.hand(other(self.turn)), *((self.led,) if self.led else ()))
        return sum(each[1] == card[1] and ORDER[each] < ORDER[card] for each in held)

    def after(self, card: Card) -> tuple["OpenHands", int]:
        """The position after `card` is played by the seat on turn, and the tricks north takes by it, 0 or 1."""
        north = tuple(held for held in self.north if held != card)
        south = tuple(held for held in self.south if held != card)
        if self.led is None:
            return OpenHands(north, south, self.leader, self.broken, card), 0
        taker = winner(Trick(0, self.leader, ((self.leader, self.led), (self.turn, card))))
        broken = self.broken or SPADES in (self.led[1], card[1])
        return OpenHands(north, south, taker, broken), int(taker == "north")


def value(position: OpenHands, worth: Worth, solver: Solver) -> float:
    """What the position is worth to north with best play of both. `worth` has a number for each of 0 to `left` tricks."""
    levels, masks = _levels(worth[: position.left + 1])
    return levels[_highest(lambda level: _reaches(position, masks[level], solver), 0, len(levels) - 1)]


def values(position: OpenHands, worth: Worth, solver: Solver) -> dict[Card, float]:
    """What each legal card is worth to north, with best play of both after it; the best of them is the position's value."""
    levels, masks = _levels(worth[: position.left + 1])
    last = len(levels) - 1
    best = _highest(lambda level: _reaches(position, masks[level], solver), 0, last)
    known: dict[tuple[str, int], float] = {}
    found: dict[Card, float] = {}
    for card in position.legal():
        alike = card[1], position.lower(card)
        if alike not in known:
            reaches = _after(*position.after(card), masks, solver)
            if position.turn == "north":
                level = best if best == 0 or reaches(best) else _highest(reaches, 0, best - 1)
            else:
                level = best if best == last or not reaches(best + 1) else _highest(reaches, best + 1, last)
            known[alike] = levels[level]
        found[card] = known[alike]
    return found


def _levels(worth: Worth) -> tuple[list[float], list[Mask]]:
    """The different worths in rising order, and for each the set of totals that are worth as much or more."""
    levels = sorted(set(worth))
    return levels, [sum(1 << tricks for tricks, each in enumerate(worth) if each >= level) for level in levels]


def _highest(reaches: Callable[[int], bool], low: int, high: int) -> int:
    """The highest level that is reached, of which `low` is known to be."""
    while low < high:
        middle = (low + high + 1) // 2
        if reaches(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _after(after: OpenHands, taken: int, masks: list[Mask], solver: Solver) -> Callable[[int], bool]:
    return lambda level: _reaches(after, masks[level] >> taken, solver)


def _reaches(position: OpenHands, mask: Mask, solver: Solver) -> bool:
    """Whether north can bring the further tricks it takes into `mask`."""
    if position.led is None:
        if not position.left:
            return bool(mask & 1)
        codes = _codes(position)
        mask &= (2 << position.left) - 1
        return solver.reaches(*codes, SIDE[position.leader], position.broken, position.left, mask)
    wanted = position.turn == "north"
    answers = (position.after(card) for card in position.legal())
    return any(_reaches(after, mask >> taken, solver) == wanted for after, taken in answers) == wanted


def _codes(position: OpenHands) -> tuple[int, int, int, int]:
    c, d, h, s = (suit_code(suit, position.north, position.south) for suit in range(len(SUITS)))
    return c, d, h, s
