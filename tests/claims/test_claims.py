"""Claims: how they are read, the first figure that differs, both sides' arithmetic, the positions it rests on."""

import msgspec
import pytest

from events.types import HandScored
from projections.claims import BadClaim, ClaimedFigure, facts_of
from projections.claims.facts import Fact
from projections.claims.reading import from_file, from_words
from tests.claims.games import FIVE, asked, facts
from tests.kit.forged import edited, groups_of, is_a, place_of
from tests.kit.given import hands

NAMES: dict = {"north": "Ann", "south": "Bo"}


def test_a_claim_in_words_names_seats_players_figures_and_hands() -> None:
    claim = from_words("north=104, Bo=-55,3.north.bags=4,2.ann.bid=nil,4.south=+7,winner=bo", NAMES)
    assert claim == (
        ClaimedFigure(None, "north", "total", 104),
        ClaimedFigure(None, "south", "total", -55),
        ClaimedFigure(3, "north", "bags", 4),
        ClaimedFigure(2, "north", "bid", 0),
        ClaimedFigure(4, "south", "total", 7),
        ClaimedFigure(None, None, "winner", "south"),
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("north", "expected SEAT=TOTAL"),
        ("", "expected SEAT=TOTAL"),
        ("cid=4", "'cid' is no seat"),
        ("north=many", "north: expected a number of total, not 'many'"),
        ("3.north.bid=14", "expected a bid"),
        ("north=1,north=2", "claimed twice"),
        ("winner=cid", "'cid' is no seat"),
        ("north=", "not the end of the line"),
    ],
)
def test_words_that_are_no_claim_are_refused_with_what_was_expected(text: str, says: str) -> None:
    with pytest.raises(BadClaim, match=says):
        from_words(text, NAMES)


LINES = """
# what Ann wrote
hand 3  north bid 4 tricks 5 points +41 total 104 bags 4  south total 55
hand 4
score   south -200 -145 0  north +63 167 7
result  north 167 south -145 winner none
"""


def test_a_claim_file_is_read_line_by_line() -> None:
    claim = from_file(LINES.encode())
    assert claim[:3] == (
        ClaimedFigure(3, "north", "bid", 4, "line 3"),
        ClaimedFigure(3, "north", "tricks", 5, "line 3"),
        ClaimedFigure(3, "north", "points", 41, "line 3"),
    )
    assert ClaimedFigure(4, "south", "total", -145, "line 5") in claim
    assert claim[-1] == ClaimedFigure(None, None, "winner", "none", "line 6")


def test_a_claim_file_may_be_json_or_a_text_record() -> None:
    raw = b'{"hands": [{"hand": 2, "south": {"bid": "double_nil", "total": 3}}], "result": {"north": 4, "winner": "draw"}}'
    assert from_file(raw, json=True) == (
        ClaimedFigure(2, "south", "bid", "double_nil", "hands, hand 2"),
        ClaimedFigure(2, "south", "total", 3, "hands, hand 2"),
        ClaimedFigure(None, "north", "total", 4, "result"),
        ClaimedFigure(None, None, "winner", "draw", "result"),
    )
    text = b"trickbook-text 1\nhand 1\nbids north 4 south nil\ntricks north 9\nscore north +45 45 5 south -100 -100 0\n"
    figures = {(said.hand, said.seat, said.figure): said.value for said in from_file(text)}
    assert figures[1, "south", "bid"] == 0
    assert figures[1, "south", "tricks"] == 4
    assert figures[1, "north", "points"] == 45


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hand 1\nnorth total 3", "line 2: expected hand, score or result, not 'north'"),
        ("hand 1 north sum 3", "line 1: expected bid or tricks or points or bags or total, not 'sum'"),
        ("hand 1 north total x", "line 1: expected a number of total, not 'x'"),
        ("\n\nhand x", "line 3: expected the number of a hand"),
        ("score north 1 2 3", "line 1: expected a hand line before score"),
        ("hand 1\nscore north 1 2", "line 2: expected the bags after the hand, not the end of the line"),
        ("result winner cid", "line 1: expected north, south, draw or none"),
        ("hand 1 north total 3\nhand 1 north total 4", "line 2: north total of hand 1 is claimed twice"),
        ('{"hands": [{"hand": 1, "north": {"sum": 3}}]}', "sum"),
        ('{"result": {"winner": "cid"}}', "expected north, south, draw, none"),
        ("{", "JSON"),
        ("trickbook-text 1\nhand 2", "line 2: expected hand 1"),
    ],
)
def test_a_bad_line_of_a_claim_file_is_refused_by_number(text: str, says: str) -> None:
    with pytest.raises(BadClaim, match=says):
        from_file(text.encode())


