"""The house's bot: a pure function from a view to a move, good enough to be worth playing against.

It knows what the view says and nothing else, keeps nothing between two moves, and draws no lots.
"""

from service.bots import bidding, drafting, playing
from service.bots.kinds import Move, View


def house_move(view: View) -> Move:
    """The move of the seat on turn whose view this is.

    Raises `ValueError` where the seat must reveal: a bot has brought no bytes.
    """
    kinds = {option["type"] for option in view["you"]["legal"]}
    if "double_nil" in kinds and drafting.wants_double_nil(view):
        return {"type": "double_nil"}
    if "look" in kinds:
        return {"type": "look"}
    if "keep" in kinds:
        return {"type": "keep" if drafting.keeps(view) else "pass"}
    if "exchange" in kinds:
        return {"type": "exchange", "discard": drafting.thrown(view)}
    if "bid" in kinds:
        return {"type": "bid", "tricks": bidding.bid(view)}
    if "play" in kinds:
        return {"type": "play", "card": playing.card(view)}
    raise ValueError("this view asks for no move that a bot makes")
