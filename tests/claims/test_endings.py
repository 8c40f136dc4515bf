"""A claim about the winner is argued with the rule that decides it (rules.md §8), and the readings that concern the end."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from projections.claims import ClaimAnswer
from projections.claims.facts import Facts
from projections.claims.options import VALUES, Change, under
from projections.claims.search import search
from projections.scoring import score_hand
from projections.table import Result
from tests.claims.games import Clock, Played, asked, facts, random_facts, whole

TIE: tuple[Played, ...] = ((6, 6, 6), (6, 6, 7))
"""60 and 61, then 121 and 121."""
ONE: tuple[Played, ...] = ((6, 6, 7),)
"""61 and 60."""


def stopped(game: Facts, reason: Any, by: Any, winner: Any) -> Facts:
    return msgspec.structs.replace(game, result=Result(reason, winner, by))


CASES = [
    ("draw", facts(*TIE, target=120), "none", "played on: another hand follows (rules §8.2)"),
    ("north", facts(*TIE, target=120, max_hands=2), "draw", "(rules §8.6, §8.7)"),
    ("south", facts(*ONE, max_hands=1), "north", "hand 1 is the last (max_hands=1)"),
    ("south", facts(*ONE, target=60), "north", "both have the target of 60, and the higher score wins (rules §8.1)"),
    ("south", facts(*ONE, target=61), "north", "north has the target of 61 (rules §8.1)"),
    ("north", facts(*ONE), "none", "nobody has the target of 500 yet (rules §8.1)"),
    ("north", facts((13, 6, 7), floor=-130), "south", "north is at or under the floor of -130, so south wins (rules §8.5)"),
    ("south", facts((12, 13, 7), floor=-120), "north", "both are at or under the floor of -120, and the higher score wins"),
    ("north", facts((13, 13, 7), floor=-130), "none", "a tie at the floor of -130 is played on"),
    ("south", stopped(facts(*ONE), "resigned", "south", "north"), "north", "south resigned, so north wins"),
    ("south", stopped(facts(*ONE), "timed_out", "south", "north"), "north", "(rules §8.4)"),
    ("south", stopped(facts(*ONE), "abandoned", "south", None), "none", "nobody wins"),
    ("south", stopped(facts(), "resigned", "south", "north"), "north", "(rules §8.3)"),
]


@pytest.mark.parametrize(("claimed", "game", "right", "why"), CASES)
def test_a_wrong_winner_is_argued_with_the_rule_that_decides(claimed: str, game: Facts, right: str, why: str) -> None:
    found = asked(game, f"winner={claimed}")
    (difference,) = found.differences
    assert difference.right == right
    assert why.replace("-", "−") in difference.ours


def test_every_ending_of_random_games_names_a_paragraph() -> None:
    for seed in range(70):
        rules = {"target": 50 + seed % 7 * 60, "max_hands": 1 + seed % 5, "floor": -50 - seed % 3 * 50}
        game = random_facts(seed, 1 + seed % 5, **rules)
        right = next(d.right for d in asked(game, "winner=north,north=99999").differences)
        for claimed in {"north", "south", "draw", "none"} - {right}:
            wrong = [d for d in asked(game, f"winner={claimed}").differences if d.figure == "winner"]
            assert not wrong or "(rules §8." in wrong[0].ours


def codes(found: ClaimAnswer) -> list[str]:
    assert found.search is not None
    return [reading.code for reading in found.search.readings]


@pytest.mark.parametrize("hands", range(1, 8))
def test_a_game_that_was_to_end_after_this_hand_is_found_whatever_its_number(hands: int) -> None:
    game = facts(*((6, 6, 7),) * hands)
    found = asked(game, "winner=north")
    assert found.search is not None
    assert any(f"max_hands={hands}" in reading.sentence for reading in found.search.readings)


def test_the_tricks_of_a_failed_nil_counted_in_one_hand_alone_are_found() -> None:
    game = facts((4, 0, 9), (4, 0, 9), (5, 5, 6))
    line = score_hand(msgspec.structs.replace(facts(*ONE).rules, failed_nil="bags"), -100, 0, 0, 4)
    found = asked(game, f"1.south.bags=0,2.south.bags={line.bags},2.south={line.total},south.bags=6")
    assert codes(found)[0] == "failed_nil_once"
    assert found.search is not None
    sentence = found.search.readings[0].sentence
    assert "in hand 2 the tricks of south's failed nil are counted as bags, in this hand alone" in sentence
    assert "failed_nil=ignore" in sentence


def test_where_failed_nils_bring_bags_one_that_was_left_out_is_found() -> None:
    game = facts((4, "double_nil", 9), (4, 0, 9), (5, 7, 6), failed_nil="bags_and_points")
    ledger = game.ledger()["south"]
    found = asked(game, f"1.south.bags={ledger[0].bags},2.south.points=-100,south.bags={ledger[2].bags - 4}")
    assert codes(found)[0] == "failed_nil_once"
    assert found.search is not None
    assert "left out, neither bags nor points" in found.search.readings[0].sentence


def test_the_search_says_what_it_did_not_try() -> None:
    nils = asked(facts(*ONE), "north=1234").search
    assert nils is not None
    assert any(text.startswith("nil_value, double_nil_value, failed_nil and turn_seconds: no hand") for text in nils.not_tried)
    assert any("three or more options together" in text for text in nils.not_tried)
    hurried = search(facts(*ONE), whole(facts(*ONE).ledger(under(facts(*ONE).rules, Change("nil_value", 50, 1)))), Clock(0.4))
    assert hurried.ended_early
    assert "processor time" in hurried.not_tried[0]
    single = asked(facts(*ONE), "north=60").search
    assert single is not None
    assert any("a single change fits" in text for text in single.not_tried)
    winner = asked(facts(*TIE), "winner=south").search
    assert winner is not None
    assert any("the claim names a winner" in text for text in winner.not_tried)


def test_no_reading_is_listed_that_does_not_reproduce_the_claim() -> None:
    for seed in range(40):
        game = random_facts(seed, 6)
        for change in ("failed_nil", "bags"), ("max_hands", 6), ("bag_limit", 5):
            theirs = game.ledger(under(game.rules, Change(*change, 0)))
            claim = whole(theirs, ("total", "bags"))
            found = asked(game, claim)
            for reading in found.search.readings if found.search else ():
                if reading.options and not set(reading.options) & {"target", "floor", "max_hands", "turn_seconds"}:
                    rules = msgspec.structs.replace(game.rules, **reading.options)
                    assert whole(game.ledger(rules), ("total", "bags")) == claim


def test_the_documented_values_are_those_that_are_tried() -> None:
    text = (Path(__file__).parents[2] / "docs/disputes.md").read_text()
    for option, values in VALUES.items():
        listed = ", ".join("none" if value is None else str(value) for value in values)
        assert f"| `{option}` | {listed} |" in text
