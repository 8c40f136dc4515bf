"""Positions (design §5): every form, what each covers, and what is said of one that is not there."""

import pytest

from events.types import CardPlayed
from projections.positions import BadPosition, Index, Span, of
from projections.replay.walk import index, is_score, steps
from projections.table import Open
from service.games import moves
from tests.kit.entropy import cards
from tests.kit.games import Game
from tests.kit.given import bid, given, hands
from tests.kit.logs import GAME
from tests.kit.random_games import random_game

PLAYED = hands((5, 5, 6), (5, 5, 6), rules={"max_hands": 2})
STEPS = steps(GAME, PLAYED.events)
INDEX = index(STEPS)


def _event(position: str) -> str:
    return next(step.event.type.name for step in STEPS if step.position == position)


@pytest.mark.parametrize(
    ("position", "kind"),
    [
        ("1.d1", "card_kept"),
        ("1.d26", "card_kept"),
        ("1.b1", "bid_placed"),
        ("1.b2", "bid_placed"),
        ("1.1.1", "card_played"),
        ("2.13.2", "card_played"),
        ("2.s", "hand_scored"),
        ("v1", "game_created"),
        ("v3", "player_joined"),
        ("v4", "hand_started"),
        ("v5", "looked"),
    ],
)
def test_every_moment_has_its_position(position: str, kind: str) -> None:
    assert _event(position) == kind
    span = INDEX.span(position)
    assert span.last - span.first == (1 if ".d" in position else 0)


def test_the_version_names_every_event_also_those_with_a_name_of_their_own() -> None:
    for event in PLAYED.events:
        assert INDEX.span(f"v{event.seq}") == Span(event.seq, event.seq)


def test_a_hand_goes_from_its_start_to_its_score_and_the_last_to_the_end() -> None:
    first, second = INDEX.span("1"), INDEX.span("2")
    assert first.first == 4
    assert second.first == first.last + 1
    assert second.last == len(PLAYED.events)
    assert INDEX.span("1.s").last == first.last


def test_a_trick_goes_from_its_lead_to_the_card_that_ends_it() -> None:
    span = INDEX.span("1.5")
    assert (span.first, span.last) == (INDEX.span("1.5.1").first, INDEX.span("1.5.2").last)
    played = [event for event in PLAYED.events if isinstance(event.data, CardPlayed) and event.data.hand == 1]
    assert span.last - span.first == 1
    assert played[8].seq == span.first


def test_exchanges_and_bids_are_counted_in_the_order_they_were_made() -> None:
    game = given("AS", "AH", double_nil=["north", "south"])
    game.play("south", moves.Exchange(cards("AH")))
    game.play("north", moves.Exchange(()))
    found = {step.position: step.event.type.name for step in steps(GAME, game.events)}
    assert found["1.x1"] == found["1.x2"] == "cards_exchanged"
    one = given(double_nil=["south"])
    bid(one, {"north": 3})
    assert "1.b1" in [step.position for step in steps(GAME, one.events)]
    assert "1.b2" not in [step.position for step in steps(GAME, one.events)]


def test_a_running_trick_is_covered_as_far_as_it_goes() -> None:
    game = given(bids={"north": 3, "south": 3})
    game.card(game.playable[0])
    assert index(steps(GAME, game.events)).span("1.1") == Span(len(game.events), len(game.events))


NONSENSE = ["", "v0", "v", "v01", "0", "x", "1.", ".1", "1.d0", "1.d", "1.s1", "1.1.3", "1.1.0", "1.1.1.1", "-1", " 1", "1\n"]


@pytest.mark.parametrize("text", [*NONSENSE, "1.D1", "V7", "1.e1", "1000", "v1234567", "٣"])
def test_what_is_no_position_is_answered_with_the_forms_there_are(text: str) -> None:
    with pytest.raises(BadPosition, match=r"give a version \(v57\), a hand \(3\), a trick \(3\.5\)"):
        INDEX.span(text)


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ("v999", f"this game has no v999: its last version is v{len(PLAYED.events)}"),
        ("3", "this game has no 3: its last hand is 2"),
        ("3.1", "this game has no 3.1: its last hand is 2"),
        ("1.14", "this game has no 1.14: hand 1 goes to 1.s"),
        ("1.x1", "this game has no 1.x1: hand 1 goes to 1.s"),
        ("1.d27", "this game has no 1.d27: hand 1 goes to 1.s"),
    ],
)
def test_a_position_this_game_has_not_is_answered_with_what_there_is(position: str, said: str) -> None:
    with pytest.raises(BadPosition) as caught:
        INDEX.span(position)
    assert str(caught.value) == said


def test_before_and_just_after_the_start_of_a_hand_the_answer_fits_too() -> None:
    with pytest.raises(BadPosition, match="no hand has begun"):
        index(steps(GAME, Game().events)).span("1")
    with pytest.raises(BadPosition, match="hand 1 has only begun"):
        index(steps(GAME, Game().join().events)).span("1.d1")


def test_inside_a_hand_the_last_place_named_is_the_last_card_and_always_the_same() -> None:
    game = given(bids={"north": 3, "south": 3})
    game.card(game.playable[0])
    with pytest.raises(BadPosition, match=r"hand 1 goes to 1\.1\.1$"):
        index(steps(GAME, game.events)).span("1.s")


def test_nothing_before_the_first_hand_has_a_position_inside_a_hand() -> None:
    event = next(event for event in PLAYED.events if event.type.name == "bid_placed")
    assert of(Open(GAME), event) == f"v{event.seq}"


def test_every_position_of_a_step_finds_the_step_again() -> None:
    for seed in range(3):
        found = steps(GAME, random_game(seed, {"max_hands": 1}).events)
        spans = index(found)
        for step in found:
            assert spans.span(step.position).last == step.version
        assert sum(is_score(step) for step in found) == 1


def test_an_index_of_nothing_has_nothing() -> None:
    with pytest.raises(BadPosition, match="v0"):
        Index([]).span("v1")
