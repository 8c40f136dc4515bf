"""rules.md §6: the play of a hand. A test bears the number of its paragraph; cases people met elsewhere name their topic."""

from events.cards import SEATS, Card, suit
from events.types import CardPlayed, HandScored
from projections.audit import audit, from_commits
from projections.view import view
from service.games import moves
from tests.kit.assertions import folded
from tests.kit.entropy import Scripted, cards
from tests.kit.forged import edited, groups_of, place_of, seq_at
from tests.kit.games import Game
from tests.kit.given import bid, given, hands, keep_all, stock_for
from tests.kit.logs import GAME, chained

BIDS = {"north": 3, "south": 3}
CLUBS = "AC KC QC JC TC 9C 8C 7C 6C 5C 4C 3C"


def test_r6_1_the_second_player_leads_first_and_then_the_winner_of_each_trick() -> None:
    game = given("AC 2H AD", "5C KH 3D", bids=BIDS)
    assert game.turn == "south"
    game.refused("north", moves.Play(Card("AC")), "not_your_turn")
    assert game.trick("5C", "AC") == "north" == game.turn
    assert game.trick("2H", "KH") == "south" == game.turn
    first_is_south = given(first="south", bids=BIDS)
    assert first_is_south.turn == "north"


def test_r6_2_who_can_follow_must() -> None:
    game = given("4H 2S AC", "KH", bids=BIDS)
    game.card("KH")
    assert all(suit(card) == "H" for card in game.playable)
    error = game.refused("north", moves.Play(Card("2S")), "must_follow_suit")
    assert "4H" in error.message
    game.card("4H")


def test_r6_2_who_cannot_follow_plays_any_card_a_spade_included_from_the_first_trick_on() -> None:
    game = given(f"{CLUBS} 2S", "KH", bids=BIDS)
    game.card("KH")
    assert game.table.open.trick is not None
    assert game.table.open.trick.number == 1
    assert game.playable == game.table.north.hand
    assert game.trick("2S") == "north"


def test_r6_3_the_highest_card_of_the_suit_led_takes_a_trick_without_spades() -> None:
    assert given("9H", "TH", bids=BIDS).trick("TH", "9H") == "south"
    assert given("AH", "TH", bids=BIDS).trick("TH", "AH") == "north"


def test_r6_3_an_off_suit_discard_never_wins() -> None:
    assert given(f"{CLUBS} 2C", "2H", bids=BIDS).trick("2H", "AC") == "south"


def test_r6_3_a_spade_takes_a_trick_of_another_suit_and_the_higher_spade_one_of_spades() -> None:
    assert given(f"{CLUBS} 2S", "AH", bids=BIDS).trick("AH", "2S") == "north"
    game = given("KS", "AS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AH", bids=BIDS)
    game.table = game.table.but(open=game.table.open.but(broken=True))
    assert game.trick("QS", "KS") == "north"


def test_r6_4_spades_may_not_be_led_until_broken() -> None:
    game = given("", "2S AH", bids=BIDS)
    assert Card("2S") not in game.playable
    error = game.refused("south", moves.Play(Card("2S")), "spades_not_broken")
    assert "not broken yet: lead one of" in error.message
    assert "AH" in error.message
    assert "2S" not in error.message


def test_r6_4_who_holds_nothing_but_spades_may_lead_them() -> None:
    spades = "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    game = given("", spades, bids=BIDS)
    assert set(game.playable) == set(cards(spades))
    game.card("2S")
    assert game.table.open.broken


def test_r6_5_a_spade_on_another_suit_breaks_spades_and_then_they_may_be_led() -> None:
    game = given("AC KC QC JC TC 9C 8C 7C 6C 5C 4C 3D 2S", "AH 3S AD", bids=BIDS)
    assert Card("3S") not in game.playable
    game.card("AH")
    assert not game.table.open.broken
    game.card("2S")
    assert game.table.open.broken
    assert game.trick("3D", "AD") == "south"
    assert game.playable == game.table.south.hand
    game.card("3S")


def test_r6_5_following_and_discarding_break_nothing() -> None:
    game = given(f"{CLUBS} 2S", "AH KH 3S", bids=BIDS)
    game.card("AH", "AC")
    assert not game.table.open.broken
    game.refused("south", moves.Play(Card("3S")), "spades_not_broken")


def test_r6_6_broken_is_forgotten_at_the_end_of_the_hand_also_by_a_rebuilt_table() -> None:
    hearts = cards("AH KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H")
    second = stock_for(cards("2S 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"), hearts, "south")
    entropy = Scripted(stocks={1: stock_for(cards(f"{CLUBS} 2S"), hearts), 2: second})
    game = Game(entropy=entropy).join()
    keep_all(game)
    bid(game, BIDS)
    game.card("AH", "2S")
    assert game.table.open.broken
    while game.table.open.hand == 1:
        game.card(game.playable[0])
    keep_all(game)
    bid(game, BIDS)
    assert (game.table.open.hand, game.turn, game.table.open.broken) == (2, "north", False)
    game.refused("north", moves.Play(Card("2S")), "spades_not_broken")
    assert folded(game.log()) == game.table


