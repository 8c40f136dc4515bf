"""The audit of scores and ends: every figure of a score, who won, why, with what totals. Chain and receipts are in order."""

from typing import Any

import msgspec
import pytest

from events.cards import SEATS, Seat, other
from events.types import GameEnded, HandScored, Totals
from projections.audit import audit, from_commits
from service.games import moves
from tests.kit.assertions import codes_of, found_of
from tests.kit.forged import Groups, edited, groups_of, is_a, place_of
from tests.kit.games import Game
from tests.kit.given import given, hands
from tests.kit.logs import GAME, START, chained
from tests.kit.random_games import random_game

SCORED = hands((4, 9, 6), (3, 5, 8), rules={"max_hands": 2, "bag_limit": 5})
GROUPS = groups_of(SCORED)
LAST = place_of(GROUPS, is_a(HandScored), 1)
FIGURES = ["bid", "tricks", "points", "new_bags", "penalty", "total", "bags"]


def _line(groups: Groups, place: tuple[int, int], seat: Seat, **changes: Any) -> Groups:
    data = groups[place[0]][place[1]].data
    assert isinstance(data, HandScored)
    line = msgspec.structs.replace(getattr(data, seat), **changes)
    return edited(groups, place, data={seat: line})


def _ended(groups: Groups, **changes: Any) -> Groups:
    return edited(groups, place_of(groups, is_a(GameEnded)), data=changes)


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("figure", FIGURES)
def test_each_figure_of_a_score_that_is_wrong_is_named_with_what_the_plays_make_it(figure: str, seat: Seat) -> None:
    data = GROUPS[LAST[0]][LAST[1]].data
    assert isinstance(data, HandScored)
    right = getattr(getattr(data, seat), figure)
    groups = _line(GROUPS, LAST, seat, **{figure: right + 1})
    if figure == "total":
        totals = {each: getattr(data, each).total + (each == seat) for each in SEATS}
        groups = _ended(groups, totals=Totals(**totals))
    (finding,) = found_of(groups)
    assert (finding.code, finding.position) == ("wrong_score", "2.s")
    assert finding.message.startswith(
        f"{seat} in hand 2: recorded {figure} {right + 1}; the plays make it {figure} {right} (bid "
    )


def test_a_wrong_score_says_the_arithmetic() -> None:
    (finding,) = found_of(_line(GROUPS, LAST, "north", points=99))
    assert "bid 3, 8 tricks: 3×10 +5 bags = +35; bags 2+5 = 7 → −100; 42 → −23" in finding.message


@pytest.mark.parametrize(
    ("north", "takes", "rules", "said"),
    [
        (0, 0, {}, "nil made = +100"),
        (0, 3, {}, "nil failed = −100"),
        (0, 3, {"failed_nil": "bags_and_points"}, "nil failed = −100; +3 for the tricks = −97"),
        ("double_nil", 2, {"failed_nil": "bags"}, "double nil failed = −200"),
        (7, 3, {}, "set, −7×10 = −70"),
        (6, 7, {}, "6×10 +1 bag = +61"),
        (6, 6, {}, "6×10 = +60"),
    ],
)
def test_the_arithmetic_of_the_audit_is_the_one_of_the_hand(
    north: int | str, takes: int, rules: dict[str, Any], said: str
) -> None:
    groups = groups_of(hands((north, 5, takes), rules=rules))
    (finding,) = audit(
        from_commits(GAME, chained(_line(groups, place_of(groups, is_a(HandScored)), "north", points=999)))
    ).findings
    assert f"{takes} tricks: {said}; 0 → " in finding.message


def test_both_lines_wrong_are_two_findings() -> None:
    groups = _line(_line(GROUPS, LAST, "north", points=1), LAST, "south", points=2)
    assert codes_of(groups) == [("wrong_score", "2.s"), ("wrong_score", "2.s")]


def test_a_wrong_total_of_an_early_hand_is_found_there_and_where_it_was_not_carried_on() -> None:
    groups = _line(GROUPS, place_of(GROUPS, is_a(HandScored)), "north", total=999)
    assert codes_of(groups)[:2] == [("wrong_score", "1.s"), ("game_not_ended", f"v{_started_2()}")]


