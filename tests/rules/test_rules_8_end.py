"""rules.md §8: the end of a game. A test bears the number of its paragraph."""

from typing import Any

import pytest

from events.cards import SEATS, Seat, other
from events.types import GameEnded, HandStarted
from projections.legal import options
from projections.table import Result
from projections.view import deadline
from service.games import moves
from service.games.refusals import Refused
from tests.kit.assertions import ended_event
from tests.kit.games import Game
from tests.kit.given import given, hands
from tests.kit.logs import START
from tests.kit.random_games import random_game

DAY = 24 * 60 * 60 * 1000
RESIGN, CLAIM = moves.Resign(), moves.ClaimTimeout()


def _result(*wanted: tuple[int | str, int | str, int], **about: Any) -> Result | None:
    return hands(*wanted, **about).table.open.result


def test_r8_1_a_player_with_the_target_or_more_wins() -> None:
    assert _result((5, 8, 5), north=(450, 0)) == Result("target", "north")
    assert _result((5, 8, 5), north=(449, 0)) is None


@pytest.mark.parametrize("takes", [5, 8])
def test_r8_1_people_winner_if_both_have_it_the_higher_score_wins_whichever_seat_it_sits_in(takes: int) -> None:
    bids, north, south = ((3, 8), 470, 480) if takes == 5 else ((8, 3), 480, 470)
    o = hands((*bids, takes), north=(north, 0), south=(south, 0)).table.open
    assert {o.north.total, o.south.total} == {502, 560}
    assert o.result == Result("target", "south" if takes == 5 else "north")


def test_people_winner_points_of_bags_count_so_528_beats_526() -> None:
    game = hands((4, 7, 6), north=(486, 0), south=(456, 0))
    assert (game.table.open.north.total, game.table.open.south.total) == (528, 526)
    assert game.table.open.result == Result("target", "north")


def test_people_winner_532_ends_the_game() -> None:
    game = hands((5, 6, 7), north=(480, 0))
    assert game.table.open.north.total == 532
    assert game.table.open.result == Result("target", "north")


def test_r8_2_people_winner_500_to_500_another_hand_is_played_with_the_roles_swapped() -> None:
    game = hands((5, 8, 5), north=(450, 0), south=(420, 0))
    o = game.table.open
    assert (o.north.total, o.south.total, o.result) == (500, 500, None)
    started = game.commits[-1][-1].data
    assert isinstance(started, HandStarted)
    assert (started.hand, started.first) == (2, "south")


def test_r8_2_and_so_on_until_one_is_ahead() -> None:
    assert _result((5, 8, 5), (5, 5, 6), north=(450, 0), south=(420, 0)) == Result("target", "south")


@pytest.mark.parametrize("seat", SEATS)
def test_r8_3_who_resigns_loses_and_the_scores_stay(seat: Seat) -> None:
    game = hands((5, 8, 5))
    game.play(seat, RESIGN)
    assert game.table.open.result == Result("resigned", other(seat), seat)
    assert (ended_event(game).totals.north, ended_event(game).totals.south) == (50, 80)
    game.refused(other(seat), RESIGN, "game_over")


def test_r8_3_a_player_resigns_at_any_time_on_turn_or_not() -> None:
    for most in (1, 2, 30, 54, 56, 60, 79):
        for seat in SEATS:
            game = random_game(3, most=most)
            game.play(seat, RESIGN)
            assert game.table.open.result == Result("resigned", other(seat), seat)


def test_r8_3_while_a_reveal_is_owed_resigning_counts_as_such() -> None:
    game = Game(contributions=["north"]).sit_down()
    assert game.table.open.phase == "reveal"
    game.play("south", RESIGN)
    assert game.table.open.result == Result("resigned", "north", "south")


def test_r8_3_before_anyone_has_joined_the_game_is_abandoned_without_a_winner() -> None:
    game = Game()
    game.play("north", RESIGN)
    assert game.table.open.result == Result("abandoned", None, "north")
    with pytest.raises(Refused, match="ended"):
        game.join()


def test_r8_3_a_third_player_finds_the_seat_taken() -> None:
    game = Game().join()
    with pytest.raises(Refused, match="taken"):
        game.join()


def test_r8_4_the_other_seat_claims_once_the_time_is_over_and_not_before() -> None:
    game = Game({"turn_seconds": 60}).join()
    game.now = START + 59_999
    assert "1 s" in game.refused("south", CLAIM, "no_timeout").message
    game.now = START + 60_000
    game.play("south", CLAIM)
    assert game.table.open.result == Result("timed_out", "south", "north")
    assert isinstance(game.commits[-1][-1].data, GameEnded)
    game.refused("south", CLAIM, "game_over")


def test_r8_4_nobody_claims_on_its_own_turn() -> None:
    game = Game({"turn_seconds": 60}).join()
    game.now = START + DAY
    assert "your own turn" in game.refused("north", CLAIM, "no_timeout").message


