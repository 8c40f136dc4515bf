"""Disputes and corrections as decisions: given a game, when somebody disputes or settles, then these events or this refusal."""

import re
from typing import Any

import pytest

from events.cards import Seat
from events.types import ClaimedScore, DisputeNote, DisputeOpened, DisputeSettled, Line, ScoreCorrected, data_of
from projections.fold import fold
from projections.legal import options
from projections.table import empty
from projections.view import deadline, view
from service.games import moves
from service.games.refusals import Refused
from tests.kit.assertions import codes_of, folded, plain
from tests.kit.disputes import Corrections, Verdict, claim, miscounted, miscounting, more, opened, settled
from tests.kit.entropy import Scripted
from tests.kit.forged import groups_of
from tests.kit.games import Game
from tests.kit.given import bid, given, hand, hand_stock, hands, keep_all, play_out
from tests.kit.logs import GAME
from tests.kit.random_games import random_game


def refused(code: str, act: Any, *args: Any, **more: Any) -> str:
    """The sentence of a refusal with this code."""
    with pytest.raises(Refused) as caught:
        act(*args, **more)
    assert caught.value.code == code, caught.value.message
    return caught.value.message


# Opening --------------------------------------------------------------------------------------------------------------


def test_a_dispute_names_the_moment_it_is_about_and_seals_the_note() -> None:
    game = hands((5, 5, 6), (5, 5, 6))
    event = opened(game, "south", position="1.s", note="I had five!", claimed=claim(south=63))
    scored = game.table.open.scores[0].version
    head = game.log()[[commit.seq for commit in game.log()].index(scored + 1)]  # the score and the next hand are one commit
    assert head.seq == scored + 1
    assert isinstance(event.data, DisputeOpened)
    assert (event.data.n, event.data.seat, event.data.version) == (1, "south", scored)
    assert event.secret == DisputeNote("I had five!")
    assert event.owner == "house"
    assert b"five" not in game.log()[-1].events[0].public
    assert game.table.open.disputes[0].hand == 1
    assert not codes_of(groups_of(game))


def test_without_a_position_it_is_about_now() -> None:
    game = hands((5, 5, 6))
    before = game.table.open.version
    assert opened(game, "north").data.version == before  # type: ignore[attr-defined]
    assert game.table.open.disputes[0].hand == 2, "the hand that has just begun"


@pytest.mark.parametrize("seat", ["north", "south"])
def test_a_dispute_changes_nothing_of_the_play_and_moves_no_deadline(seat: Seat) -> None:
    game = given(rules={"turn_seconds": 60}, bids={"north": 5, "south": 5})
    before, limit = game.table, deadline(game.table.open)
    legal = options(before.open, game.turn, before.own(game.turn))
    game.now += 59_000
    opened(game, seat)
    settled(game, 1)
    o = game.table.open
    assert deadline(o) == limit is not None
    assert (o.turn, o.phase, o.trick, o.played_at) == (
        before.open.turn,
        before.open.phase,
        before.open.trick,
        before.open.played_at,
    )
    assert options(o, game.turn, game.table.own(game.turn)) == legal
    assert o.at == game.now
    game.now += 1_001
    game.play("north" if game.turn == "south" else "south", moves.ClaimTimeout())
    assert game.table.open.result is not None
    assert not codes_of(groups_of(game)), "the audit counts from the last move too"


def test_play_goes_on_around_a_dispute_and_nothing_else_follows_the_end() -> None:
    game = random_game(3, {"max_hands": 2}, each=lambda game: _dispute_now_and_then(game))
    assert len(game.table.open.disputes) >= 2
    opened(game, "north")
    settled(game, len(game.table.open.disputes))
    assert game.table.open.phase == "ended"
    game.refused("north", moves.Resign(), "game_over")
    assert folded(game.log()) == game.table
    assert not codes_of(groups_of(game))


def _dispute_now_and_then(game: Game) -> None:
    o = game.table.open
    if o.hand and o.version % 41 == 0 and not any(d.settled is None for d in o.disputes):
        opened(game, "north" if o.version % 2 else "south")
    elif o.version % 17 == 0 and o.disputes and o.disputes[-1].settled is None:
        settled(game, len(o.disputes))