def _started_2() -> int:
    return next(event.seq for event in SCORED.events if event.type.name == "hand_started" and event.data.hand == 2)  # type: ignore[attr-defined]


def _end(groups: Groups) -> str:
    return f"v{sum(len(group) for group in groups)}"


@pytest.mark.parametrize("winner", ["south", None])
def test_a_wrong_winner_is_found(winner: Seat | None) -> None:
    data = GROUPS[-1][-1].data
    assert isinstance(data, GameEnded)
    assert data.winner == "north"
    (finding,) = found_of(_ended(GROUPS, winner=winner))
    assert (finding.code, finding.position) == ("wrong_winner", _end(GROUPS))
    assert finding.message.startswith(f"{winner or 'nobody'} is given as the winner, but north won with ")


def test_a_winner_of_a_draw_is_found() -> None:
    game = hands((5, 8, 5), (8, 5, 8), rules={"max_hands": 2})
    groups = groups_of(game)
    assert codes_of(groups) == []
    assert codes_of(_ended(groups, winner="north")) == [("wrong_winner", _end(groups))]


@pytest.mark.parametrize("seat", SEATS)
def test_wrong_totals_at_the_end_are_found(seat: Seat) -> None:
    data = GROUPS[-1][-1].data
    assert isinstance(data, GameEnded)
    totals = msgspec.structs.replace(data.totals, **{seat: getattr(data.totals, seat) + 1})
    assert codes_of(_ended(GROUPS, totals=totals)) == [("wrong_totals", _end(GROUPS))]


@pytest.mark.parametrize("reason", ["target", "floor", "abandoned"])
def test_a_wrong_reason_is_found(reason: str) -> None:
    (finding,) = found_of(_ended(GROUPS, reason=reason))
    assert (finding.code, finding.position) == ("wrong_end", _end(GROUPS))
    assert finding.message.startswith(f"the end is given as {reason} after hand 2, but with ")
    assert finding.message.endswith("it ends by hand_limit")


@pytest.mark.parametrize("reason", ["resigned", "timed_out"])
def test_a_game_that_was_played_to_its_end_was_not_given_up(reason: str) -> None:
    data = GROUPS[-1][-1].data
    assert isinstance(data, GameEnded)
    assert data.winner is not None
    assert codes_of(_ended(GROUPS, reason=reason, by=other(data.winner))) == [("wrong_end", _end(GROUPS))]


def test_somebody_named_as_who_stopped_a_game_that_was_played_to_its_end_is_found() -> None:
    assert codes_of(_ended(GROUPS, by="north")) == [("wrong_end", _end(GROUPS))]


def test_a_game_ended_although_it_goes_on_is_found() -> None:
    rules = {**GROUPS[0][0].data.rules, "max_hands": 3}  # type: ignore[attr-defined]
    (finding,) = found_of(edited(GROUPS, (0, 0), data={"rules": rules}))
    assert (finding.code, finding.position) == ("wrong_end", _end(GROUPS))
    assert "the game goes on" in finding.message


@pytest.mark.parametrize("reason", ["target", "floor", "hand_limit"])
def test_a_game_does_not_end_by_its_score_inside_a_hand(reason: str) -> None:
    game = given()
    game.play("north", moves.Resign())
    groups = _ended(groups_of(game), reason=reason, by=None)
    assert codes_of(groups) == [("wrong_end", _end(groups))]


# Resigned, timed out, abandoned -----------------------------------------------------------------------------------------


def _resigned() -> Groups:
    game = given()
    game.play("north", moves.Resign())
    return groups_of(game)


LIES: list[dict[str, Any]] = [
    {"winner": "north"},
    {"winner": None},
    {"by": "south"},
    {"by": None},
    {"winner": "north", "by": None},
]


@pytest.mark.parametrize("changes", LIES)
def test_who_resigns_does_not_win_and_is_named(changes: dict[str, Any]) -> None:
    groups = _resigned()
    assert codes_of(groups) == []
    assert codes_of(_ended(groups, **changes)) == [("wrong_winner", _end(groups))]


