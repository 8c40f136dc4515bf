"""rules.md §7: the score of a hand, through whole hands that are played. A test bears the number of its paragraph."""

import ast
import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.cards import DECK, SEATS, Seat, other
from events.ruleset import OPTIONS, Ruleset, with_options
from events.types import Bid, CardPlayed, HandScored, Line
from projections import play, scoring
from projections.audit import tally
from projections.table import Result, Trick
from projections.view import view
from tests.kit.games import Game
from tests.kit.given import hands

LONG = {"target": 10_000}


def scored(game: Game) -> HandScored:
    """The last score."""
    return [event.data for commit in game.commits for event in commit if isinstance(event.data, HandScored)][-1]


def _north(bid: int | str, takes: int, *, before: tuple[int, int] = (0, 0), **rules: Any) -> Line:
    return scored(hands((bid, 5, takes), rules=LONG | rules, north=before)).north


def test_r7_1_a_bid_made_scores_10_a_trick_and_1_for_each_over_it_which_is_a_bag() -> None:
    assert _north(4, 6) == Line(4, 6, 42, 2, 0, 42, 2)
    assert _north(6, 6) == Line(6, 6, 60, 0, 0, 60, 0)
    assert _north(1, 13, before=(0, 0), bag_limit=0) == Line(1, 13, 22, 12, 0, 22, 12)
    assert _north(13, 13) == Line(13, 13, 130, 0, 0, 130, 0)


def test_r7_2_a_bid_set_loses_10_a_trick_and_makes_no_bags() -> None:
    assert _north(6, 5, before=(0, 4)) == Line(6, 5, -60, 0, 0, -60, 4)
    assert _north(13, 0) == Line(13, 0, -130, 0, 0, -130, 0)


def test_r7_3_nil_and_double_nil_win_or_lose_their_value() -> None:
    assert _north(0, 0).points == 100
    assert _north(0, 1).points == -100
    assert _north("double_nil", 0).points == 200
    assert _north("double_nil", 13).points == -200


@pytest.mark.parametrize(("option", "bid"), [("nil_value", 0), ("double_nil_value", "double_nil")])
def test_r7_3_the_values_of_nil_and_double_nil_are_options_of_their_own(option: str, bid: int | str) -> None:
    assert [_north(bid, takes, **{option: 77}).points for takes in (0, 4)] == [77, -77]
    other_option = {"nil_value": "double_nil_value", "double_nil_value": "nil_value"}[option]
    assert _north(bid, 0, **{other_option: 77}).points == OPTIONS[option].standard


@pytest.mark.parametrize("bid", [0, "double_nil"])
def test_r7_4_the_tricks_of_a_failed_nil_count_for_what_the_option_says(bid: int | str) -> None:
    value = 100 if bid == 0 else 200
    found = {kind: _north(bid, 4, failed_nil=kind) for kind in ("ignore", "bags", "bags_and_points")}
    assert {kind: (line.points, line.new_bags, line.bags) for kind, line in found.items()} == {
        "ignore": (-value, 0, 0),
        "bags": (-value, 4, 4),
        "bags_and_points": (4 - value, 4, 4),
    }


def test_r7_5_at_each_multiple_of_ten_bags_100_points_are_lost_and_the_rest_stays() -> None:
    assert _north(3, 8, before=(0, 8)) == Line(3, 8, 35, 5, 100, -65, 3)
    assert _north(3, 5, before=(0, 8)).penalty == 100
    assert _north(3, 4, before=(0, 8)).penalty == 0


def test_r7_5_bags_are_counted_through_the_whole_game() -> None:
    lines = [scored(hands(*[(1, 7, 6)] * number, rules=LONG)).north for number in (1, 2, 3)]
    assert [(line.bags, line.penalty) for line in lines] == [(5, 0), (0, 100), (5, 0)]


def test_r7_5_two_multiples_reached_in_one_hand_cost_two_penalties() -> None:
    assert _north(1, 13, before=(0, 8)) == Line(1, 13, 22, 12, 200, -178, 0)
    assert _north(1, 13, before=(0, 4), bag_limit=5, bag_penalty=50) == Line(1, 13, 22, 12, 150, -128, 1)


def test_r7_5_with_carry_zero_the_count_restarts_after_a_hand_with_a_penalty_only() -> None:
    assert _north(3, 8, before=(0, 8), bag_carry="zero").bags == 0
    assert _north(3, 8, before=(0, 4), bag_carry="zero").bags == 9
    assert _north(3, 8, before=(0, 8), bag_carry="remainder").bags == 3


def test_r7_5_limit_and_penalty_are_options_and_a_limit_of_0_costs_nothing() -> None:
    assert _north(3, 8, bag_limit=5) == Line(3, 8, 35, 5, 100, -65, 0)
    assert _north(3, 8, before=(0, 8), bag_penalty=30).penalty == 30
    assert _north(3, 8, before=(0, 98), bag_limit=0) == Line(3, 8, 35, 5, 0, 35, 103)


def test_r7_6_the_points_of_the_bags_are_kept_and_scores_may_go_below_any_limit() -> None:
    assert _north(4, 6, before=(0, 8)).points == 42
    assert _north(13, 0, before=(-9_999, 0)).total == -10_129


