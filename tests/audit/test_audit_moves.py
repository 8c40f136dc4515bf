"""The audit of the moves: whose turn, what was legal, which event may follow which, where a commit begins and ends.

The service that lies here keeps numbers, seals, chain and receipts in order, so that only the lie is found.
"""

from typing import Any

import pytest

from events.cards import Card, Seat, other
from events.types import (
    BidPlaced,
    CardDiscarded,
    CardKept,
    CardPlayed,
    DoubleNilBid,
    Event,
    GameCreated,
    GameEnded,
    HandScored,
    HandStarted,
    Looked,
    PlayerJoined,
)
from projections.audit import audit, from_commits, from_record
from projections.audit.phrases import phrase
from service.games.exporting import record_for
from tests.kit.assertions import codes_of, found_of, said
from tests.kit.forged import Groups, edited, groups_of, is_a, place_of, seq_at
from tests.kit.given import given, hands
from tests.kit.logs import GAME, chained
from tests.kit.random_games import random_game

BIDS: dict[Seat, int] = {"north": 3, "south": 3}


def _played(north: str, south: str, *played: str) -> Groups:
    """A hand in play in which these cards were played."""
    game = given(north, south, bids=BIDS)
    game.card(*played)
    return groups_of(game)


WHOLE = hands((5, 5, 6), (5, 5, 6), rules={"max_hands": 2})
GROUPS = groups_of(WHOLE)


def _place(kind: type[Any], nth: int = 0, **wanted: Any) -> tuple[int, int]:
    return place_of(GROUPS, is_a(kind, **wanted), nth)


def _without(groups: Groups, place: tuple[int, int]) -> Groups:
    found = [list(group) for group in groups]
    del found[place[0]][place[1]]
    return [group for group in found if group]


def _with(groups: Groups, at: int, *events: Event) -> Groups:
    """The groups with a commit more, before the one in place `at`; with the time of the one before."""
    import msgspec

    time = groups[at - 1][-1].at if at else groups[0][0].at
    return [*groups[:at], [msgspec.structs.replace(event, at=time) for event in events], *groups[at:]]


def test_the_game_of_these_tests_is_honest() -> None:
    assert codes_of(GROUPS) == []


# Cards ------------------------------------------------------------------------------------------------------------------


def test_a_revoke_is_found_with_the_card_the_suit_led_and_the_hand() -> None:
    groups = _played("4H 2S", "KH", "KH", "4H")
    groups = edited(groups, place_of(groups, is_a(CardPlayed, card="4H")), data={"card": Card("2S")})
    (finding,) = found_of(groups)
    assert (finding.code, finding.position) == ("revoke", "1.1.2")
    assert "north played 2S although hearts were led and north held 4H; the hand: 2C" in finding.message


def test_a_spade_led_before_spades_were_broken_is_found() -> None:
    groups = _played("4H", "KH 2S", "KH")
    groups = edited(groups, place_of(groups, is_a(CardPlayed)), data={"card": Card("2S")})
    (finding,) = found_of(groups)
    assert (finding.code, finding.position) == ("spades_not_broken", "1.1.1")
    assert "south led 2S" in finding.message


def test_a_card_out_of_nowhere_is_found_with_the_hand() -> None:
    groups = _played("4H", "KH", "KH", "4H")
    groups = edited(groups, place_of(groups, is_a(CardPlayed, card="4H")), data={"card": Card("AS")})
    (finding,) = found_of(groups)
    assert (finding.code, finding.position) == ("card_not_held", "1.1.2")
    assert "which was not in the hand: 2C" in finding.message


def test_a_card_played_twice_is_found_with_the_trick_it_was_played_in() -> None:
    groups = _played("4H 3H", "KH QH", "KH", "4H", "QH", "3H")
    groups = edited(groups, place_of(groups, is_a(CardPlayed, card="3H")), data={"card": Card("4H")})
    (finding,) = found_of(groups)
    assert (finding.code, finding.position) == ("card_twice", "1.2.2")
    assert "in trick 1" in finding.message


