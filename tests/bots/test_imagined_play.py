"""Play in the mind follows the same rules as the table, and the exact endplay finds what trying everything finds."""

from hypothesis import given
from hypothesis import strategies as st

from events.cards import DECK, ORDER, Card, Seat, other
from projections.play import breaks, playable, winner
from projections.table import Trick
from service.bots.endplay import Endplay
from service.bots.imagined import BEATEN_BY, FOLLOWING, LEADING, SPADE, cards, hand
from service.bots.playout import playout, wants

CARDS = st.sampled_from(DECK)
HANDS = st.lists(CARDS, min_size=1, max_size=13, unique=True).map(lambda some: tuple(card for card in DECK if card in some))


@given(HANDS, CARDS, st.booleans())
def test_the_tables_allow_what_the_rules_allow(held: tuple[Card, ...], led: Card, broken: bool) -> None:
    bits = hand(held)
    assert tuple(cards(bits & FOLLOWING[ORDER[led]] or bits)) == playable(held, led, broken)
    assert tuple(cards(bits & LEADING[broken] or bits)) == playable(held, None, broken)


def test_the_tables_know_who_takes_every_trick() -> None:
    for led in DECK:
        for card in DECK:
            if card != led:
                trick = Trick(1, "north", (("north", led), ("south", card)))
                assert bool(BEATEN_BY[ORDER[led]] >> ORDER[card] & 1) == (winner(trick) == "south")
                broken = bool(hand([led, card]) & SPADE)
                assert broken == (breaks(None, led) or breaks(led, card))


def by_trying_everything(
    hands: dict[Seat, tuple[Card, ...]], leader: Seat, broken: bool, tricks: int, stakes: tuple[float, ...]
) -> float:
    if not hands["north"]:
        return stakes[tricks]
    best = {"north": max, "south": min}
    found = []
    for led in playable(hands[leader], None, broken):
        answers = []
        for card in playable(hands[other(leader)], led, broken):
            taker = winner(Trick(1, leader, ((leader, led), (other(leader), card))))
            rest = {seat: tuple(c for c in hands[seat] if c not in (led, card)) for seat in hands}
            after = broken or breaks(None, led) or breaks(led, card)
            answers.append(by_trying_everything(rest, taker, after, tricks + (taker == "north"), stakes))
        found.append(best[other(leader)](answers))
    return float(best[leader](found))


def test_a_seat_wants_tricks_while_more_of_them_can_still_be_better_for_it() -> None:
    nil, rising, peak = (1.0,) + (0.0,) * 13, tuple(map(float, range(14))), (0.0,) * 5 + (1.0,) + (0.0,) * 8
    assert wants(nil)[0][13] == (False, False)
    assert wants(rising)[0][13] == wants(rising)[6][7] == (True, True)
    assert [wants(peak)[taken][13 - taken] for taken in (4, 5, 6)] == [(True, False), (False, False), (False, False)]


DEALS = st.lists(CARDS, min_size=8, max_size=8, unique=True)
STAKES = st.lists(st.integers(-3, 3).map(float), min_size=14, max_size=14).map(tuple)


@given(DEALS, st.booleans(), st.booleans(), STAKES)
def test_the_endplay_is_exact(deal: list[Card], leading: bool, broken: bool, stakes: tuple[float, ...]) -> None:
    hands: dict[Seat, tuple[Card, ...]] = {"north": tuple(deal[::2]), "south": tuple(deal[1::2])}
    expected = by_trying_everything(hands, "north" if leading else "south", broken, 5, stakes)
    found = Endplay(stakes).lead(hand(deal[::2]), hand(deal[1::2]), leading, broken, 5, -1e9, 1e9)
    assert found == expected


@given(DEALS, st.booleans(), st.booleans(), STAKES)
def test_a_playout_ends_with_as_many_tricks_as_there_are(
    deal: list[Card], leading: bool, broken: bool, stakes: tuple[float, ...]
) -> None:
    assert 5 <= playout(hand(deal[::2]), hand(deal[1::2]), leading, broken, 5, wants(stakes)) <= 9
