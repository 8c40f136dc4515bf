"""Which reading makes a claim true: every option and every slip is found first by a claim that was made by it."""

import random
import time
from typing import Any

import pytest

from events.cards import SEATS
from events.ruleset import OPTIONS
from projections.claims import ClaimedFigure, answer, search
from projections.claims.claim import figure_of
from projections.claims.facts import Facts, Wait
from projections.claims.options import ENDING, SCORING, VALUES, Change, changes, under
from projections.claims.scoring_mistakes import Sheet, slips
from projections.claims.search import BUDGET_SECONDS
from projections.scoring import outcome
from projections.table import Result
from tests.claims.games import FIVE, Clock, asked, facts, last, random_facts, whole


def first_of(game: Facts, claim: Any) -> Any:
    found = asked(game, claim)
    assert not found.holds
    assert found.search is not None
    assert found.search.readings, "nothing was found"
    return found.search.readings[0]


# Options --------------------------------------------------------------------------------------------------------------

RICH = random_facts(11, 16)
"""A game in which all scoring options matter."""


@pytest.mark.parametrize(
    "change", [c for c in changes(RICH.rules) if c.option in SCORING], ids=lambda c: f"{c.option}={c.value}"
)
def test_a_sheet_kept_under_another_option_is_found_first(change: Change) -> None:
    theirs = RICH.ledger(under(RICH.rules, change))
    assert theirs != RICH.ledger(), "the option does not matter in this game"
    for claim in (whole(theirs, ("total", "bags")), whole(theirs)):
        reading = first_of(RICH, claim)
        assert reading.options == {change.option: change.value}
        assert f"{change.option}={change.value}" in reading.sentence
        assert "event 1" in reading.sentence


@pytest.mark.parametrize("option", SCORING)
def test_the_commonest_value_of_an_option_is_found_first_by_the_totals_at_the_end_alone(option: str) -> None:
    change = next(c for c in changes(RICH.rules) if c.option == option)
    assert first_of(RICH, last(RICH.ledger(under(RICH.rules, change)))).options == {option: change.value}


@pytest.mark.parametrize("option", ["failed_nil", "bag_carry"])
def test_a_table_that_plays_otherwise_finds_the_standard(option: str) -> None:
    played = VALUES[option][1]
    game = random_facts(11, 16, **{option: played})
    standard = OPTIONS[option].standard
    theirs = game.ledger(under(game.rules, Change(option, standard, 1)))
    assert first_of(game, whole(theirs)).options == {option: standard}


def test_the_sentence_says_what_the_table_does_and_where_it_stands() -> None:
    game = facts((4, 0, 9), (5, 5, 6), failed_nil="bags")
    reading = first_of(game, "south.bags=2,south=-48")
    assert reading.sentence == (
        "right if tricks of a failed nil are not bags (failed_nil=ignore): "
        "in this game tricks of a failed nil are bags (rules §7.4), event 1"
    )
    assert reading.parts is not None
    assert (reading.parts.hand, reading.parts.seat, reading.parts.position) == (1, "south", "1.s")


LONG = facts(*((6, 5, 7),) * 10)
"""61 and 51 a hand, bags one a hand each; at the tenth each loses 100: 510 to 410 after 10 hands."""


def test_a_lower_target_would_have_ended_the_game_earlier() -> None:
    reading = first_of(LONG, "north=305,south=255,winner=north")
    assert reading.options == {"target": 300}
    assert "ended after hand 5" in reading.sentence


def test_a_higher_target_leaves_the_game_open() -> None:
    game = facts(*((8, 2, 8),) * 7)
    assert game.result is not None
    assert first_of(game, "winner=none").options == {"target": 1000}


def test_a_floor_would_have_ended_the_game_earlier() -> None:
    game = facts((5, 9, 6), (5, 9, 6), (5, 9, 6), (5, 4, 6))
    reading = first_of(game, "north=153,south=-270,winner=north")
    assert reading.options == {"floor": -200}


def test_a_game_lost_at_its_floor_goes_on_without_one() -> None:
    game = facts((5, 9, 6), (5, 9, 6), (5, 9, 6), floor=-250)
    assert first_of(game, "north=153,south=-270,winner=none").options["floor"] is None


def test_fewer_hands_would_have_ended_the_game_earlier() -> None:
    reading = first_of(facts(*((4, 4, 7),) * 8), "north=115,south=110,winner=north")
    assert reading.options == {"max_hands": 5}


def test_a_limit_on_a_move_would_have_lost_the_game() -> None:
    game = facts(*FIVE)
    waits = (Wait("north", "2.3.1", 40_000, 1), Wait("south", "4.7.2", 70_000, 3), Wait("north", "5.1.1", 50_000, 4))
    game = Facts(game.rules, game.hands, game.result, waits=waits)
    reading = first_of(game, "north=30,south=12,winner=north")
    assert reading.options == {"turn_seconds": 60}


