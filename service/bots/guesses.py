"""Guesses at the other hand: a fixed series of hands it may hold, the likelier the more often; no chance is involved."""

from collections.abc import Iterator
from itertools import combinations
from math import comb, log
from typing import Final

from service.bots.imagined import Hand, bits_of
from service.bots.seen import Seen
from service.bots.strength import GOOD, strength

_KEPT: Final = 3.0
"""How much likelier a card the other likes is in its hand than one it does not: whoever keeps what is good, and must take
whatever comes when it is not, holds three quarters of the good cards it came by and a quarter of the others."""


def guesses(seen: Seen, count: int) -> list[Hand]:
    """At most `count` hands the other may hold: all there are if they are no more, else a series fixed by what was seen."""
    cards = bits_of(seen.unseen)
    held = min(seen.theirs_left, len(cards))
    if comb(len(cards), held) <= count:
        return [sum(1 << card for card in some) for some in combinations(cards, held)]
    low = seen.their_bid in (0, "double_nil")
    inverse = []
    for card in cards:
        liked = bool(GOOD >> card & 1) != low
        inverse.append(1 / (seen.weight(card) * (_KEPT if liked else 1.0)))
    numbers = _numbers(seen.mine << 52 | seen.unseen)
    drawn = [_draw(cards, inverse, held, numbers) for _ in range(2 * count)]
    return _fitting(drawn, seen)[:count]


def _draw(cards: list[int], inverse: list[float], count: int, numbers: Iterator[float]) -> Hand:
    """`count` of the cards, a heavier one with the greater chance (Efraimidis and Spirakis: the greatest log(u)/weight)."""
    keyed = sorted([(log(next(numbers)) * slow, card) for slow, card in zip(inverse, cards, strict=True)], reverse=True)
    bits = 0
    for _, card in keyed[:count]:
        bits |= 1 << card
    return bits


def _fitting(drawn: list[Hand], seen: Seen) -> list[Hand]:
    """The guesses in the order in which the whole hand, the cards played included, fits what was bid on it."""
    bid = seen.their_bid
    if bid is None:
        return drawn
    told = 0 if bid == "double_nil" else bid + 0.5 if bid else 0
    return sorted(drawn, key=lambda guess: abs(strength(guess | seen.played) - told))


def _numbers(seed: int) -> Iterator[float]:
    """Numbers over 0 and under 1, always the same for a seed (Knuth's MMIX generator)."""
    state = (seed ^ seed >> 41) & 0xFFFFFFFFFFFFFFFF
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        yield ((state >> 12) + 0.5) / (1 << 52)
