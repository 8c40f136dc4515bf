"""What the house's bot keeps, throws and bids, on views made by hand."""

from typing import Any

import pytest

from service.bots import house_move
from tests.bots.hands import bidding, drafting, exchanging

MIDDLING = "3C 8C 9D TD 4H 8H JH"
SPADES = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"


@pytest.mark.parametrize(
    ("drawn", "move"), [("AS", "keep"), ("2S", "keep"), ("AD", "keep"), ("KC", "keep"), ("7C", "pass"), ("JH", "pass")]
)
def test_high_cards_and_spades_are_kept_in_the_draft(drawn: str, move: str) -> None:
    assert house_move(drafting("3C 9D 4H", drawn)) == {"type": move}


def test_a_queen_is_kept_once_better_cards_are_seen_to_be_gone() -> None:
    assert house_move(drafting(MIDDLING, "QC")) == {"type": "pass"}
    assert house_move(drafting(MIDDLING, "QC", SPADES)) == {"type": "keep"}


def test_a_double_nil_keeps_low_cards_instead() -> None:
    nil = {"bid": "double_nil"}
    assert house_move(drafting("3C 9D", "AS", mine=nil)) == {"type": "pass"}
    assert house_move(drafting("3C 9D", "2D", mine=nil)) == {"type": "keep"}


def test_the_exchange_throws_the_highest_spades_first() -> None:
    move = house_move(exchanging("2C 3C 4C 2D 3D 4D 2H 3H KH 3S QS KS AS"))
    assert move == {"type": "exchange", "discard": ["QS", "KS", "AS"]}
    assert house_move(exchanging("2C 3C 4C 2D 3D 4D 2H 3H KH 3S QS KS AS", 1)) == {"type": "exchange", "discard": ["AS"]}


def test_the_exchange_keeps_a_hand_that_is_low_already() -> None:
    assert house_move(exchanging("2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 6H")) == {"type": "exchange", "discard": []}


@pytest.mark.parametrize(
    ("mine", "its", "rules", "move"),
    [
        (0, 0, {}, "look"),
        (100, 300, {}, "look"),
        (300, 480, {}, "look"),
        (480, 150, {}, "look"),
        (-200, 200, {}, "look"),
        (150, 480, {}, "double_nil"),
        (150, 480, {"double_nil_value": 0}, "look"),
        (150, 480, {"floor": -50}, "look"),
        (150, 480, {"target": 1000}, "look"),
        (100, 480, {"target": 1000, "max_hands": 3}, "look"),
        (-100, 480, {"target": 1000, "max_hands": 3}, "double_nil"),
    ],
)
def test_double_nil_is_bid_only_when_far_behind_with_nothing_to_lose(
    mine: int, its: int, rules: dict[str, Any], move: str
) -> None:
    view = drafting("", None, mine={"total": mine}, its={"total": its}, rules=rules)
    assert house_move(view) == {"type": move}


def tricks(view: dict[str, Any]) -> int:
    move = house_move(view)
    assert move["type"] == "bid"
    return int(move["tricks"])


STRONG = "2C AC KD AD 3H AH 4S 8S TS JS QS KS AS"
WEAK = "2C 7C 9C 3D 8D 9D TD 4H 6H 8H JH 3S 5S"
HOPELESS = "2C 3C 4C 5C 6C 2D 3D 4D 5D 2H 3H 4H 5H"


def test_the_bid_follows_the_strength_of_the_hand() -> None:
    assert 9 <= tricks(bidding(STRONG)) <= 12
    assert 1 <= tricks(bidding(WEAK)) <= 4


def test_a_hand_of_nothing_but_low_cards_is_a_nil() -> None:
    assert tricks(bidding(HOPELESS)) == 0


def test_a_hand_that_could_take_tricks_but_need_not_is_a_nil() -> None:
    assert tricks(bidding("2C 3C 5C JC 2D 3D 5D JD 2H 3H 4H 5H AH", its={"bid": 7})) == 0


def test_the_bid_is_no_higher_than_what_the_other_leaves_over_when_it_needs_only_little() -> None:
    needs_one_hand = {"total": 460}
    assert tricks(bidding(STRONG, mine=needs_one_hand, its={"bid": 3, "total": 300})) <= tricks(bidding(STRONG, its={"bid": 3}))
