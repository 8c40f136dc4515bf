"""Bots at a real table of the pure core: legal moves under every option, nothing but the view, and games won."""

import random
from typing import Any

import pytest

from events.cards import SEATS, Card, Seat, in_order, other
from events.ruleset import with_options
from projections.table import Table
from service.bots import any_move, highest_card_move, house_move, random_move
from service.bots.kinds import Bot
from service.bots.match import BOTS, drawing, play, series
from service.bots.seeded import seen_by, start, step

RULES: list[dict[str, Any]] = [
    {},
    {"second_card": "seen", "bag_carry": "zero"},
    {"exchange_max": 0, "failed_nil": "bags"},
    {"exchange_max": 1, "failed_nil": "bags_and_points", "bag_limit": 0},
    {"nil_value": 0, "double_nil_value": 0, "bag_penalty": 0},
    {"target": 10000, "floor": -10000, "double_nil_value": 1000, "nil_value": 1000},
    {"target": 50, "floor": -50, "bag_limit": 1, "bag_penalty": 1000, "turn_seconds": 5},
]
SHORT = with_options({"target": 250})
"""Half a game, for the win rates here; those of whole games are in ``docs/bots-benchmark.md``."""


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("bot", [house_move, highest_card_move], ids=["house", "highest card"])
def test_every_move_is_legal_whatever_the_other_does(bot: Bot, rules: dict[str, Any]) -> None:
    ruleset = with_options({"max_hands": 3} | rules)
    for seed in (1, 2):
        seats = (bot, drawing(any_move, seed)) if seed % 2 else (drawing(any_move, seed), bot)
        assert play(*seats, seed, ruleset).hands <= 3  # an illegal move would have been refused


def test_random_moves_are_legal_and_two_such_bots_end_a_game() -> None:
    hands = [play(drawing(random_move, seed), drawing(random_move, -seed), seed).hands for seed in range(1, 11)]
    assert max(hands) <= 60
    assert sum(number <= 40 for number in hands) >= 8


def with_other_hidden_cards(table: Table, seat: Seat, chance: random.Random) -> Table:
    """The table with all cards that `seat` has not seen shuffled among the other's hand, the stock and the pile."""
    known = {*table.own(seat).hand, *table.own(seat).discarded, table.own(seat).drawn}
    known |= {card for each in SEATS for card in table.open.player(each).played}
    stock, its = table.house.stock, table.own(other(seat))
    assert stock is not None
    hidden = [card for card in stock if card not in known]
    swapped: dict[Card, Card] = dict(zip(hidden, chance.sample(hidden, len(hidden)), strict=True))
    hand = in_order([swapped.get(card, card) for card in its.hand])
    discarded = tuple(swapped.get(card, card) for card in its.discarded)
    return table.with_own(other(seat), hand=hand, discarded=discarded)


@pytest.mark.parametrize("name", ["house", "highest card"])
def test_a_move_depends_on_the_view_alone(name: str) -> None:
    bot, chance = BOTS[name](1), random.Random(1)
    table, entropy = start(11, with_options({"max_hands": 1}))
    compared = 0
    while (seat := table.open.turn) is not None:
        moves = [bot(seen_by(table, seat)) for _ in range(2)]
        if table.open.phase == "play":
            elsewhere = with_other_hidden_cards(table, seat, chance)
            compared += elsewhere.own(other(seat)).hand != table.own(other(seat)).hand
            moves.append(bot(seen_by(elsewhere, seat)))
        assert moves == [moves[0]] * len(moves)
        table = step(table, moves[0], entropy)
    assert compared > 15


def test_a_bot_leaves_its_view_as_it_was() -> None:
    table, entropy = start(12, with_options({"max_hands": 1}))
    while (seat := table.open.turn) is not None:
        view, same = seen_by(table, seat), seen_by(table, seat)
        move = house_move(view)
        assert view == same
        table = step(table, move, entropy)


@pytest.mark.slow
def test_the_house_bot_beats_the_random_bot() -> None:
    assert series("house", BOTS["house"], "random", BOTS["random"], range(201, 205), SHORT).wins >= 3


@pytest.mark.slow
def test_the_house_bot_beats_the_highest_card_bot_in_games_of_a_sane_length() -> None:
    row = series("house", BOTS["house"], "highest card", BOTS["highest card"], range(201, 207), SHORT)
    assert row.wins >= 4
    assert row.hands <= 15


@pytest.mark.slow
def test_two_house_bots_end_a_game_long_before_the_hand_limit() -> None:
    assert all(play(house_move, house_move, seed, SHORT).hands <= 30 for seed in (1, 2))
