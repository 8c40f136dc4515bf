"""rules.md §1 to §5: the game, the draft, double nil, the exchange, the bids. A test bears the number of its paragraph."""

import pytest

from events.cards import DECK, SEATS, Card, Seat, other
from events.types import CardDiscarded, CardKept, CardsExchanged, Exchanged, HandStarted, OneCard
from projections.view import view
from service.games import moves
from tests.kit.assertions import hand_events, plain
from tests.kit.entropy import Scripted, cards
from tests.kit.games import Game
from tests.kit.given import bid, given, hands, keep_all
from tests.kit.random_games import random_game

LOOK, DOUBLE_NIL, KEEP, PASS = moves.Look(), moves.DoubleNil(), moves.Keep(), moves.Pass()


def _kinds(game: Game) -> list[str]:
    return [option.type for option in game.legal]


def _you(game: Game, seat: Seat) -> dict[str, object]:
    seen: dict[str, object] = plain(view(game.table.open, "", None, seat, game.table.own(seat)))["you"]
    return seen


# §1 The game


def test_r1_1_the_deck_is_52_cards_the_ace_high_and_the_2_low_and_spades_are_trumps() -> None:
    assert len(set(DECK)) == 52
    game = given("AH 2C", "KH 2S", bids={"north": 1, "south": 1})
    assert game.trick("KH", "AH") == "north"
    game = given("3H 2H", "2S 3C", bids={"north": 1, "south": 1})
    assert game.trick("3C", "2C" if Card("2C") in game.table.north.hand else game.table.north.hand[0]) == "south"


def test_r1_2_the_first_to_reach_the_target_wins() -> None:
    game = hands((5, 8, 5), rules={"target": 80})
    assert game.table.open.result is not None
    assert (game.table.open.result.reason, game.table.open.result.winner) == ("target", "south")
    assert hands((5, 8, 5), rules={"target": 81}).table.open.phase == "draft"


@pytest.mark.parametrize("first", SEATS)
def test_r1_3_hand_1_has_the_first_player_the_game_was_created_with(first: Seat) -> None:
    game = Game(first=first).join()
    assert (game.table.open.hand_first, game.turn) == (first, first)


@pytest.mark.parametrize("first", SEATS)
def test_r1_4_the_roles_swap_after_each_hand(first: Seat) -> None:
    game = hands((5, 5, 6), (5, 5, 6), (5, 5, 6), first=first)
    assert [start.first for start in hand_events(game)] == [first, other(first), first, other(first)]


# §2 The draft


def test_r2_1_nobody_is_dealt_a_card_and_the_whole_deck_is_the_stock() -> None:
    game = Game().join()
    started = game.commits[-1][-1]
    assert isinstance(started.data, HandStarted)
    assert set(game.table.house.stock or ()) == set(DECK)
    assert game.table.open.stock_left == 52
    assert game.table.north.hand == game.table.south.hand == ()


def test_r2_2_who_keeps_takes_the_first_card_and_the_next_goes_face_down_on_the_pile() -> None:
    game = Game(entropy=Scripted(stocks={1: DECK})).join()
    game.play("north", LOOK)
    assert _you(game, "north")["drawn"] == "2C"
    kept, discarded = game.play("north", KEEP)
    assert isinstance(kept.data, CardKept)
    assert (kept.data.choice, kept.secret) == ("first", OneCard(Card("2C")))
    assert discarded.secret == OneCard(Card("3C"))
    assert game.table.north.hand == cards("2C")
    assert game.table.house.pile == cards("3C")


def test_r2_2_who_passes_puts_the_first_card_on_the_pile_and_must_take_the_next() -> None:
    game = Game(entropy=Scripted(stocks={1: DECK})).join()
    kept, discarded = game.play("north", LOOK, PASS)
    assert isinstance(kept.data, CardKept)
    assert (kept.data.choice, kept.secret) == ("second", OneCard(Card("3C")))
    assert (discarded.secret, discarded.owner) == (OneCard(Card("2C")), "north")
    assert game.table.north.hand == cards("3C")
    assert game.table.house.pile == cards("2C")
    assert game.table.north.drawn is None
    game.refused("north", KEEP, "not_your_turn")


def test_r2_3_every_turn_uses_two_cards_one_for_the_hand_and_one_for_the_pile() -> None:
    game = Game().join()
    for turn in range(1, 27):
        if not game.table.open.player(game.turn).looked:
            game.play(game.turn, LOOK)
        game.play(game.turn, KEEP if turn % 3 else PASS)
        held = len(game.table.north.hand) + len(game.table.south.hand)
        assert (held, len(game.table.house.pile or ())) == (turn, turn)
        assert game.table.open.stock_left in (52 - 2 * turn, 51 - 2 * turn)


def test_r2_4_the_players_take_13_turns_each_the_first_player_beginning() -> None:
    game, turns = Game(first="south").join(), []
    while game.table.open.phase == "draft":
        if not game.table.open.player(game.turn).looked:
            game.play(game.turn, LOOK)
        turns.append(game.turn)
        game.play(game.turn, KEEP)
    assert turns == ["south", "north"] * 13
    assert [len(game.table.own(seat).hand) for seat in SEATS] == [13, 13]
    assert len(game.table.house.pile or ()) == 26