def test_no_score_depends_on_the_options_that_are_not_tried() -> None:
    idle = set(OPTIONS) - set(VALUES)
    assert idle == {"second_card", "exchange_max"}
    assert set(SCORING) | set(ENDING) == set(VALUES)
    for option, value in (("second_card", "seen"), ("exchange_max", 0)):
        assert RICH.ledger(under(RICH.rules, Change(option, value, 0))) == RICH.ledger()


def test_each_option_is_tried_at_no_more_than_eight_values_that_it_may_have() -> None:
    for option, values in VALUES.items():
        assert len(values) == len(set(values)) <= 8
        for value in values:
            assert OPTIONS[option].accepts(value) or (value is None and OPTIONS[option].optional)


PAIRS = [
    (Change("failed_nil", "bags", 0), Change("bag_limit", 5, 1)),
    (Change("nil_value", 50, 1), Change("bag_penalty", 50, 1)),
    (Change("bag_carry", "zero", 0), Change("double_nil_value", 100, 1)),
    (Change("failed_nil", "bags_and_points", 1), Change("nil_value", 200, 3)),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "+".join(c.option for c in pair))
def test_two_options_together_are_found(pair: tuple[Change, Change]) -> None:
    reading = first_of(RICH, whole(RICH.ledger(under(RICH.rules, *pair))))
    assert reading.options == {c.option: c.value for c in pair}
    assert reading.cost > 50


def test_two_options_are_not_told_where_one_does_it() -> None:
    claim = whole(RICH.ledger(under(RICH.rules, Change("bag_penalty", 50, 1))))
    found = asked(RICH, claim).search
    assert found is not None
    assert [len(r.options) for r in found.readings if "bag_penalty" in r.options] == [1]


# Slips ----------------------------------------------------------------------------------------------------------------

SLIPS = [
    ("trick_to_other", "3.north=30,3.south=12,north=271,south=-4", (4,)),
    ("trick_missed", "3.north=30,4.north=71,4.south=46,north=271,south=-5", (4,)),
    ("bid_wrong", "1.south.bid=6,1.south=60,south=4", (1,)),
    ("bid_wrong", "5.north.bid=nil,north=172", (5,)),
    ("penalty_forgotten", "4.north=172,north=372,south=-5", (3,)),
    ("penalty_forgotten", "3.north=130,3.north.bags=10,4.north=172,4.north.bags=12,south=-5", (3,)),
    ("bags_not_reset", "3.north=30,3.north.bags=10,4.north=72,4.north.bags=12,north=272", (3,)),
    ("penalty_twice", "3.north.points=-149,3.north=-70,north=172,south=-5", (3,)),
    ("penalty_late", "3.north=130,3.north.bags=0,4.north=72,north=272", (3,)),
    ("bags_not_reset", "3.north=30,3.north.bags=10,4.north=-28,4.north.bags=2", (3,)),
    ("bags_reset", "1.north.bags=3,2.north.bags=0,3.north=130,3.south.bags=2", (2,)),
    ("bag_points_left_out", "north=260,south=-20", ()),
    ("bag_points_left_out", "1.north=40,2.north=70,north=260,south=-5", ()),
    ("hand_points_left_out", "1.south=51,3.south=11,3.south.bags=2,3.north=30,south=-6", (3,)),
    ("ones_digit", "1.south.bags=1,2.south.bags=9,3.south.bags=8,north=272", ()),
    ("lines_swapped", "north=-5,south=272", ()),
    ("hand_swapped", "1.north=51,1.south=43,2.north=87,2.south=-57", (1,)),
    ("adding_error", "2.north=79,3.north=40,4.north=82,north=282,south=-5", (3,)),
    ("adding_error", "3.north.bid=5,3.north.points=-39,3.north=40,4.north.points=42,north=282", (3,)),
    ("hands_missing", "north=30,south=12", (3,)),
    ("two_slips", "1.south=51,3.south=11,3.south.bags=2,south=-6,4.north=172,north=372", (3, 3)),
]


@pytest.mark.parametrize(("code", "claim", "hands"), SLIPS, ids=[f"{code}-{claim}" for code, claim, _ in SLIPS])
def test_a_claim_made_by_a_slip_finds_that_slip_first(code: str, claim: str, hands: tuple[int, ...]) -> None:
    reading = first_of(facts(*FIVE), claim)
    assert (reading.code, reading.hands) == (code, hands), reading.sentence
    if hands:
        assert f"{hands[0]}.s" in reading.rests_on


