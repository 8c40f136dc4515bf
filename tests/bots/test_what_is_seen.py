"""What the house's bot concludes from its view about the other hand, and how it guesses at it."""

from service.bots.guesses import guesses
from service.bots.imagined import SPADE, SUIT, cards, hand
from service.bots.seen import seen
from tests.bots.hands import View, playing

CLUBS = SUIT[0]
BIDS = {"mine": {"bid": 3, "tricks": 0}, "its": {"bid": 4, "tricks": 0}}


def after(first: str, north: str, south: str, broken: bool = False) -> View:
    """North to play with three cards left, and nothing known to be gone but the cards played, in this order."""
    view = playing("2D 3D 4D", "", "2D 3D 4D", **BIDS)
    view |= {"first": first, "spades_broken": broken}
    view["you"]["discarded"] = []
    view["seats"]["north"]["played"], view["seats"]["south"]["played"] = north.split(), south.split()
    return view


def test_cards_held_played_and_seen_to_go_are_not_in_the_other_hand() -> None:
    view = after("south", "2C 5C", "KC 4C")
    view["you"]["discarded"] = ["AS", "7H"]
    gone = hand(["2D", "3D", "4D", "2C", "5C", "KC", "4C", "AS", "7H"])
    assert not seen(view).unseen & gone
    assert seen(view).unseen.bit_count() == 52 - 9


def test_a_seat_that_did_not_follow_a_suit_holds_none_of_it() -> None:
    assert not seen(after("south", "2C", "3H")).unseen & CLUBS  # north led
    assert seen(after("north", "3H", "2C")).unseen & CLUBS  # south led, and it was north that did not follow
    assert not seen(after("south", "2C 5C", "KC 4C")).unseen & hand(["KC", "4C"])
    assert seen(after("south", "2C 5C", "KC 4C")).unseen & CLUBS


def test_whoever_leads_a_spade_before_they_are_broken_holds_nothing_else() -> None:
    assert seen(after("north", "2C", "4S")).unseen & ~SPADE == 0
    assert seen(after("north", "2S 3C", "AC 4S")).unseen & ~SPADE  # north had broken them
    assert seen(after("north", "", "4S")).unseen & ~SPADE == 0  # the card on the table counts as well


def test_cards_thrown_may_come_back_to_the_other_hand_by_its_exchange_alone() -> None:
    view = after("south", "", "")
    view["you"]["discarded"] = ["AS"]
    assert not seen(view).unseen & hand(["AS"])
    view["seats"]["south"] |= {"exchanged": 2, "bid": "double_nil"}
    assert cards(seen(view).doubtful) == ["AS"]


def test_guesses_are_possible_hands_the_same_each_time() -> None:
    known = seen(after("south", "2C", "3H"))
    series = guesses(known, 30)
    assert series == guesses(known, 30)
    assert len(series) == 30
    assert all(guess.bit_count() == 3 and not guess & ~known.unseen for guess in series)


def test_guesses_at_a_high_bid_hold_more_spades_than_at_a_nil() -> None:
    view = after("south", "", "")
    view["seats"]["south"]["cards"] = 13
    high, nil = ({**view, "seats": {**view["seats"], "south": view["seats"]["south"] | {"bid": bid}}} for bid in (9, 0))
    spades = [sum((guess & SPADE).bit_count() for guess in guesses(seen(each), 30)) / 30 for each in (high, nil)]
    assert spades[0] > spades[1] + 2


def test_where_few_hands_are_possible_every_one_is_tried() -> None:
    view = playing("2D 3D", "4D 5D 6D", "2D 3D", **BIDS)
    assert sorted(map(cards, guesses(seen(view), 30))) == [["4D", "5D"], ["4D", "6D"], ["5D", "6D"]]