def test_r6_7_thirteen_tricks_make_a_hand_and_the_26th_card_scores_it() -> None:
    game = hands((5, 5, 6))
    plays = [event.data for event in game.events if isinstance(event.data, CardPlayed)]
    assert [play.trick for play in plays] == [trick for trick in range(1, 14) for _ in SEATS]
    assert sum(isinstance(event.data, HandScored) for event in game.events) == 1


# people.json


def test_people_follow_a_revoke_is_refused_and_a_log_that_holds_one_is_reported_with_the_hand() -> None:
    game = given("4H 2S", "KH", bids=BIDS)
    game.card("KH")
    game.refused("north", moves.Play(Card("2S")), "must_follow_suit")
    assert game.turn == "north"
    game.card("4H")
    groups = groups_of(game)
    place = place_of(groups, lambda event: isinstance(event.data, CardPlayed) and event.data.card == "4H")
    lied = edited(groups, place, data={"card": Card("2S")})
    (finding,) = audit(from_commits(GAME, chained(lied))).findings
    assert (finding.code, finding.position, finding.version) == ("revoke", "1.1.2", seq_at(groups, place))
    assert "2S" in finding.message
    assert "the hand:" in finding.message
    assert "4H" in finding.message


def test_people_broken_of_two_spades_left_exactly_these_two_are_legal_and_the_lead_breaks() -> None:
    game = given("", "2S 9S", bids=BIDS)
    game.table = game.table.with_own("south", hand=cards("2S 9S"))
    assert game.playable == cards("2S 9S")
    game.card("9S")
    assert game.table.open.broken


def test_people_trick_winners_lead_and_a_discard_never_wins() -> None:
    game = given("AC 2H 9S", "5C 3S AS 4D 5D 6D 7D 8D 9D TD JD QD KD", bids=BIDS)
    assert game.trick("5C", "AC") == "north"
    assert game.trick("2H", "3S") == "south"
    assert game.trick("AS", "9S") == "south" == game.turn
    o = game.table.open
    assert (o.north.tricks, o.south.tricks) == (1, 2)


def test_people_end_of_hand_one_score_no_14th_trick_and_the_last_trick_stays_readable_after_the_end() -> None:
    game = hands((5, 8, 5), rules={"target": 50})
    names = [event.type.name for event in game.commits[-1]]
    assert names == ["card_played", "hand_scored", "game_ended"]
    seen = view(game.table.open, "", None)
    assert seen.last_trick.number == 13
    assert len(seen.last_trick.cards) == 2
    assert seen.trick is None
    game.refused("north", moves.Play(Card("AS")), "game_over")


def test_people_end_of_hand_the_next_hand_starts_in_the_same_commit() -> None:
    game = given(bids=BIDS)
    while game.table.open.hand == 1:
        game.card(game.playable[0])
    assert [event.type.name for event in game.commits[-1]] == ["card_played", "hand_scored", "hand_started"]
    assert game.table.open.trick is None


def test_people_blind_the_guard_is_the_stored_event() -> None:
    game = Game().join()
    game.play("north", moves.Look())
    rebuilt = folded(game.log())
    assert rebuilt == game.table
    game.table = rebuilt  # on another device, after a restart
    game.refused("north", moves.DoubleNil(), "wrong_phase")
    game.play("north", moves.Keep())
    game.play("south", moves.DoubleNil())


def test_people_restart_the_drawn_card_and_the_stock_are_the_same_after_a_restart() -> None:
    game = Game().join()
    game.play("north", moves.Look())
    rebuilt = folded(game.log())
    assert rebuilt.north.drawn == game.table.north.drawn is not None
    assert rebuilt.house.stock == game.table.house.stock


def test_people_double_submit_a_second_keep_is_refused_and_uses_up_no_card() -> None:
    game = Game().join()
    game.play("north", moves.Look(), moves.Keep())
    game.refused("north", moves.Keep(), "not_your_turn")
    assert game.table.open.stock_left == 50


def test_people_seat_nobody_moves_for_the_other() -> None:
    game = given("AH", "KH", bids=BIDS)
    game.refused("north", moves.Play(Card("KH")), "not_your_turn")
    game.card("KH")
    game.refused("north", moves.Play(Card("KH")), "card_not_held")


def test_people_types_a_text_that_is_no_card_is_not_held() -> None:
    game = given(bids=BIDS)
    for text in ("10S", "s2", "QS ", "", "Q" * 10_000):
        game.refused("south", moves.Play(Card(text)), "card_not_held")