def test_bags_that_stay_on_the_count_cost_the_next_penalty_when_it_is_due() -> None:
    game = facts(*((4, 5, 7),) * 7)  # north has 3 bags a hand: penalties in hand 4 and hand 7
    reading = first_of(game, "4.north=172,4.north.bags=12,6.north.bags=18,north=201,north.bags=1")
    assert (reading.code, reading.hands) == ("penalty_forgotten", (4,))
    assert "stay at 12" in reading.sentence


def test_the_sheet_of_the_slips_is_the_one_reckoned_by_hand() -> None:
    ledger = facts(*FIVE).ledger()
    assert [line.total for line in ledger["north"]] == [43, 79, 30, 72, 272]
    assert [line.total for line in ledger["south"]] == [51, -49, 12, 46, -5]
    assert [line.bags for line in ledger["north"]] == [3, 9, 0, 2, 2]
    assert [line.bags for line in ledger["south"]] == [1, 1, 2, 6, 5]


def test_every_slip_of_a_random_game_is_among_those_found_by_its_own_sheet() -> None:
    dice = random.Random(7)
    for seed in range(8):
        game = random_facts(seed, 6)
        sheet = Sheet(game)
        for slip in dice.sample(list(slips(sheet)), 8):
            claim = whole({**sheet.lines, **slip.lines})
            found = asked(game, claim)
            assert found.holds == ({**sheet.lines, **slip.lines} == sheet.lines) or found.search is not None
            if not found.holds:
                assert found.search is not None
                codes = [reading.code for reading in found.search.readings]
                assert slip.code in codes, (slip, codes)
                costs = [reading.cost for reading in found.search.readings]
                assert costs == sorted(costs)


def test_an_end_that_nothing_simple_explains_is_said_to_have_no_reading() -> None:
    found = asked(facts(*FIVE), "north=291,south=17").search
    assert found is not None
    assert found.readings == ()
    assert found.tried > 300
    assert not found.ended_early


def test_the_same_slip_in_several_hands_is_one_reading() -> None:
    reading = first_of(facts(*((4, 4, 7),) * 3), "north=128,south=127")
    assert reading.hands == (1, 2, 3)
    assert "in one of hands 1 to 3" in reading.sentence
    assert set(reading.rests_on) >= {"1.s", "2.s", "3.s"}


def test_a_slip_that_is_often_made_comes_before_an_option_that_few_tables_use() -> None:
    found = asked(facts(*FIVE), "north=272,south=95").search
    assert found is not None
    codes = [reading.code for reading in found.readings]
    assert codes[0] == "penalty_forgotten"
    assert codes.index("nil_value") > codes.index("bags_reset")
    assert codes[-1] == "adding_error"


# Time -----------------------------------------------------------------------------------------------------------------


def test_the_search_ends_when_its_time_is_up_and_says_so_with_what_it_has() -> None:
    claim = whole(RICH.ledger(under(RICH.rules, Change("failed_nil", "bags", 0))))
    found = search(RICH, claim, Clock(BUDGET_SECONDS / 50))
    assert found.ended_early
    assert 0 < found.tried <= 52
    assert found.readings[0].options == {"failed_nil": "bags"}


@pytest.mark.parametrize("wrong", [1, 7, 10, 100])
def test_a_game_of_thirty_hands_takes_well_under_a_second(wrong: int) -> None:
    game = random_facts(9, 30, target=10000)
    totals = {seat: game.ledger()[seat][-1].total for seat in SEATS}
    claim = (
        ClaimedFigure(None, "north", "total", totals["north"] + wrong),
        ClaimedFigure(None, "south", "total", totals["south"] - 3),
    )
    begun = time.process_time()
    found = answer(game, claim, time.process_time)
    assert time.process_time() - begun < 0.9
    assert found.search is not None
    assert not found.search.ended_early


def test_what_is_found_reproduces_every_figure_and_is_the_same_each_time() -> None:
    for seed in range(8):
        game = random_facts(seed, 9)
        for change in changes(game.rules)[seed::8]:
            if change.option not in SCORING:
                continue
            theirs = game.ledger(under(game.rules, change))
            claim = last(theirs)
            found = asked(game, claim)
            assert found == asked(game, claim)
            if found.holds:
                continue
            assert found.search is not None
            for reading in found.search.readings:
                if set(reading.options) and set(reading.options) <= set(SCORING):
                    made = under(game.rules, *(Change(name, value, 0) for name, value in reading.options.items()))
                    lines = game.ledger(made)
                    for said in claim:
                        assert said.seat is not None
                        assert figure_of(lines[said.seat][-1], said.figure) == said.value


def test_an_end_by_resignation_is_kept_whoever_leads() -> None:
    game = facts(*FIVE[:2])
    game = Facts(game.rules, game.hands, Result("resigned", "south", "north"))
    assert asked(game, "north=79,south=-49,winner=south").holds
    assert outcome(game.rules, 2, 79, -49) is None