def test_a_card_played_twice_is_found_by_everybody_also_without_the_hands() -> None:
    groups = _played("4H 3H", "KH QH", "KH", "4H", "QH", "3H")
    groups = edited(groups, place_of(groups, is_a(CardPlayed, card="3H")), data={"card": Card("4H")})
    spectator = record_for(GAME, chained(groups), "spectator", ended=False)
    assert said(from_record(spectator)) == [("card_twice", "1.2.2")]


def test_a_revoke_is_seen_by_the_one_who_made_it_and_not_by_who_does_not_know_the_hand() -> None:
    groups = _played("4H 2S", "KH", "KH", "4H")
    groups = edited(groups, place_of(groups, is_a(CardPlayed, card="4H")), data={"card": Card("2S")})
    views = {seat: said(from_record(record_for(GAME, chained(groups), seat, ended=False))) for seat in ("north", "south")}  # type: ignore[arg-type]
    assert views == {"north": [("revoke", "1.1.2")], "south": []}


def test_a_wrong_trick_number_is_found() -> None:
    groups = edited(GROUPS, _place(CardPlayed, trick=5), data={"trick": 6})
    assert codes_of(groups) == [("wrong_trick", "1.5.1")]


@pytest.mark.parametrize("kind", [Looked, CardKept, CardDiscarded, BidPlaced, CardPlayed, HandScored])
def test_a_wrong_number_of_the_hand_is_found_at_its_event(kind: type[Any]) -> None:
    place = _place(kind)
    code, position = codes_of(edited(GROUPS, place, data={"hand": 2}))[0]
    assert code == "wrong_hand"
    assert position in (f"v{seq_at(GROUPS, place)}", "1.d1", "1.b1", "1.1.1", "1.s")
    assert len(codes_of(edited(GROUPS, place, data={"hand": 2}))) == 1


# Turns ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "position"),
    [(Looked, "v5"), (CardKept, "1.d1"), (CardDiscarded, "1.d1"), (BidPlaced, "1.b1"), (CardPlayed, "1.1.1")],
)
def test_a_move_out_of_turn_is_found(kind: type[Any], position: str) -> None:
    place = _place(kind)
    event = GROUPS[place[0]][place[1]]
    seat: Seat = event.data.seat  # type: ignore[attr-defined]
    changes: dict[str, Any] = {"data": {"seat": other(seat)}}
    if event.owner == seat:
        changes["owner"] = other(seat)
    assert codes_of(edited(GROUPS, place, **changes)) == [("not_their_turn", position)]


def test_a_bid_out_of_turn_is_found_where_the_other_should_have_bid() -> None:
    groups = _without(GROUPS, _place(BidPlaced, seat="south"))
    assert codes_of(groups) == [("not_their_turn", "1.b1")]


def test_a_second_bid_is_found() -> None:
    place = _place(BidPlaced, 1)
    event = GROUPS[place[0]][place[1]]
    assert codes_of(_with(GROUPS, place[0] + 1, event)) == [("not_their_turn", "1.b3")]


def test_a_second_look_is_found() -> None:
    place = _place(Looked)
    event = GROUPS[place[0]][place[1]]
    assert codes_of(_with(GROUPS, place[0] + 1, event)) == [("wrong_phase", "v6")]


def test_a_double_nil_after_a_look_is_found() -> None:
    groups = _with(GROUPS, _place(Looked)[0] + 1, Event(6, 0, DoubleNilBid(1, "north")))
    (finding,) = found_of(groups)
    assert (finding.code, finding.position) == ("wrong_phase", "v6")
    assert "keep or pass" in finding.message


def test_a_card_kept_before_the_look_is_found() -> None:
    assert codes_of(_without(GROUPS, _place(Looked))) == [("wrong_phase", "1.d1")]


