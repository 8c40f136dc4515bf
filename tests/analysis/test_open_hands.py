"""The exact solver against positions made independently, against trying everything, and against itself."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from events.cards import DECK, Seat, other
from projections.analysis import solver as solving
from projections.analysis.open_hands import OpenHands, value, values
from projections.analysis.solver import Solver
from tests.analysis.brute_force import best, random_payoff, random_position, worth_of_each

CASES = json.loads((Path(__file__).parents[1] / "cases" / "open-hands.json").read_text("utf-8"))
ROUNDS = int(os.environ.get("TRICKBOOK_OPEN_HANDS", "300"))
"""Positions that are compared with trying everything; 10,000 take about five minutes."""
SEATS: tuple[Seat, Seat] = ("north", "south")


def position_of(case: dict[str, Any]) -> OpenHands:
    return OpenHands(tuple(case["north"]), tuple(case["south"]), case["leads"], case["spades_broken"])


def test_the_cases_are_solved_as_an_independent_program_solved_them() -> None:
    assert len(CASES) == 100
    solver = Solver()
    for case in CASES:
        position = position_of(case)
        assert value(position, case["worth"], solver) == case["value"], case
        assert values(position, case["worth"], solver) == case["leads_worth"], case


@pytest.mark.parametrize("part", range(3))
def test_positions_of_up_to_five_cards_are_solved_as_by_trying_everything(part: int) -> None:
    chance = random.Random(f"brute force {part}")
    solver = Solver()
    for number in range(ROUNDS // 3 + 1):
        held = chance.choice([1, 2, 3, 4, 4, 5] if number % 4 else [5])
        position = random_position(chance, held, chance.randint(-(-2 * held // 13) + 1, 4), led=chance.random() < 0.3)
        worth = random_payoff(chance, held + 1)
        expected = worth_of_each(position.north, position.south, position.leader, position.broken, position.led, worth)
        assert values(position, worth, solver) == expected, (position, worth)
        assert value(position, worth, solver) == best(expected, position.turn), (position, worth)


def dealt(chance: random.Random) -> OpenHands:
    cards = chance.sample(DECK, 26)
    return OpenHands(tuple(cards[:13]), tuple(cards[13:]), chance.choice(SEATS), False)


@pytest.mark.parametrize("seed", range(6))
def test_the_costs_of_all_plays_add_up_to_the_result(seed: int) -> None:
    """Result = value at the first lead − costs of north + costs of south."""
    chance = random.Random(f"costs {seed}")
    position, worth, solver = dealt(chance), random_payoff(chance, 14), Solver()
    start = value(position, worth, solver)
    costs = {"north": 0.0, "south": 0.0}
    taken = plays = 0
    while position.left:
        worths = values(position, worth[taken:], solver)
        assert best(worths, position.turn) == value(position, worth[taken:], solver)
        card = chance.choice(list(worths))
        costs[position.turn] += abs(best(worths, position.turn) - worths[card])
        position, won = position.after(card)
        taken += won
        plays += 1
    assert plays == 26
    assert start - costs["north"] + costs["south"] == pytest.approx(worth[taken], abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_seats_swapped_swap_the_figures(seed: int) -> None:
    chance = random.Random(f"swap {seed}")
    position, worth = dealt(chance), random_payoff(chance, 14)
    swapped = OpenHands(position.south, position.north, other(position.leader), position.broken)
    mirrored = [-each for each in reversed(worth)]
    expected = {card: -each for card, each in values(position, worth, Solver()).items()}
    assert values(swapped, mirrored, Solver()) == expected


def test_a_table_that_was_used_before_changes_no_answer() -> None:
    chance = random.Random("one table")
    used = Solver()
    for _ in range(8):
        position, worth = dealt(chance), random_payoff(chance, 14)
        assert values(position, worth, used) == values(position, worth, Solver())


def test_a_table_that_is_full_is_emptied_and_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random("small table")
    position, worth = dealt(chance), random_payoff(chance, 14)
    expected = values(position, worth, Solver())
    monkeypatch.setattr(solving, "MOST_ENTRIES", 50)
    small = Solver()
    assert values(position, worth, small) == expected
    assert small.entries <= 50 < small.work
