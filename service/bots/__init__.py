"""Bots: a move chosen from a view, which is all a player may know. They ask for no rule: the view says what is legal."""

from service.bots.house import house_move
from service.bots.plain import any_move, highest_card_move, random_move

__all__ = ["any_move", "highest_card_move", "house_move", "random_move"]