def test_a_look_in_the_play_is_found() -> None:
    groups = _with(GROUPS, _place(CardPlayed)[0], Event(6, 0, Looked(1, "south")))
    assert [code for code, _ in codes_of(groups)] == ["wrong_phase"]


def test_a_card_played_before_the_bids_is_found() -> None:
    place, play = _place(BidPlaced), _place(CardPlayed)
    groups = [*GROUPS[: place[0]], GROUPS[play[0]]]
    assert codes_of(groups) == [("wrong_phase", f"v{seq_at(GROUPS, place)}")]


def test_a_bid_left_out_is_found_at_the_first_card() -> None:
    groups = _without(GROUPS, _place(BidPlaced, 1))
    (code, _), *rest = codes_of(groups)
    assert (code, rest) == ("not_their_turn", [])


# Events that only follow others -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [HandStarted, HandScored, CardDiscarded])
@pytest.mark.parametrize("before", [Looked, CardKept, BidPlaced, CardPlayed])
def test_what_no_move_makes_by_itself_is_found_wherever_nothing_brings_it(kind: type[Any], before: type[Any]) -> None:
    place = _place(kind)
    event = GROUPS[place[0]][place[1]]
    if isinstance(event.data, HandStarted):
        event = event.__class__(event.seq, event.at, HandStarted(2, "south"), event.secret, event.owner, event.salt)
    at = _place(before)[0]
    groups = _with(GROUPS, at, event)
    found = codes_of(groups)
    assert [code for code, _ in found] == ["wrong_event"]


def test_a_hand_scored_although_tricks_are_missing_is_found() -> None:
    plays = [place for place in range(len(GROUPS)) if isinstance(GROUPS[place][0].data, CardPlayed)]
    last = next(i for i in plays if len(GROUPS[i]) > 1)
    groups = [*GROUPS[: last - 2], GROUPS[last][1:], *GROUPS[last + 1 :]]
    assert [code for code, _ in codes_of(groups)] == ["wrong_event"]


def test_a_hand_that_starts_before_the_other_has_ended_is_found() -> None:
    started = _place(HandStarted, 1)
    cut = _place(CardPlayed, 10)[0]
    groups = [*GROUPS[:cut], [GROUPS[started[0]][started[1]]], *GROUPS[started[0] + 1 :]]
    assert "wrong_event" in [code for code, _ in codes_of(groups)]


@pytest.mark.parametrize("kind", [CardPlayed, Looked, PlayerJoined, HandStarted])
def test_a_log_that_does_not_begin_with_its_game_is_found(kind: type[Any]) -> None:
    place = _place(kind)
    (finding, *more) = found_of([[GROUPS[place[0]][place[1]]]])
    assert (finding.code, finding.position, more) == ("wrong_event", "v1", [])


def test_a_second_beginning_is_found() -> None:
    groups = _with(GROUPS, 3, GROUPS[0][0])
    assert [code for code, _ in codes_of(groups)] == ["wrong_event"]


def test_an_event_after_the_end_is_found() -> None:
    groups = [*GROUPS, [GROUPS[-1][-1]]]
    assert codes_of(groups) == [("event_after_end", f"v{len(WHOLE.events) + 1}")]
    look = Event(1, GROUPS[-1][-1].at, Looked(3, "north"))
    assert codes_of([*GROUPS, [look]]) == [("event_after_end", f"v{len(WHOLE.events) + 1}")]


# Seats and hands --------------------------------------------------------------------------------------------------------


def test_a_seat_taken_twice_or_by_the_wrong_one_is_found() -> None:
    join = GROUPS[1][0]
    assert codes_of(edited(GROUPS, (1, 0), data={"seat": "north"})) == [("wrong_seat", "v3")]
    assert codes_of(edited(GROUPS, (0, 1), data={"seat": "south"})) == [("wrong_seat", "v2")]
    assert [code for code, _ in codes_of(_with(GROUPS, 3, join))] == ["wrong_seat"]