def test_what_is_not_utf_8_or_too_long_is_refused() -> None:
    for raw in (b"hand \xff", b"#" * (1024 * 1024 + 1)):
        with pytest.raises(BadClaim):
            from_file(raw)


# Comparing ------------------------------------------------------------------------------------------------------------


def test_a_claim_that_holds_holds() -> None:
    assert asked(facts(*FIVE), "north=272,south=-5,3.north.points=-49,3.north.bags=0,5.north.bid=double_nil,winner=none").holds


def test_the_first_figure_that_differs_is_named_with_both_sums_and_what_it_rests_on() -> None:
    found = asked(facts(*FIVE), "south=-5,4.north=172,3.north.points=51,3.north=130,3.south=12")
    assert not found.holds
    first = found.differences[0]
    assert (first.hand, first.seat, first.figure, first.claimed, first.right) == (3, "north", "points", 51, -49)
    assert first.message == (
        "hand 3, north: you have points +51, the plays make it −49: 5×10 +1 bag = +51; bags 9+1 = 10 → −100 (3.b2, 3.s)"
    )
    assert first.theirs == "points +51 beside total 130, 100 too high"
    assert [(d.hand, d.figure) for d in found.differences] == [(3, "points"), (3, "total"), (4, "total")]


def test_a_figure_of_the_end_is_the_sum_of_the_hands() -> None:
    (difference,) = asked(facts(*FIVE), "north=272,south=95").differences
    assert difference.message == "the end, south: you have total 95, the plays make it −5: +51 −100 +61 +34 −51 = −5 (5.s)"
    assert difference.theirs == "total 95, 100 too high"


def test_bids_and_tricks_are_compared_before_what_comes_of_them() -> None:
    found = asked(facts(*FIVE), "1.south=60,1.south.bid=6,1.north.tricks=8")
    assert [d.figure for d in found.differences] == ["tricks", "bid", "total"]
    assert "south bid 5 (1.b1)" in found.differences[1].message


@pytest.mark.parametrize("claim", ["6.north=3", "99.south.bid=2"])
def test_a_hand_that_was_not_scored_cannot_be_claimed(claim: str) -> None:
    with pytest.raises(BadClaim, match="its last scored hand is 5"):
        asked(facts(*FIVE), claim)


def test_before_the_first_score_everybody_has_nothing() -> None:
    assert asked(facts(), "north=0,south=0,winner=none").holds
    found = asked(facts(), "north=10")
    assert not found.holds
    assert found.search is not None
    assert found.search.readings == ()


# Facts ----------------------------------------------------------------------------------------------------------------


def test_the_facts_of_a_log_are_its_bids_and_tricks_with_their_positions() -> None:
    game = hands((4, "double_nil", 9), (3, 5, 6))
    found = facts_of(game.events)
    first, second = found.hands
    assert (first.north.bid, first.north.tricks, first.north.bid_at) == (4, 9, "1.b1")
    assert first.south.bid == "double_nil"
    assert first.south.bid_at.startswith("v")
    assert first.north.taken == tuple(n for n in range(1, 14) if n not in first.south.taken)
    assert (second.north.bid_at, second.south.bid_at) == ("2.b1", "2.b2")
    assert found.names == NAMES


def test_a_recorded_score_is_not_believed() -> None:
    game = hands((4, 3, 9))
    groups = groups_of(game)
    place = place_of(groups, is_a(HandScored))
    event = groups[place[0]][place[1]]
    assert isinstance(event.data, HandScored)

    line = msgspec.structs.replace(event.data.north, total=999, tricks=13, bid=13)
    lied = [event for group in edited(groups, place, data={"north": line}) for event in group]
    found = facts_of(lied)
    assert found.hands[0].north == Fact(4, 9, "1.b2", found.hands[0].north.taken)
    assert asked(found, "north=45").holds


def test_the_tricks_of_a_figure_are_positions_that_replay_opens() -> None:
    game = hands((4, 3, 9))
    (difference,) = asked(facts_of(game.events), "1.north.tricks=8").differences
    assert len(difference.rests_on) == 9
    assert all(place.startswith("1.") for place in difference.rests_on)