def test_r8_4_without_a_limit_no_time_runs_out() -> None:
    game = Game().join()
    game.now = START + 1000 * DAY
    assert "no turn limit" in game.refused("south", CLAIM, "no_timeout").message
    assert deadline(game.table.open) is None


def test_r8_4_before_anyone_joined_nobodys_time_is_running() -> None:
    game = Game({"turn_seconds": 60})
    game.now = START + DAY
    assert "nobody is on turn" in game.refused("north", CLAIM, "no_timeout").message


def test_r8_4_a_move_accepted_after_the_time_but_before_the_claim_stands_and_the_time_runs_anew() -> None:
    game = Game({"turn_seconds": 60}).join()
    game.now = START + 90_000
    game.play("north", moves.Look())
    game.now += 59_999
    game.refused("south", CLAIM, "no_timeout")
    game.now += 1
    game.play("south", CLAIM)


def test_r8_4_the_time_runs_from_the_last_event_of_play_also_where_the_clock_went_back() -> None:
    game = Game({"turn_seconds": 60}).join()
    game.now = START - 5_000
    game.play("north", moves.Look())
    assert game.commits[-1][-1].at == START
    assert deadline(game.table.open) == START + 60_000


@pytest.mark.parametrize(("rules", "limit"), [({}, DAY), ({"turn_seconds": 60}, 60_000)])
def test_r8_4_who_owes_a_reveal_has_the_limit_and_24_hours_where_there_is_none(rules: dict[str, int], limit: int) -> None:
    game = Game(rules, contributions=["north", "south"]).sit_down()
    assert (game.table.open.phase, game.turn) == ("reveal", "south")
    game.now += limit - 1
    game.refused("north", CLAIM, "no_timeout")
    game.now += 1
    game.play("north", CLAIM)
    assert game.table.open.result == Result("timed_out", "north", "south")


def test_r8_5_a_score_at_or_under_the_floor_loses() -> None:
    assert _result((8, 8, 5), rules={"floor": -80}) == Result("floor", "south")
    assert _result((8, 8, 5), rules={"floor": -81}) is None
    assert _result((8, 8, 5)) is None


def test_r8_5_if_both_are_the_higher_wins_and_a_tie_is_played_on() -> None:
    assert _result((8, 9, 0), rules={"floor": -50}, south=(-200, 0)) == Result("floor", "north")
    game = hands((8, 8, 0), rules={"floor": -50}, south=(-160, 0))
    assert (game.table.open.north.total, game.table.open.south.total) == (-80, -75)
    game = hands((9, 13, 0), rules={"floor": -50}, south=(-220, 0))
    assert (game.table.open.north.total, game.table.open.south.total, game.table.open.result) == (-90, -90, None)


def test_r8_6_after_the_last_hand_the_higher_score_wins_and_equal_scores_are_a_draw() -> None:
    assert _result((5, 5, 6), rules={"max_hands": 1}) == Result("hand_limit", "south")
    assert _result((5, 5, 6), rules={"max_hands": 2}) is None
    draw = hands((5, 8, 5), rules={"max_hands": 1}, north=(30, 0))
    assert draw.table.open.result == Result("hand_limit", None)
    assert ended_event(draw).winner is None


def test_r8_7_the_target_is_tried_before_the_floor_and_the_floor_before_the_hand_limit() -> None:
    everything: dict[str, Any] = {"target": 50, "floor": -50, "max_hands": 1}
    assert _result((5, 9, 5), rules=everything) == Result("target", "north")
    assert _result((4, 9, 5), rules=everything) == Result("floor", "north")
    assert _result((4, 3, 5), rules=everything) == Result("hand_limit", "north")


def test_r8_7_equal_at_the_target_in_the_last_hand_is_a_draw() -> None:
    assert _result((5, 8, 5), rules={"max_hands": 1}, north=(450, 0), south=(420, 0)) == Result("hand_limit", None)


def test_people_stalled_two_claims_make_one_end() -> None:
    game = given(rules={"turn_seconds": 60})
    game.now += 60_000
    claimer = other(game.turn)
    game.play(claimer, CLAIM)
    game.refused(claimer, CLAIM, "game_over")
    assert sum(isinstance(event.data, GameEnded) for event in game.events) == 1


def test_nothing_is_legal_after_the_end() -> None:
    game = hands((5, 8, 5), rules={"target": 50})
    for seat in SEATS:
        for move in (moves.Look(), moves.Keep(), moves.Bid(3), RESIGN, CLAIM):
            game.refused(seat, move, "game_over")
    assert not options(game.table.open, "north", game.table.north)


def test_waiting_for_the_other_seat_nothing_can_be_done() -> None:
    game = Game()
    for move in (moves.Look(), moves.Keep(), moves.Bid(3)):
        game.refused("north", move, "wrong_phase")