def test_r7_7_the_penalty_counts_before_anyone_is_said_to_have_the_target() -> None:
    game = hands((4, 8, 5), north=(479, 9))
    assert scored(game).north == Line(4, 5, 41, 1, 100, 420, 0)
    assert game.table.open.phase == "draft"


def test_people_winner_520_is_never_shown_when_the_penalty_makes_it_420() -> None:
    game = hands((4, 8, 5), north=(479, 9))
    shown = [str(event) for event in game.commits[-1]] + [str(view(game.table.open, "", None, seat)) for seat in SEATS]
    assert not any("520" in text for text in shown)
    assert all("420" in text for text in shown[-2:])


@pytest.mark.parametrize(
    ("bids", "north_takes", "points"),
    [
        ((0, 0), 0, (100, -100)),
        ((0, 0), 1, (-100, -100)),
        (("double_nil", 0), 0, (200, -100)),
        ((0, "double_nil"), 13, (-100, 200)),
    ],
)
def test_people_nil_both_bid_nil(bids: tuple[int | str, int | str], north_takes: int, points: tuple[int, int]) -> None:
    score = scored(hands((*bids, north_takes)))
    assert (score.north.points, score.south.points) == points


# The two copies of the sum ------------------------------------------------------------------------------------------


RULES = st.fixed_dictionaries(
    {},
    optional={
        "target": st.sampled_from([50, 100, 500, 10_000]),
        "nil_value": st.integers(0, 1000),
        "double_nil_value": st.integers(0, 1000),
        "bag_limit": st.integers(0, 100) | st.integers(0, 6),
        "bag_penalty": st.integers(0, 1000),
        "bag_carry": st.sampled_from(["remainder", "zero"]),
        "failed_nil": st.sampled_from(["ignore", "bags", "bags_and_points"]),
        "floor": st.integers(-10_000, -50) | st.sampled_from([-50, -100]),
        "max_hands": st.integers(1, 200),
    },
).map(with_options)
BIDS: st.SearchStrategy[Bid] = st.integers(0, 13) | st.just("double_nil")


@settings(max_examples=400, deadline=None, derandomize=True)
@given(RULES, st.integers(-3000, 3000), st.integers(0, 130), BIDS, st.integers(0, 13))
def test_the_sum_of_the_audit_and_the_one_of_the_decisions_agree(
    rules: Ruleset, total: int, bags: int, bid: Bid, tricks: int
) -> None:
    assert _figures(tally.add_up(rules, total, bags, bid, tricks)) == _figures(
        scoring.score_hand(rules, total, bags, bid, tricks)
    )


def _figures(line: Line | tally.Sum) -> tuple[int, ...]:
    return line.points, line.new_bags, line.penalty, line.total, line.bags


def test_the_two_sums_agree_on_every_bid_and_trick_of_the_rulesets_in_use() -> None:
    carries, nils, limits = ("remainder", "zero"), ("ignore", "bags", "bags_and_points"), (0, 1, 5, 10)
    bids: list[Bid] = [*range(14), "double_nil"]
    for carry, nil, limit in itertools.product(carries, nils, limits):
        rules = with_options({"bag_carry": carry, "failed_nil": nil, "bag_limit": limit})
        for bid, tricks, bags in itertools.product(bids, range(14), (0, 1, 4, 9)):
            line, sum_ = scoring.score_hand(rules, 7, bags, bid, tricks), tally.add_up(rules, 7, bags, bid, tricks)
            assert _figures(line) == _figures(sum_)


TOTALS = st.integers(-1000, 1000) | st.sampled_from([49, 50, 99, 100, 499, 500, -49, -50, -51, -100])


@pytest.mark.slow
@settings(max_examples=600, deadline=None, derandomize=True)
@given(RULES, st.integers(1, 200), TOTALS, TOTALS, st.booleans())
def test_the_two_say_alike_how_a_game_ends(rules: Ruleset, hand: int, north: int, south: int, equal: bool) -> None:
    south = north if equal else south
    for number in (hand, rules.max_hands - 1, rules.max_hands, rules.max_hands + 1):
        result = scoring.outcome(rules, number, north, south)
        ended = tally.ending(rules, number, {"north": north, "south": south})
        assert ended == (None if result is None else (result.reason, result.winner))


def test_the_two_say_alike_who_takes_any_two_cards() -> None:
    for led, card in itertools.permutations(DECK, 2):
        for leader in SEATS:
            follower: Seat = other(leader)
            plays = [CardPlayed(1, leader, 1, led), CardPlayed(1, follower, 1, card)]
            winner = play.winner(Trick(1, leader, ((leader, led), (follower, card))))
            assert tally.taken(plays) == {winner: 1, other(winner): 0}


def test_the_audit_shares_no_line_with_the_sum_it_checks() -> None:
    tree = ast.parse(Path(tally.__file__).read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not {module for module in imported if module and module.startswith("projections")}


def test_a_result_says_nothing_of_who_stopped_when_nobody_did() -> None:
    assert scoring.outcome(with_options({}), 1, 500, 0) == Result("target", "north")
