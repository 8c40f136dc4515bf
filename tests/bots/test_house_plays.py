"""What the house's bot plays in positions made by hand, in which one card is right."""

import pytest

from events.cards import Card
from projections.play import winner
from projections.table import Trick
from service.bots import house_move
from tests.bots.hands import View, playing


def card(view: View) -> str:
    move = house_move(view)
    assert move["type"] == "play"
    return str(move["card"])


def takes(led: str, answer: str) -> bool:
    return winner(Trick(1, "south", (("south", Card(led)), ("north", Card(answer))))) == "north"


NIL = {"bid": 0, "tricks": 0}
FIVE = {"bid": 5, "tricks": 5}


@pytest.mark.parametrize("bid", [0, "double_nil"])
def test_a_nil_is_played_under_the_card_led_with_the_highest_that_ducks(bid: int | str) -> None:
    view = playing("3H 8H KH", "2C 4H 7D 9D", "3H 8H KH", "9H", mine={"bid": bid, "tricks": 0}, its={"bid": 4, "tricks": 10})
    assert card(view) == "8H"


def test_a_nil_throws_its_highest_card_under_a_higher_one() -> None:
    view = playing("2H 3C KH", "4H 5H 6C 7C", "2H KH", "AH", mine=NIL, its={"bid": 4, "tricks": 10})
    assert card(view) == "KH"


def test_a_nil_that_cannot_follow_keeps_its_spades_out_of_the_trick() -> None:
    view = playing("2S 3S KC 3D", "4S 5S 6S QC 9D TD", "2S 3S KC 3D", "9H", mine=NIL, its={"bid": 4, "tricks": 9})
    assert card(view)[1] != "S"


def test_a_nil_leads_the_card_that_the_other_must_take() -> None:
    view = playing("2D QC AH", "3D 5D 7D", "2D QC AH", mine={"bid": 0, "tricks": 0}, its={"bid": 4, "tricks": 10})
    assert card(view) == "2D"


def test_the_last_trick_of_the_bid_is_taken_as_cheaply_as_possible() -> None:
    its = {"bid": 3, "tricks": 9}
    view = playing("4H QH AH", "5C 6C 7D", "4H QH AH", "TH", mine={"bid": 3, "tricks": 1}, its=its)
    assert card(view) == "QH"


def test_a_side_suit_is_ruffed_to_cover_the_bid() -> None:
    view = playing("2S 4D 5D", "3S 9C TC", "2S 4D 5D", "AC", mine={"bid": 4, "tricks": 3}, its={"bid": 6, "tricks": 7})
    assert card(view) == "2S"


def test_the_other_is_set_at_the_price_of_a_bag() -> None:
    view = playing("3C AH", "2H KC", "3C AH", "KH", mine=FIVE | {"bags": 2}, its={"bid": 7, "tricks": 6})
    assert card(view) == "AH"


def test_the_others_nil_is_broken_with_a_lead_it_must_take() -> None:
    view = playing("4D AD", "5D 7C", "4D AD", mine={"bid": 4, "tricks": 11}, its={"bid": 0, "tricks": 0})
    assert card(view) == "4D"


@pytest.mark.parametrize(
    ("bags", "rules", "expected"),
    [(9, {}, False), (9, {"bag_limit": 0}, True), (9, {"bag_penalty": 0}, True), (18, {"bag_limit": 19}, False)],
)
def test_the_bag_that_costs_a_penalty_is_left_to_the_other(bags: int, rules: dict[str, int], expected: bool) -> None:
    made = {"bid": 4, "tricks": 6, "total": 200, "bags": 0}
    view = playing("2H AH", "3D 4C", "2H AH", "KH", mine=FIVE | {"bags": bags, "total": 200}, its=made, rules=rules)
    assert takes("KH", card(view)) is expected


@pytest.mark.parametrize(("bags", "rules", "expected"), [(2, {}, True), (9, {}, False), (9, {"bag_limit": 0}, True)])
def test_a_small_bid_is_set_unless_the_bag_is_the_tenth(bags: int, rules: dict[str, int], expected: bool) -> None:
    its = {"bid": 2, "tricks": 0, "total": 200}
    mine = {"bid": 11, "tricks": 11, "bags": bags, "total": 200}
    view = playing("2H AH", "3S", "2H AH", "KH", mine=mine, its=its, rules=rules)
    assert takes("KH", card(view)) is expected


def test_a_bag_is_worth_winning_the_game() -> None:
    its = {"bid": 4, "tricks": 6, "total": 300}
    view = playing("2H AH", "3D 4C", "2H AH", "KH", mine=FIVE | {"bags": 0, "total": 449}, its=its)
    assert takes("KH", card(view))
