"""Plain bots to measure a better one against: one draws lots among the legal moves, one plays its highest card.

They ask for no rule: the view says what is legal. The draws come from a `random.Random` that the caller seeds.
"""

import random
from typing import Final

from events.cards import RANKS, SPADES, Card
from projections.play import winner
from projections.table import Trick
from service.bots.kinds import Move, View

_HIGH: Final = RANKS.index("T")
LEAST_BID: Final = 2
MOST_BID: Final = 6
"""What a bid of the highest-card bot stays between: with 5 to 6 at most it does best, against its like and others."""


def random_move(view: View, chance: random.Random) -> Move:
    """A legal move of the seat on turn, drawn from `chance`; it never bids double nil, and bids what such play may take,
    so that a game of two of them comes to an end."""
    option = chance.choice([o for o in view["you"]["legal"] if o["type"] != "double_nil"])
    match option["type"]:
        case "exchange":
            most = chance.randint(0, option["discard"]["max"])
            return {"type": "exchange", "discard": chance.sample(option["discard"]["of"], most)}
        case "bid":
            return {"type": "bid", "tricks": _worth_at_random(view["you"]["hand"])}
        case "play":
            return {"type": "play", "card": chance.choice(option["card"])}
    return {"type": option["type"]}


def any_move(view: View, chance: random.Random) -> Move:
    """Any legal move at all, double nil and every bid included, all alike."""
    option = chance.choice(view["you"]["legal"])
    match option["type"]:
        case "double_nil":
            return {"type": "double_nil"}
        case "bid":
            return {"type": "bid", "tricks": chance.randint(option["tricks"]["min"], option["tricks"]["max"])}
    return random_move({**view, "you": {**view["you"], "legal": [option]}}, chance)


def highest_card_move(view: View) -> Move:
    """A plain opponent, steady and not foolish: keeps tens or better and spades, bids its aces, kings and spades, and
    plays its highest card where that takes the trick, else its lowest."""
    you = view["you"]
    legal = {option["type"]: option for option in you["legal"]}
    if "play" in legal:
        return {"type": "play", "card": _highest_that_wins(legal["play"]["card"], view["trick"]["cards"])}
    if "bid" in legal:
        sure = sum(card[0] in "AK" or card[1] == SPADES for card in you["hand"])
        return {"type": "bid", "tricks": min(max(sure, LEAST_BID), MOST_BID)}
    if "keep" in legal:
        card = you["drawn"]
        return {"type": "keep" if card[1] == SPADES or RANKS.index(card[0]) >= _HIGH else "pass"}
    return {"type": "look"} if "look" in legal else {"type": "exchange", "discard": []}


def _highest_that_wins(legal: list[str], trick: list[dict[str, str]]) -> str:
    ranked = sorted(legal, key=lambda card: (RANKS.index(card[0]), card))
    if not trick:
        return ranked[-1]
    led = Card(trick[0]["card"])
    takers = [card for card in ranked if winner(Trick(1, "north", (("north", led), ("south", Card(card))))) == "south"]
    return takers[-1] if takers else ranked[0]


def _worth_at_random(hand: list[str]) -> int:
    """Tricks to expect of a hand that is played at random: nearly half of thirteen, more with more high cards and spades."""
    high = sum(card[0] in "AKQ" or card[1] == SPADES for card in hand)
    return 2 + high // 2
