"""The read models as pure functions of logs: what a row holds, how the ladder is ordered, that news may come in any pieces."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from events.log import Commit, Stored
from events.store import LogHead, start
from events.types import Names
from projections.across.ladder import counts, ladder, standings
from projections.across.models import GAMES, LADDER, Model
from projections.across.row import GameOutcome, GameRow, RowFigures, advance, read
from service.games import moves
from tests.kit.games import Game
from tests.kit.logs import GAME
from tests.kit.random_games import random_game

RATED = GameRow(game="x", rated=True, status="finished", version=1, head="00", north="Ann", south="Bo")


def _game(number: int, winner: str | None = "north", ended: int = 1000, **changes: Any) -> GameRow:
    outcome = GameOutcome("target", winner) if winner else GameOutcome("hand_limit")  # type: ignore[arg-type]
    return msgspec.structs.replace(RATED, game=f"{number:016}", ended=ended, outcome=outcome, **changes)


def _row(commits: Sequence[Commit]) -> GameRow:
    return advance(GameRow(game=GAME), commits)


def test_a_row_tells_what_the_log_tells_and_no_more_than_its_public_parts() -> None:
    game = random_game(3, {"max_hands": 3})
    log = game.log()
    bare = [
        Commit(c.seq, tuple(Stored(e.public) for e in c.events), c.head, c.receipt, c.by)
        for c in log
    ]  # fmt: skip
    row = _row(bare)
    assert row == _row(log)
    o = game.table.open
    assert (row.version, row.head, row.hands, row.status) == (o.version, log[-1].head.hex(), 3, "finished")
    assert (row.totals.north, row.totals.south) == (o.north.total, o.south.total)
    assert row.outcome is not None
    assert o.result is not None
    assert (row.outcome.reason, row.outcome.winner) == (o.result.reason, o.result.winner)
    assert row.opening == log[0].head.hex()
    assert (row.created, row.at, row.ended) == (log_time(log[0]), log_time(log[-1]), log_time(log[-1]))
    assert sum(f.hands for f in row.figures.values()) == 6


def log_time(commit: Commit) -> int:
    found: int = msgspec.json.decode(commit.events[-1].public)["at"]
    return found


def test_a_row_follows_a_game_from_open_to_its_end() -> None:
    game = Game()
    assert _row(game.log()).status == "open"
    game.join()
    assert (_row(game.log()).status, _row(game.log()).north, _row(game.log()).south) == ("running", "Ann", "Bo")
    game.play("north", moves.Resign())
    row = _row(game.log())
    assert row.status == "finished"
    assert row.outcome == GameOutcome("resigned", "south", "north")


@pytest.mark.parametrize("model", [GAMES, LADDER])
def test_news_in_any_pieces_makes_the_same_fields(model: Model) -> None:
    chance = random.Random(5)
    log = random_game(4, {"max_hands": 2}).log()
    whole = model.absorb({}, {GAME: (start(GAME), log)})
    for _ in range(20):
        held: dict[str, bytes] = {}
        cuts = sorted(chance.sample(range(1, len(log)), 5))
        for low, high in zip([0, *cuts], [*cuts, len(log)], strict=True):
            place = LogHead(log[low - 1].seq, log[low - 1].head) if low else start(GAME)
            if model.follows(held, GAME):
                held |= model.absorb(held, {GAME: (place, log[low:high])})
        assert held == whole


def test_a_log_that_cannot_be_read_is_shown_as_damaged() -> None:
    log = random_game(4, {"max_hands": 1}).log()
    last = log[-1]
    broken = Commit(last.seq, (Stored(b'{"type":"game_ended"'),), last.head, last.receipt, last.by)
    assert _row([*log[:-1], broken]).status == "damaged"
    held = GAMES.absorb({}, {GAME: (start(GAME), log)})
    assert read((held | GAMES.absorb(held, {GAME: (LogHead(last.seq, last.head), None)}))[GAME]).status == "damaged"


def test_figures_count_bids_nils_and_double_nils() -> None:
    one, two = RowFigures(hands=1, bids_made=1, bags=2), RowFigures(hands=1, nils=1)
    assert one.plus(two) == RowFigures(hands=2, bids_made=1, nils=1, bags=2)
    row = _row(random_game(11, {"max_hands": 4}).log())
    for figures in row.figures.values():
        assert figures.bids_made + figures.bids_set + figures.nils + figures.double_nils == figures.hands == 4


def test_only_rated_games_played_to_a_result_count() -> None:
    assert counts(_game(1))
    assert not counts(_game(1, rated=False))
    assert not counts(_game(1, status="running"))
    assert not counts(msgspec.structs.replace(_game(1), outcome=GameOutcome("abandoned")))
    assert standings([_game(1, south="Ann")]) == {}


def test_the_winner_stands_above_and_a_draw_counts_for_neither() -> None:
    found = standings([_game(1), _game(2, None, 2000)])
    assert [one.name for one in ladder(found.values())] == ["Ann", "Bo"]
    ann, bo = found["Ann"], found["Bo"]
    assert (ann.games, ann.wins, ann.draws, bo.games, bo.wins, bo.draws) == (2, 1, 1, 2, 0, 1)
    assert ann.at == 2000


def test_the_ladder_goes_by_the_end_of_play_and_a_late_game_takes_its_place() -> None:
    chance = random.Random(7)
    names = ["Ann", "Bo", "Cy", "Di"]
    rows = []
    for number in range(40):
        north, south = chance.sample(names, 2)
        rows.append(_game(number, chance.choice(["north", "south", None]), chance.randrange(20), north=north, south=south))
    right = standings(rows)
    assert right != standings([*rows[:-1], msgspec.structs.replace(rows[-1], ended=-1)])
    for _ in range(10):
        chance.shuffle(rows)
        held: dict[str, bytes] = {}
        for size in (1, 7, 12, 20):
            piece, rest = rows[:size], rows[size:]
            held |= {LADDER.field(row.game): row.data() for row in piece}
            held |= LADDER._rated(held, piece, again=False)
            rows = rest + piece
        assert LADDER.standings(held) == standings(row for row in LADDER.rows(held))


def test_an_unrated_game_is_seen_once_and_never_read_again() -> None:
    log = random_game(4, {"max_hands": 1}).log()
    held = LADDER.absorb({}, {GAME: (start(GAME), log[:1])})
    assert not LADDER.follows(held, GAME)
    assert LADDER.place(held, GAME) is None
    assert LADDER.rows(held) == []


def test_names_kept_for_a_seat_are_in_the_row() -> None:
    created = msgspec.structs.replace(RATED, fixed=Names("Ann", "Bo"))
    assert read(created.data()) == created