def test_a_seat_has_one_open_dispute_about_a_hand() -> None:
    game = hands((5, 5, 6), (5, 5, 6))
    opened(game, "south", position="1.s")
    assert "dispute 1 about hand 1" in refused("dispute_open", opened, game, "south", position="1.5.2")
    opened(game, "south", position="2.s")
    opened(game, "north", position="1.s")
    settled(game, 1)
    opened(game, "south", position="1")
    assert not codes_of(groups_of(game))


def test_a_game_has_twenty_disputes_and_no_more() -> None:
    game = Game().join()
    for n in range(1, 21):
        opened(game, "north")
        settled(game, n)
    assert "20 disputes" in refused("too_many_disputes", opened, game, "south")
    assert not codes_of(groups_of(game))


@pytest.mark.parametrize(
    ("code", "wanted", "said"),
    [
        ("bad_claim", {"claimed": ClaimedScore()}, "nothing is claimed"),
        ("bad_claim", {"claimed": data_of(ClaimedScore, {"hands": [{"hand": 1, "north": {}}]})}, "nothing is claimed"),
        ("bad_claim", {"claimed": data_of(ClaimedScore, {"hands": [{"hand": 2, "north": {"bags": 1}}]})}, "no score of hand 2"),
        ("bad_claim", {"claimed": data_of(ClaimedScore, {"hands": [{"hand": 1, "north": {"bags": 1}}] * 2})}, "named twice"),
        ("invalid", {"position": "7.s"}, "this game has no 7.s"),
        ("invalid", {"position": "yesterday"}, "is no position"),
    ],
)
def test_a_claim_that_cannot_be_compared_is_no_dispute(code: str, wanted: dict[str, Any], said: str) -> None:
    game = hands((5, 5, 6))
    assert said in refused(code, opened, game, "north", **wanted)
    assert not game.table.open.disputes


def test_nobody_disputes_a_game_that_has_not_begun() -> None:
    refused("wrong_phase", opened, Game(), "north")


# Settling and correcting ------------------------------------------------------------------------------------------------


def test_a_settlement_is_final() -> None:
    game = hands((5, 5, 6))
    refused("no_such_dispute", settled, game, 1)
    opened(game, "north")
    (event,) = settled(game, 1, "upheld", reason="Yes.")
    assert event.data == DisputeSettled(1, "upheld", "Yes.")
    assert "upheld at v" in refused("dispute_settled", settled, game, 1, "rejected")


def line(game: Game, number: int, seat: Seat) -> Line:
    return game.table.open.scores[number - 1].line(seat)


def test_a_wrong_line_is_put_right_and_the_later_ones_follow() -> None:
    right = hands((5, 5, 6), (3, 4, 7), (5, 5, 6), rules={"max_hands": 3})
    game = miscounted((5, 5, 6), (3, 4, 7), (5, 5, 6), rules={"max_hands": 3})
    assert line(game, 3, "south").total == line(right, 3, "south").total + 100
    opened(game, "north")
    due = line(right, 1, "south").points - line(right, 1, "south").penalty
    one, two = settled(game, 1, "upheld", corrections={(1, "south"): due})
    assert isinstance(one.data, DisputeSettled)
    assert isinstance(two.data, ScoreCorrected)
    assert two.at == one.at
    o, r = game.table.open, right.table.open
    assert [(s.north, s.south) for s in o.scores] == [(s.north, s.south) for s in r.scores]
    assert (o.north.total, o.south.total, o.south.bags) == (r.north.total, r.south.total, r.south.bags)
    assert (two.data.totals.south, two.data.bags.south) == (r.south.total, r.south.bags)
    assert o.phase == "ended", "a correction does not reopen a game"
    assert o.result is not None
    assert o.result.corrected
    assert o.result.winner == r.result.winner  # type: ignore[union-attr]
    assert fold(empty(GAME), game.events).open == o