@pytest.mark.parametrize("nth", [0, 1])
def test_a_hand_with_the_wrong_first_player_is_found(nth: int) -> None:
    place = _place(HandStarted, nth)
    right = GROUPS[place[0]][place[1]].data.first  # type: ignore[attr-defined]
    found = codes_of(edited(GROUPS, place, data={"first": other(right)}))
    assert found[0] == ("wrong_first_player", f"v{seq_at(GROUPS, place)}")
    assert found[1][0] == "not_their_turn"


def test_a_game_created_with_the_other_first_player_is_found_at_hand_1() -> None:
    assert codes_of(edited(GROUPS, (0, 0), data={"first": "south"})) == [("wrong_first_player", "v4")]


@pytest.mark.parametrize(("nth", "number"), [(0, 2), (1, 1), (1, 3)])
def test_a_hand_with_the_wrong_number_is_found(nth: int, number: int) -> None:
    place = _place(HandStarted, nth)
    assert codes_of(edited(GROUPS, place, data={"hand": number})) == [("wrong_hand", f"v{seq_at(GROUPS, place)}")]


def test_a_game_that_goes_on_after_its_end_is_found_where_it_does() -> None:
    rules = {**GROUPS[0][0].data.rules, "max_hands": 1}  # type: ignore[attr-defined]
    found = codes_of(edited(GROUPS, (0, 0), data={"rules": rules}))
    assert found == [("game_not_ended", f"v{seq_at(GROUPS, _place(HandStarted, 1))}")]


def test_a_game_that_goes_on_over_the_target_is_found() -> None:
    rules = {**GROUPS[0][0].data.rules, "target": 50}  # type: ignore[attr-defined]
    found = codes_of(edited(GROUPS, (0, 0), data={"rules": rules}))
    assert ("game_not_ended", f"v{seq_at(GROUPS, _place(HandStarted, 1))}") in found


def test_a_ruleset_this_program_does_not_know_is_found_at_event_1() -> None:
    data = GROUPS[0][0].data
    assert isinstance(data, GameCreated)
    for rules in ({**data.rules, "jokers": 2}, {**data.rules, "target": 1}, {"ruleset": "two-player/1"}):
        assert codes_of(edited(GROUPS, (0, 0), data={"rules": rules})) == [("impossible", "v1")]


def test_a_reveal_that_nobody_owes_is_found() -> None:
    game = random_game(11, most=3, contributions=["north", "south"])
    groups = groups_of(game)
    at = next(i for i, group in enumerate(groups) if group[0].type.name == "contribution_revealed")
    reveal = groups[at][0]
    assert codes_of([*groups[:at], groups[at], [reveal]]) == [("not_their_turn", f"v{seq_at(groups, (at, 0)) + 1}")]
    late = _with(groups, len(groups), reveal)
    assert [code for code, _ in codes_of(late)] == ["wrong_phase"]


# Commits ----------------------------------------------------------------------------------------------------------------


def _cut(groups: Groups, place: tuple[int, int]) -> Groups:
    return [*groups[: place[0]], groups[place[0]][: place[1]]]


@pytest.mark.parametrize(
    ("kind", "nth", "due"),
    [
        (PlayerJoined, 0, "player_joined"),
        (HandStarted, 0, "hand_started"),
        (CardDiscarded, 3, "card_discarded"),
        (HandScored, 0, "hand_scored"),
        (HandStarted, 1, "hand_started or game_ended"),
        (GameEnded, 0, "hand_started or game_ended"),
    ],
)
def test_a_log_cut_inside_a_commit_is_found_at_its_last_event(kind: type[Any], nth: int, due: str) -> None:
    place = _place(kind, nth)
    groups = _cut(GROUPS, place)
    last = sum(len(group) for group in groups)
    (finding,) = found_of(groups)
    assert (finding.code, finding.position) == ("commit_cut", f"v{last}")
    due = " or ".join(phrase(name) for name in due.split(" or "))
    assert f"{due} must follow event {last}" in finding.message
    record = record_for(GAME, chained(groups), "spectator", ended=False)
    assert said(from_record(record)) == [("commit_cut", f"v{last}")]


