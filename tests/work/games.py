"""Games to audit, quickly made: somebody resigns."""

import random

from events.ruleset import STANDARD
from service.games import moves
from service.games.handler import Games, MoveRequest, NewGame, NewPlayer

_chance = random.SystemRandom()


def key() -> bytes:
    return _chance.randbytes(16)


def running(games: Games) -> str:
    """A game in which the first card is to be looked at."""
    made = games.create(MoveRequest(key(), {}), lambda: NewGame("Ann", STANDARD, "north"))
    games.join(made.game, MoveRequest(key(), {}), lambda: NewPlayer("Bo", made.invite))
    return made.game


def finished(games: Games) -> str:
    """A game that has ended."""
    game = running(games)
    games.move(game, "north", MoveRequest(key(), {}), moves.Look)
    games.move(game, "north", MoveRequest(key(), {}), moves.Resign)
    return game
