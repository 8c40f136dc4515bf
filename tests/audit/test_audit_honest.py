"""What the audit says of honest games, what it says it cannot see, and that nothing in a log makes it fall over."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.cards import DECK, SEATS, Card, Seat
from events.log import Commit, Stored
from events.types import BidPlaced, CardPlayed, Event, PlayerJoined
from projections.audience import Viewer
from projections.audit import Source, audit, from_commits, from_record
from service.games.exporting import record_for
from tests.kit.assertions import said
from tests.kit.forged import Groups, edited, groups_of, is_a, place_of, seq_at
from tests.kit.games import Game
from tests.kit.logs import GAME, chained, rechained
from tests.kit.random_games import random_game

VIEWERS: tuple[Viewer, ...] = ("north", "south", "spectator")
RULES = st.fixed_dictionaries(
    {"max_hands": st.integers(1, 3)},
    optional={
        "target": st.sampled_from([50, 100, 500]),
        "failed_nil": st.sampled_from(["ignore", "bags", "bags_and_points"]),
        "second_card": st.sampled_from(["hidden", "seen"]),
        "exchange_max": st.integers(0, 3),
        "floor": st.sampled_from([-50, -200]),
        "bag_limit": st.sampled_from([0, 1, 5]),
        "bag_carry": st.sampled_from(["remainder", "zero"]),
    },
)
FEW = settings(max_examples=20, deadline=None, derandomize=True)


def _all_ok(game: Game) -> None:
    ended = game.table.open.phase == "ended"
    assert said(from_commits(GAME, game.log())) == []
    for viewer in VIEWERS:
        assert said(from_record(record_for(GAME, game.log(), viewer, ended=ended))) == []


@pytest.mark.slow
@FEW
@given(st.integers(0, 2**32), RULES, st.sampled_from(SEATS), st.sets(st.sampled_from(SEATS)))
def test_every_honest_game_is_ok_from_the_store_and_as_anybodys_record(
    seed: int, rules: dict[str, Any], first: Seat, brought: set[Seat]
) -> None:
    _all_ok(random_game(seed, rules, first=first, contributions=[seat for seat in SEATS if seat in brought]))


@FEW
@given(st.integers(0, 2**32), RULES, st.integers(0, 130), st.sampled_from([None, "resign", "timeout", "abandon"]))
def test_every_game_that_runs_was_resigned_timed_out_or_abandoned_is_ok(
    seed: int, rules: dict[str, Any], most: int, end: str | None
) -> None:
    _all_ok(random_game(seed, rules | {"turn_seconds": 60}, most=most, end=end))


def test_a_game_that_waits_or_owes_a_reveal_is_ok() -> None:
    _all_ok(Game())
    _all_ok(Game(contributions=["north", "south"]).sit_down())
    _all_ok(Game(contributions=["north"]).join())


def test_a_log_of_a_thousand_events_is_judged_in_full() -> None:
    game = random_game(1, {"max_hands": 12, "target": 10_000})
    result = audit(from_commits(GAME, game.log()))
    assert result.findings == ()
    assert f"form and numbers of {len(game.events)} events" in result.checked
    assert f"every move of {game.table.open.hand} hands, every score" in result.checked
    assert f"root, {game.table.open.hand} decks and the exchanges" in result.checked
    assert f"{len(game.commits)} receipts under the key of event 1" in result.checked


# What it cannot see, and says so ----------------------------------------------------------------------------------------

PLAYED = random_game(11, {"max_hands": 1}, contributions=["north", "south"])
REWRITE = "a consistent rewrite, or a cut between two moves: compare with a receipt a player holds"


def test_a_consistent_rewrite_passes_and_the_audit_says_that_it_would() -> None:
    groups = groups_of(PLAYED)
    renamed = edited(groups, place_of(groups, is_a(PlayerJoined, seat="south")), data={"name": "Eve"})
    result = audit(from_commits(GAME, chained(renamed)))
    assert result.verdict == "ok"
    assert REWRITE in result.not_checked


def test_a_cut_at_the_edge_of_a_commit_passes_and_the_audit_says_that_it_would() -> None:
    for length in (1, 2, 20, len(PLAYED.commits) - 1):
        result = audit(from_commits(GAME, PLAYED.log()[:length]))
        assert result.verdict == "ok"
        assert REWRITE in result.not_checked


def test_a_receipt_somebody_holds_contradicts_a_rewrite_and_a_cut() -> None:
    held = PLAYED.record().receipt
    groups = groups_of(PLAYED)
    renamed = edited(groups, place_of(groups, is_a(PlayerJoined, seat="south")), data={"name": "Eve"})
    for commits in (chained(renamed), PLAYED.log()[:-1]):
        record = record_for(GAME, commits, "spectator", ended=len(commits) == len(PLAYED.commits))
        found = said(from_record(msgspec.structs.replace(record, receipt=held)))
        assert [code for code, _ in found] == ["receipt_mismatch"]


def test_a_log_without_a_receipt_says_that_nobody_vouched_for_it() -> None:
    result = audit(from_record(msgspec.structs.replace(PLAYED.record(), receipt=None)))
    assert result.verdict == "ok"
    assert "who wrote this log: it carries no receipt" in result.not_checked
    assert not any("receipt" in text for text in result.checked)
    with_receipt = audit(from_record(PLAYED.record()))
    assert "who wrote this log: it carries no receipt" not in with_receipt.not_checked


def test_a_running_game_says_that_root_and_decks_come_out_later_and_what_was_not_shown() -> None:
    running = random_game(11, most=30)
    stored = audit(from_commits(GAME, running.log()))
    assert "root and decks: the root comes out when play has ended" in stored.not_checked
    assert "what the sealed parts not shown would tell" not in stored.not_checked
    partial = audit(from_record(running.record("north")))
    assert "what the sealed parts not shown would tell" in partial.not_checked
    assert not any(text.startswith("root,") for text in partial.checked)


def test_who_brought_bytes_of_their_own_is_said() -> None:
    texts = {
        brought: [
            text
            for text in audit(from_commits(GAME, random_game(1, {"max_hands": 1}, contributions=brought).log())).not_checked
            if "did not choose the cards" in text
        ]
        for brought in ((), ("north",), ("north", "south"))
    }
    assert [len(found) for found in texts.values()] == [1, 1, 0]
    assert "no player brought" in texts[()][0]
    assert "only one player brought" in texts[("north",)][0]


def test_before_the_first_hand_nothing_is_said_of_cards() -> None:
    result = audit(from_commits(GAME, Game().log()))
    assert not any("choose the cards" in text for text in result.not_checked)
    assert "every move" in result.checked


# Nothing in a log makes it fall over ------------------------------------------------------------------------------------


def _damaged(groups: Groups, dice: random.Random) -> Groups:
    """The game with one thing in one event changed, or an event taken out, doubled or put elsewhere."""
    c = dice.randrange(len(groups))
    e = dice.randrange(len(groups[c]))
    event = groups[c][e]
    kind = dice.choice(("drop", "double", "move", "data", "data", "data", "secret", "owner", "replace"))
    copy = [list(group) for group in groups]
    if kind == "drop":
        del copy[c][e]
    elif kind == "double":
        copy[c].insert(e, event)
    elif kind == "move":
        del copy[c][e]
        copy.insert(dice.randrange(len(copy)), [event])
    elif kind == "replace":
        d = dice.randrange(len(groups))
        copy[c][e] = groups[d][dice.randrange(len(groups[d]))]
    elif kind == "owner" and event.owner is not None:
        copy[c][e] = msgspec.structs.replace(event, owner=dice.choice(("north", "south", "house")))
    elif kind == "secret" and event.secret is not None:
        copy[c][e] = msgspec.structs.replace(event, secret=_changed(event.secret, dice))
    else:
        copy[c][e] = msgspec.structs.replace(event, data=_changed(event.data, dice))
    return [group for group in copy if group]


def _changed(data: Any, dice: random.Random) -> Any:
    names = [name for name in data.__struct_fields__ if isinstance(getattr(data, name), str | int | tuple)]
    if not names:
        return data
    name = dice.choice(names)
    return msgspec.structs.replace(data, **{name: _other(getattr(data, name), dice)})


def _other(value: Any, dice: random.Random) -> Any:
    if isinstance(value, tuple):
        return tuple(dice.sample(DECK, len(value))) if dice.random() < 0.5 else value[1:]
    if isinstance(value, int):
        return max(0, value + dice.choice((-1, 1, 2, 13)))
    if value in SEATS:
        return dice.choice(SEATS)
    if value in DECK:
        return dice.choice((Card("2C"), Card("AS"), *dice.sample(DECK, 2)))
    return value if len(value) != 64 else "0" * 64


@pytest.mark.slow
def test_no_damage_of_any_event_makes_the_audit_fall_over_or_accuses_before_the_damage() -> None:
    dice = random.Random(1)
    games = [groups_of(random_game(seed, {"max_hands": 2}, contributions=["south"])) for seed in range(6)]
    found = 0
    for _ in range(110):
        groups = dice.choice(games)
        damaged = _damaged(groups, dice)
        if not damaged:
            continue
        commits = chained(damaged)
        first = _first_difference(groups, damaged)
        ended = any(event.type.name == "game_ended" for group in damaged for event in group)
        for source in (from_commits(GAME, commits), *_records(commits, ended=ended)):
            result = audit(source)
            found += bool(result.findings)
            codes_before = {
                finding.code
                for finding in result.findings
                if finding.version < first
                and finding.code not in ("deck_not_derived", "sealed_missing", "commit_cut", "exchange_not_derived")
            }
            assert not codes_before
    assert found > 200


def _first_difference(one: Groups, other: Groups) -> int:
    flat = [[msgspec.structs.replace(event, seq=0) for group in groups for event in group] for groups in (one, other)]
    return next((i for i, (a, b) in enumerate(zip(*flat, strict=False), 1) if a != b), min(map(len, flat)))


def _records(commits: list[Commit], *, ended: bool) -> list[Source]:
    try:
        return [from_record(record_for(GAME, commits, viewer, ended=ended)) for viewer in VIEWERS]
    except (ValueError, AssertionError):
        return []  # a log nobody can read is not exported


def test_no_bytes_in_place_of_an_event_make_the_audit_fall_over() -> None:
    dice = random.Random(2)
    log = [list(commit.events) for commit in PLAYED.log()]
    for _ in range(120):
        c = dice.randrange(len(log))
        e = dice.randrange(len(log[c]))
        copy = [list(group) for group in log]
        public, sealed = copy[c][e].public, copy[c][e].sealed
        at = dice.randrange(len(public))
        public = dice.choice((public[:at] + bytes([dice.randrange(256)]) + public[at + 1 :], public[:at], b"{}", b""))
        sealed = dice.choice((sealed, None, b"", b"{}"))
        copy[c][e] = Stored(public, sealed)
        commits = [
            msgspec.structs.replace(commit, events=tuple(group)) for commit, group in zip(PLAYED.log(), copy, strict=True)
        ]
        result = audit(from_commits(GAME, commits))
        assert (copy == log) == (result.verdict == "ok")


def test_an_empty_log_is_judged_too() -> None:
    assert audit(from_commits(GAME, [])).findings == ()
    record = msgspec.structs.replace(PLAYED.record(), events=(), receipt=None)
    assert said(from_record(record)) == [("events_cut", "v1")]


def test_every_single_move_left_out_of_a_game_is_found() -> None:
    groups = groups_of(PLAYED)
    last = len(groups) - 1
    for c in range(last):
        assert said(from_commits(GAME, chained([*groups[:c], *groups[c + 1 :]]))), groups[c]


@pytest.mark.slow
def test_every_card_played_exchanged_for_any_other_is_found() -> None:
    groups = groups_of(PLAYED)
    places = [(c, e) for c, group in enumerate(groups) for e, event in enumerate(group) if isinstance(event.data, CardPlayed)]
    for place in places[::9]:
        event = groups[place[0]][place[1]]
        assert isinstance(event.data, CardPlayed)
        for card in DECK:
            found = said(from_commits(GAME, chained(edited(groups, place, data={"card": card}))))
            assert bool(found) == (card != event.data.card)


def test_every_bid_changed_is_found_at_the_score() -> None:
    groups = groups_of(PLAYED)
    place = place_of(groups, is_a(BidPlaced))
    event = groups[place[0]][place[1]]
    assert isinstance(event.data, BidPlaced)
    for tricks in range(14):
        found = said(from_commits(GAME, chained(edited(groups, place, data={"tricks": tricks}))))
        assert bool(found) == (tricks != event.data.tricks)


def test_the_helper_that_lies_repairs_everything_but_the_lie() -> None:
    log = PLAYED.log()
    assert chained(PLAYED.commits) == log
    again = rechained([commit.events for commit in log])
    assert [(commit.head, commit.receipt) for commit in again] == [(commit.head, commit.receipt) for commit in log]
    assert seq_at(groups_of(PLAYED), (0, 1)) == 2
    assert all(isinstance(event, Event) for commit in PLAYED.commits for event in commit)