@pytest.mark.parametrize("kind", [CardDiscarded, HandScored])
def test_the_rest_of_a_commit_left_out_in_the_middle_is_found_at_the_next_event(kind: type[Any]) -> None:
    place = _place(kind)
    groups = [*GROUPS[: place[0]], GROUPS[place[0]][: place[1]], *GROUPS[place[0] + 1 :]]
    assert [code for code, _ in codes_of(groups)] == ["commit_cut"]


@pytest.mark.parametrize(
    ("kind", "nth"), [(CardDiscarded, 4), (HandScored, 0), (HandStarted, 1), (GameEnded, 0), (PlayerJoined, 0)]
)
def test_a_commit_split_in_two_is_found_in_a_store(kind: type[Any], nth: int) -> None:
    c, e = _place(kind, nth)
    groups = [*GROUPS[:c], GROUPS[c][:e], GROUPS[c][e:], *GROUPS[c + 1 :]]
    found = found_of(groups)
    assert [(finding.code, finding.version) for finding in found] == [("commit_split", seq_at(GROUPS, (c, e)))]


def test_a_commit_whose_events_have_two_times_is_found_in_a_record_too() -> None:
    c, e = _place(CardDiscarded, 4)
    groups = edited(GROUPS, (c, e), at=GROUPS[c][e].at + 1)
    groups = [*groups[: c + 1], *[[_later(event) for event in group] for group in groups[c + 1 :]]]
    assert codes_of(groups) == [("commit_split", "1.d5")]
    found = said(from_record(record_for(GAME, chained(groups), "spectator", ended=True)))
    assert [code for code, _ in found if code != "deck_not_derived"] == ["commit_split"]


def _later(event: Event) -> Event:
    import msgspec

    return msgspec.structs.replace(event, at=event.at + 1)


def test_two_moves_joined_in_one_commit_are_found_in_a_store() -> None:
    c, _ = _place(BidPlaced)
    groups = [*GROUPS[:c], GROUPS[c] + GROUPS[c + 1], *GROUPS[c + 2 :]]
    assert codes_of(groups) == [("commits_joined", "1.b2")]


def test_a_finding_does_not_keep_the_audit_from_the_next_one() -> None:
    groups = edited(GROUPS, (0, 1), owner="north")
    groups = edited(groups, _place(PlayerJoined, 1), owner="south")
    assert codes_of(groups) == [("wrong_owner", "v2"), ("wrong_owner", "v3")]


def test_what_follows_an_event_that_makes_no_sense_is_said_to_be_unjudged() -> None:
    result = audit(from_commits(GAME, chained(_without(GROUPS, _place(Looked)))))
    assert any("legality and scores of what follows 1.d1 (event 5)" in text for text in result.not_checked)


def test_a_revoke_shows_to_everybody_once_a_card_of_that_suit_is_played_later() -> None:
    groups = _played("4H 3H 2S", "KH QH", "KH", "4H", "QH", "3H")
    groups = edited(groups, place_of(groups, is_a(CardPlayed, card="4H")), data={"card": Card("2C")})
    for viewer in ("south", "spectator"):
        record = record_for(GAME, chained(groups), viewer, ended=False)  # type: ignore[arg-type]
        (finding,) = audit(from_record(record)).findings
        assert (finding.code, finding.position) == ("revoke", "1.2.2")
        assert finding.message == "north plays 3H, but played 2C when hearts were led in trick 1"
    own = said(from_record(record_for(GAME, chained(groups), "north", ended=False)))
    assert own == [("revoke", "1.1.2")]


def test_a_suit_led_later_or_followed_is_no_revoke() -> None:
    game = random_game(11, {"max_hands": 2}, most=75)
    for viewer in ("north", "south", "spectator"):
        assert said(from_record(record_for(GAME, game.log(), viewer, ended=False))) == []  # type: ignore[arg-type]
