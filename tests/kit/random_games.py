"""Whole games of legal moves, chosen by a seed."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from events.cards import SEATS, Seat, other
from projections.view import deadline
from service.games import moves
from tests.kit.entropy import Scripted
from tests.kit.games import SIMPLE, Game


def any_move(game: Game, dice: random.Random, *, double_nils: float = 0.3) -> moves.Move:
    """A legal move of the seat on turn."""
    legal = game.legal
    assert legal, "on turn there is always something to do"
    kinds = [option.type for option in legal]
    if "double_nil" in kinds:
        return moves.DoubleNil() if dice.random() < double_nils else moves.Look()
    option = dice.choice(legal)
    if option.type == "exchange":
        return moves.Exchange(tuple(dice.sample(option.cards, dice.randint(0, option.most))))
    if option.type == "bid":
        return moves.Bid(dice.choice((0, 2, 3, 4, 5, 6, 7, 13)))
    if option.type == "play":
        return moves.Play(dice.choice(option.cards))
    made: moves.Move = SIMPLE[option.type]()
    return made


def random_game(
    seed: int,
    rules: Mapping[str, Any] | None = None,
    *,
    first: Seat = "north",
    contributions: Sequence[Seat] = (),
    most: int | None = None,
    end: str | None = None,
    each: Callable[[Game], None] | None = None,
    entropy: Scripted | None = None,
) -> Game:
    """A game of legal moves chosen by `seed`: to its end, or for `most` moves, after which it is left as it is, or ends by
    `end` (``resign``, ``timeout``; ``abandon`` before anybody joined). `each` is called after every move."""
    dice = random.Random(seed)
    game = Game(rules, first=first, entropy=entropy or Scripted(seed), contributions=contributions)
    if end == "abandon":
        game.play("north", moves.Resign())
        return game
    game.join()
    made = 0
    while game.table.open.phase != "ended" and (most is None or made < most):
        game.now += dice.choice((0, 0, 1, 700, 4000))
        game.play(game.turn, any_move(game, dice))
        made += 1
        if each is not None:
            each(game)
    if game.table.open.phase != "ended" and end is not None:
        if end == "resign":
            game.play(dice.choice(SEATS), moves.Resign())
        else:
            limit = deadline(game.table.open)
            assert limit is not None, "only a game with a turn limit times out"
            game.now = max(game.now, limit)
            game.play(other(game.turn), moves.ClaimTimeout())
        if each is not None:
            each(game)
    return game
