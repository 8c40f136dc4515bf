"""Lists and ladder with names the operator has hidden."""

import msgspec

from events.types import Names
from projections.across.ladder import standings
from projections.across.row import GameRow
from projections.hiding import HIDDEN
from service.readmodels.listed import listed_game, ranked, standing_view
from tests.across.test_models import _game

HIDE = frozenset({"Ann"})


def test_a_list_shows_no_hidden_name_and_nothing_else_changes() -> None:
    row = GameRow(game="x", north="Ann", south="Bo")
    kept = msgspec.structs.replace(row, north="Cy", south="", fixed=Names("Cy", "Ann"))
    for each in (row, kept):
        shown = str(listed_game(each, None, HIDE))
        assert "Ann" not in shown
        assert shown == str(listed_game(each)).replace("Ann", HIDDEN)


def test_a_hidden_player_keeps_the_place_on_the_ladder() -> None:
    found = standings([_game(1), _game(2)])
    shown = ranked(found, HIDE)
    assert [one.name for one in shown] == [HIDDEN, "Bo"]
    assert str(shown) == str(ranked(found)).replace("Ann", HIDDEN)
    assert standing_view(found["Ann"], HIDE).name == HIDDEN
