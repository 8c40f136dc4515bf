"""The audit of the cards: roots, decks, exchange draws, what was kept, thrown and drawn, who owns a sealed part.

The service that lies here keeps numbers, seals, chain and receipts in order, so that only the lie is found.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from events.cards import DECK, Card, Seat
from events.log import Stored
from events.types import (
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardsExchanged,
    ContributionRevealed,
    Exchanged,
    GameCreated,
    GameEnded,
    GameSecrets,
    HandStarted,
    OneCard,
    PlayerJoined,
    Stock,
)
from projections.audit import audit, from_commits, from_record
from service.games import moves
from service.games.exporting import record_for
from tests.kit.assertions import said, said_of
from tests.kit.entropy import Scripted, cards
from tests.kit.forged import Groups, edited, groups_of, is_a, place_of, seq_at
from tests.kit.games import Game
from tests.kit.given import bid, given, keep_all
from tests.kit.logs import GAME, chained
from tests.kit.random_games import random_game


def _swapped(table_stock: Sequence[Card], i: int, j: int) -> tuple[Card, ...]:
    stock = list(table_stock)
    stock[i], stock[j] = stock[j], stock[i]
    return tuple(stock)


class Cheat(Scripted):
    """A service that swaps two cards of its first stock after the shuffle."""

    def stock(self, table: Any, hand: int) -> tuple[Card, ...]:
        right = super().stock(table, hand)
        return _swapped(right, 4, 9) if hand == 1 else right


def _exchanged(count: int = 2, *, rules: dict[str, Any] | None = None) -> Game:
    """A finished game in which north exchanged so many cards in hand 1."""
    game = Game(rules, entropy=Scripted(3)).join()
    keep_all(game, ["north"])
    game.play("north", moves.Exchange(game.table.north.hand[:count]))
    bid(game, {"south": 3})
    while game.table.open.hand == 1:
        game.card(game.playable[0])
    game.play("north", moves.Resign())
    return game


PLAYED = random_game(11, {"max_hands": 2}, contributions=["north", "south"])
GROUPS = groups_of(PLAYED)
EXCHANGED = _exchanged()
SWAP = groups_of(EXCHANGED)


def _version(groups: Groups, kind: type[Any], nth: int = 0) -> str:
    return f"v{seq_at(groups, place_of(groups, is_a(kind), nth))}"


def test_the_games_of_these_tests_are_honest() -> None:
    assert said_of(GROUPS) == said_of(SWAP) == []


# Root, decks, draws -----------------------------------------------------------------------------------------------------


def test_another_root_at_the_end_is_not_the_one_committed_to() -> None:
    groups = edited(GROUPS, place_of(GROUPS, is_a(GameEnded)), data={"root": "0" * 64})
    assert said_of(groups) == [("root_mismatch", _version(GROUPS, GameEnded))]


def test_another_root_sealed_in_event_1_is_not_the_one_committed_to_there() -> None:
    groups = edited(GROUPS, (0, 0), secret={"root": "0" * 64})
    assert said_of(groups) == [("root_mismatch", "v1")]


def test_another_commitment_in_event_1_fits_neither_root() -> None:
    groups = edited(GROUPS, (0, 0), data={"root_commitment": "0" * 64})
    assert said_of(groups) == [("root_mismatch", "v1"), ("root_mismatch", _version(GROUPS, GameEnded))]


def test_a_deck_the_root_does_not_give_is_found_at_its_hand_with_the_first_wrong_card() -> None:
    game = random_game(21, {"max_hands": 2}, entropy=Cheat(21))
    honest = random_game(21, {"max_hands": 2}).table.house
    assert honest is not None
    groups = groups_of(game)
    found = audit(from_commits(GAME, chained(groups))).findings
    decks = [finding for finding in found if finding.code == "deck_not_derived"]
    assert [finding.position for finding in decks] == [_version(groups, HandStarted)]
    assert "its card 5 should be" in decks[0].message
    assert {finding.code for finding in found} <= {"deck_not_derived", "exchange_not_derived"}


def test_while_the_game_runs_a_deck_is_not_judged_and_that_is_said() -> None:
    game = random_game(21, most=40, entropy=Cheat(21))
    result = audit(from_commits(GAME, game.log()))
    assert result.findings == ()
    assert any("root and decks" in text for text in result.not_checked)


def test_an_exchange_the_root_does_not_give_is_found_at_its_position() -> None:
    game = Game(entropy=Scripted(3)).join()
    keep_all(game, ["north"])
    right = Scripted(3).exchange(game.table, "north", 1)
    other_card = next(card for card in game.table.house.pile or () if card not in right)
    game.entropy.draws = [(other_card,)]
    game.play("north", moves.Exchange(game.table.north.hand[:1]))
    game.play("north", moves.Resign())
    groups = groups_of(game)
    assert said_of(groups) == [("exchange_not_derived", "1.x1")]
    (finding,) = audit(from_commits(GAME, chained(groups))).findings
    assert right[0] in finding.message
    assert other_card in finding.message


def test_a_stock_that_is_no_deck_is_found_and_says_what_is_twice_and_what_is_missing() -> None:
    place = place_of(GROUPS, is_a(HandStarted))
    event = GROUPS[place[0]][place[1]]
    assert isinstance(event.secret, Stock)
    right = event.secret.stock
    stock = (*right[:9], right[5], *right[10:])
    groups = edited(GROUPS, place, secret=Stock(stock))
    (finding, *_) = audit(from_commits(GAME, chained(groups))).findings
    assert (finding.code, finding.position) == ("bad_deck", _version(GROUPS, HandStarted))
    assert f"{right[5]} is in the stock 2 times and {right[9]} is not" in finding.message


def test_revealed_bytes_that_were_not_committed_to_are_found_at_the_reveal() -> None:
    place = place_of(GROUPS, is_a(ContributionRevealed, seat="north"))
    found = said_of(edited(GROUPS, place, data={"bytes": "0" * 64}))
    assert found[0] == ("contribution_mismatch", f"v{seq_at(GROUPS, place)}")
    assert {code for code, _ in found[1:]} <= {"deck_not_derived", "exchange_not_derived"}


def test_a_commitment_that_was_changed_is_found_at_the_reveal_alone() -> None:
    place = place_of(GROUPS, is_a(PlayerJoined, seat="south"))
    version = _version(GROUPS, ContributionRevealed)
    assert said_of(edited(GROUPS, place, data={"contribution": "0" * 64})) == [("contribution_mismatch", version)]


# The draft --------------------------------------------------------------------------------------------------------------


def test_a_card_kept_that_did_not_lie_there_is_found_at_its_draft_turn() -> None:
    place = place_of(GROUPS, is_a(CardKept), 4)
    held = GROUPS[place[0]][place[1]].secret
    assert isinstance(held, OneCard)
    strange = next(card for card in DECK if card != held.card)
    assert said_of(edited(GROUPS, place, secret=OneCard(strange))) == [("card_not_from_stock", "1.d5")]


def test_a_card_thrown_that_did_not_lie_there_is_found_at_its_draft_turn() -> None:
    for nth in range(6):
        place = place_of(GROUPS, is_a(CardDiscarded), nth)
        held = GROUPS[place[0]][place[1]].secret
        assert isinstance(held, OneCard)
        strange = next(card for card in DECK if card != held.card)
        assert said_of(edited(GROUPS, place, secret=OneCard(strange))) == [("card_not_from_stock", f"1.d{nth + 1}")]


@pytest.mark.parametrize(("was", "lie"), [("first", "second"), ("second", "first")])
def test_a_choice_that_was_not_made_is_found_at_its_draft_turn(was: str, lie: str) -> None:
    place = place_of(GROUPS, is_a(CardKept, choice=was))
    (code, position), *_ = said_of(edited(GROUPS, place, data={"choice": lie}))
    assert code == "card_not_from_stock"
    assert position.startswith("1.d")


def test_the_two_cards_of_a_turn_exchanged_for_one_another_are_found() -> None:
    c, e = place_of(GROUPS, is_a(CardKept), 2)
    kept, thrown = GROUPS[c][e].secret, GROUPS[c][e + 1].secret
    groups = edited(edited(GROUPS, (c, e), secret=thrown), (c, e + 1), secret=kept)
    assert said_of(groups) == [("card_not_from_stock", "1.d3")]


# Owners -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [GameCreated, PlayerJoined, HandStarted, CardKept, CardDiscarded])
def test_a_wrong_owner_is_found_at_its_event(kind: type[Any]) -> None:
    place = place_of(GROUPS, is_a(kind))
    event = GROUPS[place[0]][place[1]]
    wrong = next(owner for owner in ("house", "north", "south") if owner != event.owner)
    found = said_of(edited(GROUPS, place, owner=wrong))
    assert [code for code, _ in found] == ["wrong_owner"]
    assert found[0][1] in (f"v{seq_at(GROUPS, place)}", "1.d1")


def test_a_wrong_owner_of_an_exchange_is_found() -> None:
    place = place_of(SWAP, is_a(CardsExchanged))
    assert said_of(edited(SWAP, place, owner="south")) == [("wrong_owner", "1.x1")]


@pytest.mark.parametrize(("second_card", "wrong"), [("hidden", "north"), ("seen", "house")])
def test_who_may_see_the_card_behind_a_kept_one_is_judged_by_the_ruleset(second_card: str, wrong: str) -> None:
    game = Game({"second_card": second_card}).join()
    game.play("north", moves.Look(), moves.Keep())
    groups = groups_of(game)
    assert said_of(groups) == []
    assert said_of(edited(groups, place_of(groups, is_a(CardDiscarded)), owner=wrong)) == [("wrong_owner", "1.d1")]


def test_a_passed_card_is_its_drawers() -> None:
    game = Game().join()
    game.play("north", moves.Look(), moves.Pass())
    groups = groups_of(game)
    assert said_of(edited(groups, place_of(groups, is_a(CardDiscarded)), owner="house")) == [("wrong_owner", "1.d1")]


# The exchange -----------------------------------------------------------------------------------------------------------

X = place_of(SWAP, is_a(CardsExchanged))
SECRET = SWAP[X[0]][X[1]].secret
assert isinstance(SECRET, Exchanged)


def _lied(**changes: Any) -> list[tuple[str, str]]:
    return said_of(edited(SWAP, X, secret=msgspec.structs.replace(SECRET, **changes)))


def test_a_card_thrown_that_was_not_held_is_found() -> None:
    assert isinstance(SECRET, Exchanged)
    strange = SECRET.drawn[0]
    assert _lied(discarded=(strange, SECRET.discarded[1])) == [("card_not_held", "1.x1")]


def test_a_card_thrown_twice_is_found() -> None:
    assert isinstance(SECRET, Exchanged)
    assert _lied(discarded=(SECRET.discarded[0],) * 2) == [("card_twice", "1.x1")]


def test_a_card_drawn_that_was_not_in_the_pile_is_found() -> None:
    assert isinstance(SECRET, Exchanged)
    assert _lied(drawn=(SECRET.discarded[0], SECRET.drawn[1])) == [("card_not_in_pile", "1.x1")]


def test_a_card_drawn_that_the_other_holds_is_found() -> None:
    assert isinstance(SECRET, Exchanged)
    south = next(
        event.secret.card
        for group in SWAP
        for event in group
        if isinstance(event.data, CardKept) and event.data.seat == "south" and isinstance(event.secret, OneCard)
    )
    assert _lied(drawn=(south, SECRET.drawn[1])) == [("card_not_in_pile", "1.x1")]


def test_a_card_drawn_twice_is_found() -> None:
    assert isinstance(SECRET, Exchanged)
    assert _lied(drawn=(SECRET.drawn[0],) * 2) == [("card_twice", "1.x1")]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_another_number_than_the_cards_is_found(count: int) -> None:
    assert said_of(edited(SWAP, X, data={"count": count})) == [("wrong_count", "1.x1")]


@pytest.mark.parametrize("field", ["discarded", "drawn"])
def test_more_thrown_than_drawn_or_the_other_way_round_is_found(field: str) -> None:
    assert isinstance(SECRET, Exchanged)
    assert _lied(**{field: getattr(SECRET, field)[:1]}) == [("wrong_count", "1.x1")]


def test_more_cards_than_the_ruleset_allows_are_found_once() -> None:
    rules = {**GROUPS[0][0].data.rules, "exchange_max": 1}  # type: ignore[attr-defined]
    game = _exchanged(2)
    groups = edited(groups_of(game), (0, 0), data={"rules": {**rules, "max_hands": 100}})
    assert said_of(groups) == [("too_many_cards", "1.x1")]


def test_an_exchange_where_there_is_none_is_found() -> None:
    rules = {**SWAP[0][0].data.rules, "exchange_max": 0}  # type: ignore[attr-defined]
    assert said_of(edited(SWAP, (0, 0), data={"rules": rules})) == [("not_their_turn", "1.x1")]


def test_an_exchange_in_another_hand_is_found() -> None:
    assert said_of(edited(SWAP, X, data={"hand": 2})) == [("wrong_hand", "1.x1")]


def test_an_exchange_by_who_bid_no_double_nil_is_found() -> None:
    groups = edited(SWAP, X, data={"seat": "south"}, owner="south")
    assert said_of(groups) == [("not_their_turn", "1.x1")]


def test_an_exchange_out_of_a_pile_of_which_a_card_is_not_shown_is_left_unjudged() -> None:
    record = EXCHANGED.record()
    seq = seq_at(SWAP, place_of(SWAP, is_a(CardDiscarded)))
    events = tuple(Stored(event.public) if n == seq else event for n, event in enumerate(record.events, 1))
    assert said(from_record(msgspec.structs.replace(record, events=events))) == [("sealed_missing", f"v{seq}")]


# What a player can see in a record of a running game ---------------------------------------------------------------------


def _partial(groups: Groups, seat: Seat) -> list[tuple[str, str]]:
    return said(from_record(record_for(GAME, chained(groups), seat, ended=False)))


RUNNING = given("AH 4H", "KH 3S", double_nil=["north"])
RUNNING.play("north", moves.Exchange(cards("AH")))
bid(RUNNING, {"south": 3})
RUNNING.card("KH", "4H")
RUN = groups_of(RUNNING)


def test_the_partial_record_of_an_honest_running_game_is_ok() -> None:
    assert _partial(RUN, "north") == _partial(RUN, "south") == []


def test_a_player_sees_a_card_dealt_to_them_twice() -> None:
    first = place_of(RUN, is_a(CardKept, seat="north"))
    second = place_of(RUN, is_a(CardKept, seat="north"), 1)
    groups = edited(RUN, second, secret=RUN[first[0]][first[1]].secret)
    assert _partial(groups, "north") == [("card_twice", "1.d3")]
    assert _partial(groups, "south") == []


def test_a_player_sees_a_card_come_back_that_was_passed() -> None:
    game = Game().join()
    game.play("north", moves.Look(), moves.Pass())
    game.play("south", moves.Look(), moves.Keep())
    game.play("north", moves.Keep())
    groups = groups_of(game)
    passed = groups[place_of(groups, is_a(CardDiscarded, seat="north"))[0]][-1].secret
    lied = edited(groups, place_of(groups, is_a(CardKept, seat="north"), 1), secret=passed)
    assert _partial(lied, "north") == [("card_twice", "1.d3")]


def test_a_player_sees_a_draw_of_a_card_still_held() -> None:
    place = place_of(RUN, is_a(CardsExchanged))
    groups = edited(RUN, place, secret={"drawn": cards("4H")})
    assert _partial(groups, "north") == [("card_not_in_pile", "1.x1")]


def test_a_player_sees_the_other_play_a_card_that_is_in_the_own_hand() -> None:
    place = place_of(RUN, is_a(CardPlayed, card="KH"))
    own = RUNNING.table.north.hand[0]
    groups = edited(RUN, place, data={"card": own})
    assert _partial(groups, "north") == [("card_not_held", "1.1.1")]


def test_a_player_sees_a_wrong_owner_of_an_own_part() -> None:
    game = Game().join()
    game.play("north", moves.Look(), moves.Keep())
    groups = groups_of(game)
    lied = edited(groups, place_of(groups, is_a(CardDiscarded)), owner="north")
    assert _partial(lied, "north") == [("wrong_owner", "1.d1")]


def test_secrets_of_event_1_are_those_of_the_service() -> None:
    assert isinstance(GROUPS[0][0].secret, GameSecrets)
