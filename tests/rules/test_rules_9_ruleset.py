"""rules.md §9: the ruleset. Each option has a test in which switching it alone changes a result."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from events.cards import DECK
from events.ruleset import NAME, OPTIONS, STANDARD, BadRule, stored, with_options
from events.types import GameCreated
from projections.fold import Impossible, fold
from projections.table import empty
from service.games import moves
from tests.kit.entropy import Scripted, cards
from tests.kit.forged import edited, groups_of
from tests.kit.games import Game
from tests.kit.given import given, hands
from tests.kit.logs import GAME, START


def _last_total(bid: int | str, takes: int, bags: int = 0, **rules: Any) -> Any:
    o = hands((bid, 5, takes), rules={"target": 10_000} | rules, north=(0, bags)).table.open
    return o.north.total, o.north.bags


def _owner_of_the_second_card(**rules: Any) -> Any:
    game = Game(rules, entropy=Scripted(stocks={1: DECK})).join()
    return game.play("north", moves.Look(), moves.Keep())[-1].owner


def _phase_after_a_double_nil(**rules: Any) -> Any:
    game = given("AS KS QS", double_nil=["north"], rules=rules)
    return game.table.open.phase, game.legal[0].most


def _result(*hand: tuple[int, int, int], **rules: Any) -> Any:
    return hands(*hand, rules=rules).table.open.result


def _claim(**rules: Any) -> Any:
    game = Game(rules).join()
    game.now = START + 60_000
    try:
        game.play("south", moves.ClaimTimeout())
    except Exception as error:
        return str(error)
    return game.table.open.result


SWITCHES: dict[str, tuple[Any, Callable[..., Any]]] = {
    "target": (50, lambda **rules: _result((5, 8, 5), **rules)),
    "nil_value": (50, lambda **rules: _last_total(0, 0, **rules)),
    "double_nil_value": (50, lambda **rules: _last_total("double_nil", 0, **rules)),
    "bag_limit": (5, lambda **rules: _last_total(1, 6, **rules)),
    "bag_penalty": (50, lambda **rules: _last_total(1, 6, 5, **rules)),
    "bag_carry": ("zero", lambda **rules: _last_total(1, 6, 6, **rules)),
    "failed_nil": ("bags", lambda **rules: _last_total(0, 3, **rules)),
    "second_card": ("seen", _owner_of_the_second_card),
    "exchange_max": (0, _phase_after_a_double_nil),
    "floor": (-80, lambda **rules: _result((8, 8, 5), **rules)),
    "max_hands": (1, lambda **rules: _result((5, 8, 5), **rules)),
    "turn_seconds": (60, _claim),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_r9_switching_an_option_changes_a_result(option: str) -> None:
    value, result = SWITCHES[option]
    assert result(**{option: value}) != result()


def test_r9_fewer_cards_may_be_exchanged() -> None:
    game = given("AS KS", double_nil=["north"], rules={"exchange_max": 1})
    game.refused("north", moves.Exchange(cards("AS KS")), "too_many_cards")
    game.play("north", moves.Exchange(cards("AS")))


BOUNDS = {
    "target": (50, 10_000),
    "nil_value": (0, 1000),
    "double_nil_value": (0, 1000),
    "bag_limit": (0, 100),
    "bag_penalty": (0, 1000),
    "exchange_max": (0, 3),
    "floor": (-10_000, -50),
    "max_hands": (1, 200),
    "turn_seconds": (5, 1_209_600),
}
CHOICES = {
    "bag_carry": ("remainder", "zero"),
    "failed_nil": ("ignore", "bags", "bags_and_points"),
    "second_card": ("hidden", "seen"),
}


def test_r9_the_table_of_options_is_the_one_of_the_page() -> None:
    assert set(OPTIONS) == {*BOUNDS, *CHOICES}
    assert STANDARD.data() == {
        "ruleset": "two-player/1",
        "target": 500,
        "nil_value": 100,
        "double_nil_value": 200,
        "bag_limit": 10,
        "bag_penalty": 100,
        "bag_carry": "remainder",
        "failed_nil": "ignore",
        "second_card": "hidden",
        "exchange_max": 3,
        "max_hands": 100,
    }


@pytest.mark.parametrize("option", BOUNDS)
def test_r9_a_number_is_taken_within_its_bounds_and_refused_outside(option: str) -> None:
    low, high = BOUNDS[option]
    assert [getattr(with_options({option: value}), option) for value in (low, high)] == [low, high]
    for value in (low - 1, high + 1, str(low), float(low), True, None):
        with pytest.raises(BadRule, match=f"{option} must be a whole number from {low} to {high}") as caught:
            with_options({option: value})
        assert caught.value.option == option


@pytest.mark.parametrize("option", CHOICES)
def test_r9_a_choice_is_one_of_those_there_are(option: str) -> None:
    for choice in CHOICES[option]:
        assert getattr(with_options({option: choice}), option) == choice
    for value in ("", CHOICES[option][0].upper(), 1, True, None):
        with pytest.raises(BadRule, match=f"{option} must be one of"):
            with_options({option: value})


def test_r9_an_unknown_option_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(BadRule, match=r"no option 'jokers'.*bag_limit") as caught:
        with_options({"jokers": 2})
    assert caught.value.option == "jokers"


def test_r9_only_this_ruleset_is_known() -> None:
    assert with_options({"ruleset": NAME}) == STANDARD
    with pytest.raises(BadRule, match="two-player/2"):
        with_options({"ruleset": "two-player/2"})


def test_r9_an_option_that_is_none_is_left_out_and_a_set_one_is_stored() -> None:
    assert {"floor", "turn_seconds"}.isdisjoint(STANDARD.data())
    assert with_options({"floor": -100}).data()["floor"] == -100


def test_r9_event_1_stores_the_whole_ruleset_and_the_game_is_folded_under_it() -> None:
    game = Game({"target": 300, "floor": -100})
    created = game.commits[0][0].data
    assert isinstance(created, GameCreated)
    assert created.rules == with_options({"target": 300, "floor": -100}).data()
    assert game.table.open.rules == with_options({"target": 300, "floor": -100})


@pytest.mark.parametrize("missing", ["ruleset", "target", "max_hands"])
def test_r9_an_event_1_that_leaves_an_option_out_is_not_filled_up_from_the_defaults(missing: str) -> None:
    rules = {name: value for name, value in STANDARD.data().items() if name != missing}
    with pytest.raises(BadRule, match="every option"):
        stored(rules)
    groups = edited(groups_of(Game()), (0, 0), data={"rules": rules})
    with pytest.raises(Impossible):
        fold(empty(GAME), groups[0])


def test_r9_changes_names_what_differs_from_the_standard() -> None:
    assert STANDARD.changes() == {}
    assert with_options({"target": 300, "floor": -100}).changes() == {"target": 300, "floor": -100}
    assert msgspec.structs.replace(STANDARD, turn_seconds=5).changes() == {"turn_seconds": 5}
