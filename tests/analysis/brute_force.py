"""A plain minimax over the cards themselves, which shares no line with the solver and none with `projections.play`."""

import random
from collections.abc import Sequence

from events.cards import DECK, Card
from projections.analysis.open_hands import OpenHands

RANK = "23456789TJQKA".index


def allowed(hand: tuple[Card, ...], led: Card | None, broken: bool) -> list[Card]:
    """The legal cards (rules.md §6.2, §6.4)."""
    if led is not None:
        return [card for card in hand if card[1] == led[1]] or list(hand)
    return list(hand) if broken else [card for card in hand if card[1] != "S"] or list(hand)


def worth_of_each(
    north: tuple[Card, ...], south: tuple[Card, ...], leader: str, broken: bool, led: Card | None, worth: Sequence[float]
) -> dict[Card, float]:
    """What each legal card is worth to north, by trying everything."""
    follows = "south" if leader == "north" else "north"
    turn = leader if led is None else follows
    found: dict[Card, float] = {}
    for card in allowed(north if turn == "north" else south, led, broken):
        rest = tuple(c for c in north if c != card), tuple(c for c in south if c != card)
        if led is None:
            found[card] = best(worth_of_each(*rest, leader, broken, card, worth), follows)
            continue
        beats = RANK(card[0]) > RANK(led[0]) if card[1] == led[1] else card[1] == "S"
        taker = follows if beats else leader
        left = worth[1:] if taker == "north" else worth[:-1]
        if not rest[0]:
            found[card] = left[0]
        else:
            opened = broken or "S" in (card[1], led[1])
            found[card] = best(worth_of_each(*rest, taker, opened, None, left), taker)
    return found


def best(found: dict[Card, float], turn: str) -> float:
    return max(found.values()) if turn == "north" else min(found.values())


def random_payoff(chance: random.Random, length: int) -> list[float]:
    """Worths for `length` numbers of tricks: tricks, priced bags, a nil, or anything at all."""
    bid, bag = chance.randint(0, 6), chance.choice([1, -1, -9])
    match chance.randrange(4):
        case 0:
            return list(range(length))
        case 1:
            return [10 * bid + bag * (tricks - bid) if tricks >= bid else -10 * bid for tricks in range(length)]
        case 2:
            return [100 - tricks if tricks == 0 else bag * tricks - 100 for tricks in range(length)]
    return [chance.choice([chance.randint(-3, 3), chance.random()]) for _ in range(length)]


def random_position(chance: random.Random, held: int, suits: int = 4, *, led: bool = False) -> OpenHands:
    """A position of `held` cards a hand, out of some of the suits; with `led`, one is on the table."""
    few = chance.sample("CDHS", suits)
    cards = chance.sample([card for card in DECK if card[1] in few], 2 * held)
    leader = chance.choice(("north", "south"))
    position = OpenHands(tuple(cards[:held]), tuple(cards[held:]), leader, chance.random() < 0.5)
    return position.after(chance.choice(position.legal()))[0] if led else position