@pytest.mark.parametrize(("second_card", "owner", "seen"), [("hidden", "house", []), ("seen", "north", ["3C"])])
def test_r2_5_the_card_behind_a_kept_one_is_seen_by_its_drawer_only_where_the_option_says_so(
    second_card: str, owner: str, seen: list[str]
) -> None:
    game = Game({"second_card": second_card}, entropy=Scripted(stocks={1: DECK})).join()
    _, discarded = game.play("north", LOOK, KEEP)
    assert discarded.owner == owner
    assert _you(game, "north")["discarded"] == seen
    assert _you(game, "south")["discarded"] == []


@pytest.mark.parametrize("second_card", ["hidden", "seen"])
def test_r2_5_a_card_passed_was_seen_by_its_drawer_whatever_the_option(second_card: str) -> None:
    game = Game({"second_card": second_card}, entropy=Scripted(stocks={1: DECK})).join()
    assert game.play("north", LOOK, PASS)[-1].owner == "north"
    assert _you(game, "north")["discarded"] == ["2C"]


def test_r2_6_whether_a_card_was_kept_is_open_and_which_it_was_is_not() -> None:
    game = Game(entropy=Scripted(stocks={1: DECK})).join()
    game.play("north", LOOK, PASS)
    kept, discarded = (event for event in game.seen("south")[-2:])
    assert isinstance(kept.data, CardKept)
    assert kept.data.choice == "second"
    assert isinstance(discarded.data, CardDiscarded)
    assert (kept.secret, discarded.secret) == (None, None)


def test_r2_7_nothing_of_the_pile_comes_back_without_an_exchange() -> None:
    game = given(bids={"north": 6, "south": 6})
    pile = set(game.table.house.pile or ())
    played: list[Card] = []
    while game.table.open.phase == "play" and game.table.open.hand == 1:
        played.append(game.playable[0])
        game.card(game.playable[0])
    assert len(set(played)) == 26
    assert not pile & set(played)


# §3 Double nil


def test_r3_1_double_nil_is_bid_before_any_card_is_seen_and_then_shows_the_first_card() -> None:
    game = Game(entropy=Scripted(stocks={1: DECK})).join()
    assert _kinds(game) == ["look", "double_nil"]
    assert "drawn" not in _you(game, "north")
    game.play("north", DOUBLE_NIL)
    assert game.table.open.north.bid == "double_nil"
    assert _you(game, "north")["drawn"] == "2C"
    assert _kinds(game) == ["keep", "pass"]


def test_r3_1_a_double_nil_is_the_bid_of_the_hand() -> None:
    game = given(double_nil=["north"], rules={"exchange_max": 0})
    game.play("south", moves.Bid(3))
    assert game.table.open.phase == "play"
    assert game.table.open.north.bid == "double_nil"


def test_r3_2_looking_gives_the_right_up_for_this_hand() -> None:
    game = Game().join()
    game.play("north", LOOK)
    error = game.refused("north", DOUBLE_NIL, "wrong_phase")
    assert "before the first card" in error.message
    game.refused("north", LOOK, "wrong_phase")


def test_r3_2_the_answer_is_asked_for_once_and_every_hand_anew() -> None:
    game = Game().join()
    game.play("north", DOUBLE_NIL)
    game.refused("north", LOOK, "wrong_phase")
    game.refused("north", DOUBLE_NIL, "wrong_phase")
    game = hands((5, 5, 6))
    assert _kinds(game) == ["look", "double_nil"]


def test_r3_2_nothing_can_be_kept_before_the_answer() -> None:
    game = Game().join()
    game.refused("north", KEEP, "wrong_phase")
    game.refused("north", PASS, "wrong_phase")


def test_r3_3_the_second_player_may_bid_double_nil_after_the_first_has_drafted_until_its_own_look() -> None:
    game = Game().join()
    game.play("north", LOOK, KEEP)
    assert _kinds(game) == ["look", "double_nil"]
    game.play("south", DOUBLE_NIL, KEEP)
    assert game.table.open.south.bid == "double_nil"


def test_r3_3_both_may_bid_double_nil_in_the_same_hand() -> None:
    game = given(double_nil=["north", "south"], rules={"exchange_max": 0})
    assert (game.table.open.north.bid, game.table.open.south.bid) == ("double_nil", "double_nil")


# §4 The exchange


def test_r4_1_every_double_nil_bidder_has_one_exchange_before_any_bid_the_second_player_first() -> None:
    for first in SEATS:
        game = given(double_nil=["north", "south"], first=first)
        assert (game.table.open.phase, game.turn) == ("exchange", other(first))
        game.play(other(first), moves.Exchange(()))
        assert (game.table.open.phase, game.turn) == ("exchange", first)
        game.refused(other(first), moves.Exchange(()), "not_your_turn")
        game.play(first, moves.Exchange(()))
        assert game.table.open.phase == "play"


