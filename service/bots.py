"""Bots: a move chosen from a view, which is all a player may know. They ask for no rule: the view says what is legal.

This one plays anything legal; it bids what its high cards are worth, so that a game comes to an end.
"""

import random
from typing import Any

View = dict[str, Any]
Move = dict[str, Any]


def random_move(view: View, chance: random.Random) -> Move:
    """A legal move of the seat whose view this is, drawn from `chance`; the view must be that of the seat on turn."""
    option = chance.choice([o for o in view["you"]["legal"] if o["type"] != "double_nil"])
    match option["type"]:
        case "exchange":
            most = chance.randint(0, option["discard"]["max"])
            return {"type": "exchange", "discard": chance.sample(option["discard"]["of"], most)}
        case "bid":
            return {"type": "bid", "tricks": _worth(view["you"]["hand"])}
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


def _worth(hand: list[str]) -> int:
    """Tricks to expect of a hand that is played at random: half of its high cards and spades."""
    high = sum(card[0] in "AKQ" or card[1] == "S" for card in hand)
    return max(1, high // 2)