def test_the_winner_follows_the_corrected_score() -> None:
    rules = {"max_hands": 1}
    game = miscounted((7, 6, 7), rules=rules, wrong=more(50))
    assert game.table.open.result.winner == "south"  # type: ignore[union-attr]
    opened(game, "north")
    *_, event = settled(game, 1, "upheld", corrections={(1, "south"): 60})
    assert event.data.winner == "north"  # type: ignore[attr-defined]
    assert game.table.open.result.winner == "north"  # type: ignore[union-attr]
    assert plain(view(game.table.open, "", None))["result"] == {"reason": "hand_limit", "winner": "north", "corrected": True}


def test_who_resigned_has_lost_whatever_the_score() -> None:
    game = miscounted((7, 6, 7), wrong=more(500))
    assert game.table.open.result is not None
    game = miscounted((7, 6, 7), wrong=more(50))
    game.play("south", moves.Resign())
    opened(game, "south")
    *_, event = settled(game, 1, "upheld", corrections={(1, "south"): 60})
    assert event.data.winner == "north"  # type: ignore[attr-defined]
    assert not codes_of(groups_of(game))


def test_a_correction_while_play_goes_on_is_what_the_next_hand_builds_on() -> None:
    rules = {"target": 130, "bag_limit": 3}
    right = hands((5, 5, 6), (5, 5, 6), rules=rules)
    stocks = {1: hand_stock(6, "north"), 2: hand_stock(6, "south")}
    game = Game(rules, entropy=Scripted(stocks=stocks)).join()
    with miscounting(more(10, 1)):
        hand(game, 5, 5, 6)
    keep_all(game)
    opened(game, "north")
    settled(game, 1, "upheld", corrections={(1, "south"): 52})
    assert (game.table.open.south.total, game.table.open.south.bags) == (52, 2)
    bid(game, {"north": 5, "south": 5})
    play_out(game, 6)
    assert line(game, 2, "south") == line(right, 2, "south")
    assert line(game, 2, "south").penalty, "the fourth bag costs points, the one that was never there none"


def test_a_correction_never_ends_a_game() -> None:
    game = miscounted((7, 6, 7), rules={"target": 60, "bag_limit": 0}, wrong=more(-40))
    assert game.table.open.result is not None, "north has 70 of 60"
    game = miscounted((4, 6, 7), rules={"target": 50, "bag_limit": 0}, wrong=more(-40))
    assert game.table.open.phase == "draft"
    opened(game, "south")
    settled(game, 1, "upheld", corrections={(1, "south"): 60})
    assert (game.table.open.south.total, game.table.open.phase) == (60, "draft")


@pytest.mark.parametrize(
    ("corrections", "said"),
    [
        ({(1, "south"): 50}, r"the plays make it \+52, not \+50"),
        ({(1, "north"): 51}, "nothing to correct"),
        ({(2, "south"): 52}, "the first of south's lines that is wrong is that of hand 1"),
        ({(3, "south"): 52}, "scores of 2 hands"),
        ({(1, "south"): 52, (2, "south"): 52}, "nothing to correct"),
    ],
)
def test_only_what_the_plays_make_it_may_be_written(corrections: Corrections, said: str) -> None:
    game = miscounted((5, 5, 6), (5, 5, 6), wrong=more(10))
    opened(game, "south")
    before = game.table
    assert re.search(said, refused("unfounded_correction", settled, game, 1, "upheld", corrections=corrections))
    assert game.table == before


@pytest.mark.parametrize("verdict", ["upheld", "rejected"])
def test_both_seats_are_put_right_in_one_settlement_under_either_verdict(verdict: Verdict) -> None:
    game = miscounted((5, 5, 6), wrong=more(10))
    right = hands((5, 5, 6))
    both = miscounted((5, 5, 6), wrong=more(10), seat="north")
    for wrong, seat in ((game, "south"), (both, "north")):
        opened(wrong, "north")
        points = line(right, 1, seat).points  # type: ignore[arg-type]
        assert len(settled(wrong, 1, verdict, corrections={(1, seat): points})) == 2  # type: ignore[dict-item]
        assert line(wrong, 1, seat) == line(right, 1, seat)  # type: ignore[arg-type]