def test_the_totals_of_a_resigned_game_are_those_of_its_hands() -> None:
    groups = _resigned()
    assert codes_of(_ended(groups, totals=Totals(0, 1))) == [("wrong_totals", _end(groups))]


def test_nobody_resigns_to_an_empty_seat() -> None:
    game = Game()
    game.play("north", moves.Resign())
    groups = groups_of(game)
    assert codes_of(groups) == []
    assert codes_of(_ended(groups, reason="resigned", winner="south")) == [("wrong_winner", _end(groups))]


def test_an_abandoned_game_has_no_winner() -> None:
    game = Game()
    game.play("north", moves.Resign())
    for groups in (groups_of(game), _ended(_resigned(), reason="abandoned", by=None)):
        assert codes_of(_ended(groups, winner="north")) == [("wrong_winner", _end(groups))]
        assert codes_of(_ended(groups, winner=None)) == []


def test_only_who_was_to_move_can_have_left_a_game() -> None:
    alone = Game()
    alone.play("north", moves.Resign())
    assert codes_of(_ended(groups_of(alone), by="south")) == [("wrong_end", _end(groups_of(alone)))]
    for seat, codes in (("north", []), ("south", ["wrong_end"])):
        game = Game().join()
        game.play("north", moves.Resign())
        left = _ended(groups_of(game), reason="abandoned", winner=None, by=seat)
        assert [code for code, _ in codes_of(left)] == codes


def _late(early: int = 0, rules: dict[str, int] | None = None) -> Groups:
    game = Game({"turn_seconds": 60} if rules is None else rules).join()
    game.now = START + 60_000
    game.play("south", moves.ClaimTimeout())
    groups = groups_of(game)
    return edited(groups, place_of(groups, is_a(GameEnded)), at=START + 60_000 - early)


def test_a_time_out_in_time_is_ok_and_one_too_early_is_found_with_how_much() -> None:
    assert codes_of(_late()) == []
    (finding,) = found_of(_late(1))
    assert (finding.code, finding.position) == ("wrong_end", _end(_late()))
    assert "1 ms too early" in finding.message


def test_a_time_out_of_the_seat_that_was_not_on_turn_is_found() -> None:
    groups = _ended(_late(), by="south", winner="north")
    assert codes_of(groups) == [("wrong_end", _end(groups))]


def test_a_time_out_in_a_game_without_a_limit_is_found() -> None:
    groups = _late()
    data = groups[0][0].data
    rules = {name: value for name, value in data.rules.items() if name != "turn_seconds"}  # type: ignore[attr-defined]
    groups = edited(groups, (0, 0), data={"rules": rules})
    assert codes_of(groups) == [("wrong_end", _end(groups))]


def test_a_time_out_that_the_late_seat_wins_is_found() -> None:
    groups = _ended(_late(), winner="north")
    assert codes_of(groups) == [("wrong_winner", _end(groups))]


def test_a_reveal_that_never_came_ends_the_game_after_24_hours_and_not_before() -> None:
    game = Game(contributions=["north"]).sit_down()
    game.now += 24 * 60 * 60 * 1000
    game.play("south", moves.ClaimTimeout())
    groups = groups_of(game)
    assert codes_of(groups) == []
    early = edited(groups, place_of(groups, is_a(GameEnded)), at=game.now - 1)
    assert codes_of(early) == [("wrong_end", _end(groups))]


@pytest.mark.parametrize("seed", range(4))
def test_a_wrong_figure_in_any_hand_of_a_random_game_is_found_there(seed: int) -> None:
    game = random_game(seed, {"max_hands": 3, "failed_nil": "bags_and_points", "bag_limit": 3})
    groups = groups_of(game)
    hand = 1 + seed % game.table.open.hand
    place = place_of(groups, is_a(HandScored, hand=hand))
    assert codes_of(_line(groups, place, "south", points=-999)) == [("wrong_score", f"{hand}.s")]
