"""The report on a dispute: who is right, what was recorded wrongly, and nothing that its reader may not know."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.cards import SEATS, Seat
from events.log import Stored, load
from events.types import ClaimedScore, data_of
from projections.audience import Viewer
from projections.audit import Source, from_commits
from projections.claims import BadClaim, Claim
from projections.claims.reading import from_words
from projections.claims.recorded import claim_of, recorded
from projections.disputes import moment, report, state
from tests.kit.disputes import claim, due, miscounted, more, opened, settled
from tests.kit.games import Game
from tests.kit.given import hands
from tests.kit.logs import GAME
from tests.kit.random_games import random_game


def still() -> float:
    return 0.0


def source(game: Game) -> Source:
    return from_commits(GAME, game.log())


def told(game: Game, n: int = 1, viewer: Viewer = "spectator") -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(report(source(game), n, viewer, still)))
    return found


def stripped(game: Game, viewer: Viewer) -> Source:
    """The log with every sealed part but the viewer's own taken away: what the viewer could have at most."""
    whole = source(game)
    kept = tuple(event if load(event).owner == viewer else Stored(event.public) for event in whole.events)
    return msgspec.structs.replace(whole, events=kept, commits=None)


# Who is right -----------------------------------------------------------------------------------------------------------


def test_a_claim_is_answered_with_the_first_difference_and_the_reading_that_makes_it_true() -> None:
    game = hands(("double_nil", 5, 6), (5, 5, 6), rules={"failed_nil": "bags", "max_hands": 2})
    total = game.table.open.north.total
    bags_left_out = claim(north=total)
    opened(game, "south", claimed=bags_left_out)
    assert told(game)["claim"]["holds"]
    opened(game, "north", position="1.s", claimed=data_of(ClaimedScore, {"hands": [{"hand": 1, "north": {"bags": 0}}]}))
    found = told(game, 2)
    assert not found["claim"]["holds"]
    assert found["claim"]["differences"][0]["hand"] == 1
    assert found["claim"]["search"]["readings"][0]["options"] == {"failed_nil": "ignore"}
    assert found["summary"][0] == "The claim does not hold; by the plays it is north " + (
        f"{game.table.open.north.total}, south {game.table.open.south.total}.".replace("-", "−")
    )
    assert found["moment"]["position"] == "1.s"
    assert found["mistakes"] == []


def test_a_claim_of_the_score_as_it_stands_is_about_the_moment_the_dispute_was_opened() -> None:
    game = hands((5, 5, 6))
    total = game.table.open.north.total
    opened(game, "north", claimed=claim(north=total))
    assert told(game)["claim"]["holds"]
    rest = random_game(1, {"max_hands": 1})
    opened(rest, "north", claimed=claim(north=rest.table.open.north.total, winner=rest.table.open.result.winner or "draw"))  # type: ignore[union-attr]
    assert told(rest)["claim"]["holds"]


def test_a_wrong_record_is_named_with_what_would_put_it_right() -> None:
    game = miscounted((5, 5, 6), (5, 5, 6), rules={"max_hands": 2}, wrong=more(10))
    opened(game, "north")
    found = told(game)
    (wrong,) = found["mistakes"]
    assert {(wrong["hand"], wrong["seat"]): wrong["points"]} == due(game) == {(1, "south"): 52}
    assert wrong["old"]["total"] == wrong["new"]["total"] + 10
    assert "wrong_score" in {one["code"] for one in found["audit"]["findings"]}
    settled(game, 1, "upheld", corrections=due(game))
    after = told(game)
    assert after["mistakes"] == []
    assert [one["code"] for one in after["audit"]["notes"]] == ["score_mended"]
    assert after["version"] == game.table.open.version > found["version"]


def test_the_state_of_a_report_moves_only_with_what_may_change_it() -> None:
    game = random_game(2, most=40)
    opened(game, "north")
    before = state(game.events, 1)
    game.play(game.turn, *_one_move(game))
    assert state(game.events, 1) == before == game.table.open.disputes[0].opened
    with pytest.raises(LookupError):
        state(game.events, 2)
    with pytest.raises(LookupError):
        moment(source(game), 2, "north")