def test_r4_1_who_did_not_bid_double_nil_exchanges_nothing() -> None:
    game = given(double_nil=["north"])
    assert (game.table.open.phase, game.turn) == ("exchange", "north")
    game.refused("south", moves.Bid(3), "not_your_turn")
    game.play("north", moves.Exchange(()))
    assert (game.table.open.phase, game.turn) == ("bidding", "south")


def test_r4_1_without_cards_to_exchange_there_is_no_exchange_at_all() -> None:
    game = given(double_nil=["north", "south"], rules={"exchange_max": 0})
    assert game.table.open.phase == "play"
    assert not any(isinstance(event.data, CardsExchanged) for event in game.events)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_r4_2_none_to_three_cards_are_thrown_and_as_many_drawn(count: int) -> None:
    game = given("AS KS QS", double_nil=["north"])
    before = game.table.house.pile or ()
    thrown = cards("AS KS QS")[:count]
    (event,) = game.play("north", moves.Exchange(thrown))
    assert isinstance(event.secret, Exchanged)
    assert event.secret.discarded == thrown
    assert len(event.secret.drawn) == count
    assert set(event.secret.drawn) <= set(before)
    assert set(game.table.north.hand) >= set(event.secret.drawn)
    assert len(game.table.north.hand) == 13
    assert set(game.table.house.pile or ()) == (set(before) - set(event.secret.drawn)) | set(thrown)


def test_r4_2_a_fourth_card_a_card_twice_and_a_card_not_held_are_refused() -> None:
    game = given("AS KS QS JS", "AH", double_nil=["north"])
    game.refused("north", moves.Exchange(cards("AS KS QS JS")), "too_many_cards")
    game.refused("north", moves.Exchange(cards("AS AS")), "card_twice")
    game.refused("north", moves.Exchange(cards("AH")), "card_not_held")


def test_r4_2_a_card_just_thrown_is_never_drawn() -> None:
    for seed in range(60):
        game = random_game(seed, {"max_hands": 1}, most=26 + 2)
        while game.table.open.phase == "exchange":
            thrown = game.table.own(game.turn).hand[:3]
            (event,) = game.play(game.turn, moves.Exchange(thrown))
            assert isinstance(event.secret, Exchanged)
            assert not set(event.secret.drawn) & set(thrown)


def test_r4_2_what_the_first_to_exchange_throws_the_other_may_draw() -> None:
    game = given("AH", "AS", double_nil=["north", "south"])
    game.entropy.draws = [cards("2H"), cards("AS")]
    assert Card("2H") in (game.table.house.pile or ())
    game.play("south", moves.Exchange(cards("AS")))
    game.play("north", moves.Exchange(cards("AH")))
    assert Card("AS") in game.table.north.hand
    assert Card("AH") in (game.table.house.pile or ())


def test_r4_3_the_opponent_learns_how_many_cards_went_and_not_which() -> None:
    game = given("AS KS", double_nil=["north"])
    game.play("north", moves.Exchange(cards("AS KS")))
    event = game.seen("south")[-1]
    assert isinstance(event.data, CardsExchanged)
    assert (event.data.count, event.secret) == (2, None)
    assert view(game.table.open, "", None).seats["north"].exchanged == 2


# §5 The bids


@pytest.mark.parametrize("first", SEATS)
def test_r5_1_the_second_player_bids_first_and_each_bids_once(first: Seat) -> None:
    game = given(first=first)
    game.refused(first, moves.Bid(3), "not_your_turn")
    game.play(other(first), moves.Bid(7))
    game.refused(other(first), moves.Bid(3), "not_your_turn")
    game.play(first, moves.Bid(3))  # not higher than the other's
    assert game.table.open.phase == "play"


def test_r5_1_nobody_passes() -> None:
    game = given()
    game.refused("south", PASS, "wrong_phase")
    game.refused("south", moves.Play(game.table.south.hand[0]), "wrong_phase")


def test_r5_1_there_is_no_bidding_when_both_bid_double_nil() -> None:
    game = given(double_nil=["north", "south"])
    bid(game, {})
    assert game.table.open.phase == "play"
    game.refused("south", moves.Bid(3), "wrong_phase")


@pytest.mark.parametrize("tricks", [0, 13])
def test_r5_2_a_bid_is_from_0_to_13_tricks(tricks: int) -> None:
    game = given()
    game.play("south", moves.Bid(tricks))
    assert game.table.open.south.bid == tricks


@pytest.mark.parametrize("tricks", [-1, 14])
def test_r5_2_any_other_number_is_refused(tricks: int) -> None:
    given().refused("south", moves.Bid(tricks), "invalid")


def test_r5_2_a_bid_of_0_is_nil() -> None:
    game = hands((0, 13, 0))
    assert (game.table.open.north.total, game.table.open.south.total) == (100, 130)


def test_the_draft_helper_of_these_tests_gives_the_hands_it_says() -> None:
    game = given("AS KH", "2D 3D")
    assert set(cards("AS KH")) <= set(game.table.north.hand)
    assert set(cards("2D 3D")) <= set(game.table.south.hand)
    fresh = Game().join()
    keep_all(fresh, ["south"])
    assert fresh.table.open.phase == "exchange"
