"""A correction is in force in every projection from then on, and in none before."""

import io

import msgspec
import pytest

from events import record
from events.store import LogHead, start
from events.types import DisputeOpened
from projections.across.models import LadderModel
from projections.across.row import GameRow, advance
from projections.claims import answer, facts_of
from projections.claims.reading import from_words
from projections.replay.step_view import step_view
from projections.replay.walk import steps
from projections.sheet import rows, sheet
from projections.textaudit.auditing import audit as audit_text
from projections.textaudit.auditing import told
from projections.textrecord import read, write
from projections.view import view
from tests.kit.assertions import folded, plain
from tests.kit.disputes import claim, due, miscounted, more, opened, settled
from tests.kit.forged import edited, groups_of
from tests.kit.games import Game
from tests.kit.given import hands
from tests.kit.logs import GAME, chained

RULES = {"max_hands": 2, "bag_limit": 5}
PLAYED = ((7, 5, 7), (3, 4, 7))


def mended() -> Game:
    game = miscounted(*PLAYED, rules=RULES, wrong=more(300, 2), seat="south")
    opened(game, "north", position="1.s", claimed=claim(north=110, winner="north"))
    points = game.table.open.scores[0].south.points - 300
    settled(game, 1, "upheld", corrections={(1, "south"): points}, reason="It was added up wrongly.")
    return game


RIGHT = hands(*PLAYED, rules=RULES)
MENDED = mended()
BEFORE = MENDED.log()[:-2]


def test_the_table_and_the_view() -> None:
    o, r = MENDED.table.open, RIGHT.table.open
    before = folded(BEFORE).open
    assert (before.south.total, before.south.bags) != (r.south.total, r.south.bags)
    assert (o.south.total, o.south.bags, o.north.total) == (r.south.total, r.south.bags, r.north.total)
    seen = view(o, "", None)
    assert seen.seats == view(r, "", None).seats
    assert seen.result.winner == view(r, "", None).result.winner != before.result.winner  # type: ignore[union-attr]
    assert seen.disputes is None


def test_open_disputes_stand_in_the_view() -> None:
    o = folded(MENDED.log()[:-1]).open
    (dispute,) = plain(view(o, "", None))["disputes"]
    data = next(event.data for event in MENDED.events if isinstance(event.data, DisputeOpened))
    assert dispute == {"n": 1, "seat": "north", "hand": 1, "version": data.version}


def test_the_score_sheet() -> None:
    corrected, right = plain(sheet(MENDED.events, MENDED.table)), plain(sheet(RIGHT.events, RIGHT.table))
    assert (corrected["hands"], corrected["totals"]) == (right["hands"], right["totals"])
    (mark,) = corrected["corrections"]
    assert (mark["hand"], mark["seat"], mark["version"]) == (1, "south", MENDED.table.open.version)
    assert mark["old"]["total"] - mark["new"]["total"] == 300
    assert "corrections" not in right
    early = [event for event in MENDED.events if event.seq <= BEFORE[-1].seq]
    assert plain(sheet(early, folded(BEFORE)))["hands"] != right["hands"]
    assert [row.lines for row in rows(MENDED.events)] == [row.lines for row in rows(RIGHT.events)]


def test_replay_and_explain_show_what_was_in_force_at_each_step() -> None:
    found = steps(GAME, MENDED.events)
    score = next(step for step in found if step.position == "1.s")
    last = found[-1]
    assert (
        step_view(score).totals["south"]
        == last.before.open.scores[0].south.total
        == RIGHT.table.open.scores[0].south.total + 300
    )
    assert step_view(last).totals == {seat: RIGHT.table.open.player(seat).total for seat in ("north", "south")}
    assert f"South's line was corrected later, at {last.position}." in score.why
    assert last.text.startswith("the score of hand 1 is corrected for south: points")
    assert any("added up wrongly" in sentence for sentence in last.why)
    assert [step.event.type.name for step in found[-4:]] == [
        "game_ended",
        "dispute_opened",
        "dispute_settled",
        "score_corrected",
    ]


def test_claims_are_held_against_the_corrected_score() -> None:
    facts = facts_of(MENDED.events)
    r = RIGHT.table.open
    winner = r.result.winner if r.result and r.result.winner else "draw"
    text = f"north={r.north.total},south={r.south.total},winner={winner}"
    assert answer(facts, from_words(text, {}), lambda: 0.0).holds


def test_the_winner_of_a_game_that_was_ended_by_a_wrong_score_is_who_has_more_by_the_right_one() -> None:
    game = miscounted((4, 5, 7), rules={"target": 60, "bag_limit": 0}, wrong=more(50))
    assert game.table.open.result is not None, "south has 101 of 60, but should have 51"
    opened(game, "north")
    settled(game, 1, "upheld", corrections=due(game))
    facts = facts_of(game.events)
    assert answer(facts, from_words("winner=south,south=51", {}), lambda: 0.0).holds
    assert not answer(facts, from_words("winner=none", {}), lambda: 0.0).holds


def test_the_text_record_has_the_corrected_score_and_its_audit_is_content() -> None:
    text = write(MENDED.events)
    assert text == write(RIGHT.events)
    assert audit_text(told(read(text.encode())), lambda: 0.0).verdict == "ok"


def test_the_record_counts_what_follows_the_end_and_comes_back_the_same() -> None:
    raw = record.write(MENDED.record())
    again = record.read(io.BytesIO(raw))
    assert again.header.events == MENDED.table.open.version
    assert record.write(again) == raw


def test_the_lists_follow_the_correction_and_count_open_disputes() -> None:
    row, right = (advance(GameRow(game=GAME), game.log()) for game in (MENDED, RIGHT))
    assert (row.totals, row.outcome, row.figures, row.disputes) == (right.totals, right.outcome, right.figures, 0)
    assert advance(GameRow(game=GAME), MENDED.log()[:-1]).disputes == 1
    assert advance(GameRow(game=GAME), BEFORE).totals != right.totals


def test_the_ladder_follows_the_corrected_winner() -> None:
    game = miscounted((7, 6, 7), rules={"max_hands": 1}, wrong=more(50))
    opened(game, "north")
    settled(game, 1, "upheld", corrections=due(game))
    rated = chained(edited(groups_of(game), (0, 0), data={"rated": True}))
    model, before = LadderModel(), rated[:-2]
    held: dict[str, bytes] = {}
    held |= model.absorb(held, {GAME: (start(GAME), before)})
    assert _wins(held) == {"Ann": 0, "Bo": 1}
    held |= model.absorb(held, {GAME: (LogHead(before[-1].seq, before[-1].head), rated[-2:])})
    assert _wins(held) == {"Ann": 1, "Bo": 0}


def _wins(held: dict[str, bytes]) -> dict[str, int]:
    return {name: msgspec.json.decode(held[f"player:{name}"])["wins"] for name in ("Ann", "Bo")}


@pytest.mark.parametrize("seed", range(6))
def test_a_dispute_in_any_place_leaves_every_figure_as_it_was(seed: int) -> None:
    from tests.kit.random_games import random_game

    plain = random_game(seed, {"max_hands": 1})
    disputed = random_game(
        seed, {"max_hands": 1}, each=lambda game: opened(game, "north") if len(game.commits) == 20 + 7 * seed else None
    )
    p, d = plain.table.open, disputed.table.open
    assert len(d.disputes) == 1
    assert (p.north, p.south, p.result, p.trick) == (d.north, d.south, d.result, d.trick)
    assert [(s.north, s.south) for s in p.scores] == [(s.north, s.south) for s in d.scores]
