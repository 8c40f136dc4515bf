"""The view of the table (design §4): what each viewer is shown, and which keys are left out."""

from typing import Any

from events.cards import DECK, Seat
from events.types import GameEnded
from projections.view import view
from service.games import moves
from tests.kit.assertions import plain
from tests.kit.entropy import Scripted, cards
from tests.kit.games import Game
from tests.kit.given import given, hands
from tests.kit.logs import GAME, START

HEAD = "5" * 64


def _view(game: Game, seat: Seat | None = None) -> dict[str, Any]:
    own = None if seat is None else game.table.own(seat)
    found: dict[str, Any] = plain(view(game.table.open, HEAD, b'{"seq":1}', seat, own))
    return found


def test_a_game_that_waits_shows_who_sits_and_no_hand() -> None:
    seen = _view(Game({"turn_seconds": 60}), "north")
    assert seen.keys() == {"game", "version", "head", "phase", "rules", "seats", "receipt", "you"}
    assert seen["seats"] == {"north": {"name": "Ann", "total": 0, "bags": 0, "penalty_in": 10}}
    assert seen["you"] == {"seat": "north", "hand": [], "discarded": [], "legal": []}
    assert (seen["game"], seen["version"], seen["head"], seen["phase"]) == (GAME, 2, HEAD, "waiting")


def test_a_spectator_has_no_you() -> None:
    assert "you" not in _view(given())


def test_in_the_draft_the_stock_does_not_count_the_card_drawn() -> None:
    game = Game(entropy=Scripted(stocks={1: DECK})).join()
    assert _view(game)["draft"] == {"stock": 52}
    game.play("north", moves.Look())
    assert _view(game)["draft"] == {"stock": 51}
    assert _view(game, "north")["you"] == {
        "seat": "north", "hand": [], "drawn": "2C", "discarded": [], "legal": [{"type": "keep"}, {"type": "pass"}],
    }  # fmt: skip
    assert "drawn" not in _view(game, "south")["you"]
    game.play("north", moves.Pass())
    assert _view(game)["draft"] == {"stock": 50}
    assert "drawn" not in _view(game, "north")["you"]
    assert _view(game, "north")["you"]["discarded"] == ["2C"]
    assert _view(game, "south")["you"]["legal"] == [{"type": "look"}, {"type": "double_nil"}]


def test_every_kind_of_move_is_listed_with_its_bounds() -> None:
    game = given("AS", double_nil=["north"])
    held = list(game.table.north.hand)
    assert _view(game, "north")["you"]["legal"] == [{"type": "exchange", "discard": {"of": held, "max": 3}}]
    assert _view(game, "south")["you"]["legal"] == []
    game.play("north", moves.Exchange(cards("AS")))
    assert _view(game, "north")["you"]["discarded"] == ["AS"]
    assert _view(game, "south")["you"]["legal"] == [{"type": "bid", "tricks": {"min": 0, "max": 13}}]
    game.play("south", moves.Bid(3))
    legal = _view(game, "south")["you"]["legal"]
    assert legal == [{"type": "play", "card": [card for card in game.table.south.hand if card[1] != "S"]}]
    reveal = Game(contributions=["south"]).sit_down()
    assert _view(reveal, "south")["you"]["legal"] == [{"type": "reveal"}]
    assert _view(reveal, "north")["you"]["legal"] == []


def test_in_the_play_the_trick_the_bids_and_the_cards_left_are_shown() -> None:
    game = given("4H 3H", "KH", bids={"north": 3, "south": 5})
    game.card("KH")
    seen = _view(game)
    assert seen["trick"] == {"number": 1, "leader": "south", "cards": [{"seat": "south", "card": "KH"}]}
    assert "last_trick" not in seen
    assert seen["seats"]["south"] == {
        "name": "Bo", "total": 0, "bags": 0, "penalty_in": 10, "bid": 5, "tricks": 0, "cards": 12, "played": ["KH"],
    }  # fmt: skip
    assert (seen["hand"], seen["first"], seen["turn"], seen["spades_broken"]) == (1, "north", "north", False)
    game.card("4H")
    seen = _view(game)
    assert seen["last_trick"]["winner"] == "south"
    assert seen["trick"] == {"number": 2, "leader": "south", "cards": []}
    assert "draft" not in seen


def test_a_card_that_may_not_be_played_says_why_and_only_to_the_seat_on_turn() -> None:
    game = given("4H 3H 2C", "KH QS", bids={"north": 3, "south": 5})
    held = [card for card in game.table.south.hand if card[1] == "S"]
    cannot = _view(game, "south")["you"]["unplayable"]
    assert [(one["card"], one["code"]) for one in cannot] == [(card, "spades_not_broken") for card in held]
    assert "unplayable" not in _view(game, "north")["you"]
    game.card("KH")
    you = _view(game, "north")["you"]
    assert {one["code"] for one in you["unplayable"]} == {"must_follow_suit"}
    assert "play one of 3H, 4H" in you["unplayable"][0]["message"]
    assert sorted([*(one["card"] for one in you["unplayable"]), *you["legal"][0]["card"]]) == sorted(you["hand"])


def test_the_distance_to_the_next_penalty_is_shown_where_there_is_one() -> None:
    assert _view(Game({"bag_limit": 4}))["seats"]["north"]["penalty_in"] == 4
    assert "penalty_in" not in _view(Game({"bag_limit": 0}))["seats"]["north"]
    game = hands((3, 8, 5), rules={"bag_limit": 4})
    bags = game.table.open.north.bags
    assert bags
    assert _view(game)["seats"]["north"]["penalty_in"] == 4 - bags


def test_the_deadline_is_that_of_the_seat_on_turn() -> None:
    game = Game({"turn_seconds": 60}).join()
    assert _view(game)["deadline"] == START + 60_000
    game.play("north", moves.Resign())
    assert "deadline" not in _view(game)
    assert "deadline" not in _view(Game().join())


def test_after_the_end_the_result_is_shown_and_a_draw_has_no_winner() -> None:
    game = hands((5, 8, 5), rules={"max_hands": 1, "target": 10_000}, north=(30, 0))
    seen = _view(game, "north")
    assert seen["result"] == {"reason": "hand_limit"}
    assert "turn" not in seen
    assert seen["you"]["legal"] == []
    assert isinstance(game.events[-1].data, GameEnded)
    won = hands((5, 8, 5), rules={"target": 50})
    assert _view(won)["result"] == {"reason": "target", "winner": "south"}