def _one_move(game: Game) -> Any:
    from random import Random

    from tests.kit.random_games import any_move

    return (any_move(game, Random(1)),)


# What nobody may learn from it --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [20, 56, 66, 80])
@pytest.mark.parametrize("viewer", ["north", "south", "spectator"])
def test_while_play_goes_on_it_is_made_of_public_parts_and_the_viewers_own_alone(most: int, viewer: Viewer) -> None:
    """Draft, bids and play; whatever the other seat holds, not one byte of the report is another."""
    game = random_game(7, {"second_card": "seen"}, most=most)
    opened(game, "south", position=f"v{game.table.open.version - 1}")
    full = report(source(game), 1, viewer, still)
    assert msgspec.json.encode(full) == msgspec.json.encode(report(stripped(game, viewer), 1, viewer, still))
    assert not full.ended
    held = full.moment.held
    assert held is None or held.seat == viewer


@pytest.mark.parametrize("seat", SEATS)
def test_a_seat_is_told_what_it_held_itself_and_the_others_are_not(seat: Seat) -> None:
    game = random_game(7, most=80)
    last = game.events[-1]
    mover = last.data.seat  # type: ignore[attr-defined]
    opened(game, "north")
    for viewer in ("north", "south", "spectator"):
        found = moment(source(game), 1, viewer)  # type: ignore[arg-type]
        assert (found.held is not None) == (viewer == mover)


def test_after_the_end_everybody_reads_the_same_report() -> None:
    game = random_game(7, {"max_hands": 1})
    opened(game, "north", position="1.5.2", note="secret words")
    reports = [msgspec.json.encode(report(source(game), 1, viewer, still)) for viewer in ("north", "south", "spectator")]  # type: ignore[arg-type]
    assert len(set(reports)) == 1
    assert b"held" in reports[0]
    assert b"secret words" not in reports[0]


def test_the_same_log_gives_the_same_report() -> None:
    game = random_game(9, {"max_hands": 1})
    opened(game, "north", claimed=claim(north=77))
    assert report(source(game), 1, "spectator", still) == report(source(game), 1, "spectator", still)


# Claims in events -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["north=104,south=55", "3.north.bags=4,3.north.total=10", "winner=draw,2.south.bid=double_nil,1.south.tricks=0,south=-3"],
)
def test_a_claim_goes_into_an_event_and_comes_back(text: str) -> None:
    said = from_words(text, {})
    again = claim_of(recorded(said))
    assert _plain(again) == _plain(said)
    assert recorded(again) == recorded(said)


_figures = st.fixed_dictionaries(
    {},
    optional={
        "bid": st.one_of(st.integers(0, 13), st.just("double_nil")),
        "tricks": st.integers(0, 13),
        **dict.fromkeys(("points", "bags", "total"), st.integers(1 - 2**53, 2**53 - 1)),
    },
).filter(bool)
_hands = st.fixed_dictionaries({"hand": st.integers(1, 200)}, optional={"north": _figures, "south": _figures})
_result = st.fixed_dictionaries({}, optional={"north": st.integers(), "winner": st.sampled_from(("south", "draw", "none"))})


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(_hands.filter(lambda hand: len(hand) > 1), max_size=4, unique_by=lambda hand: hand["hand"]), _result.filter(bool)
)
def test_every_claim_that_an_event_can_hold_comes_back_the_same(hands: list[Any], result: Any) -> None:
    event = data_of(ClaimedScore, {"hands": sorted(hands, key=lambda hand: hand["hand"]), "result": result})
    assert recorded(claim_of(event)) == event


def _plain(figures: Claim) -> set[tuple[Any, ...]]:
    return {(said.hand, said.seat, said.figure, said.value) for said in figures}


def test_bags_of_the_end_cannot_be_disputed_without_a_hand() -> None:
    with pytest.raises(BadClaim, match="name the hand"):
        recorded(from_words("north.bags=4", {}))
