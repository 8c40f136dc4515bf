"""The fold: it takes events in their order and no others, and says what cannot have happened."""

from typing import Any

import msgspec
import pytest

from events.cards import SEATS, Card
from events.types import CardPlayed, CardsExchanged, Event, Exchanged, GameEnded, PlayerJoined
from projections.audience import may_open, seen_by
from projections.fold import Impossible, apply, fold
from projections.table import empty
from service.games import moves
from tests.kit.assertions import folded
from tests.kit.entropy import cards
from tests.kit.games import Game
from tests.kit.given import given, hands
from tests.kit.logs import GAME
from tests.kit.random_games import random_game

PLAYED = hands((5, 5, 6), rules={"max_hands": 1})


def test_people_fold_an_event_delivered_twice_is_refused_and_not_summed() -> None:
    table = fold(empty(GAME), PLAYED.events[:-2])
    scored, ended = PLAYED.events[-2:]
    once = apply(table, scored)
    with pytest.raises(Impossible, match=f"event {scored.seq} cannot follow event {scored.seq}"):
        apply(once, scored)
    assert apply(once, ended) == folded(PLAYED.log())


def test_people_fold_from_the_start_and_kept_beside_give_the_same_numbers() -> None:
    game = random_game(4, {"max_hands": 2})
    kept = empty(GAME)
    for length, event in enumerate(game.events, 1):
        kept = apply(kept, event)
        if length % 40 == 0:
            assert fold(empty(GAME), game.events[:length]) == kept
    assert kept == game.table


def test_an_event_too_early_is_refused() -> None:
    with pytest.raises(Impossible, match="event 2 cannot follow event 0"):
        apply(empty(GAME), PLAYED.events[1])


def _next(game: Game, data: Any, **more: Any) -> Event:
    return Event(game.table.open.version + 1, game.now, data, **more)


def test_nothing_follows_the_end() -> None:
    with pytest.raises(Impossible, match="play has ended"):
        apply(PLAYED.table, _next(PLAYED, PlayerJoined("south", "Eve")))


def test_a_seat_is_taken_once() -> None:
    game = Game()
    with pytest.raises(Impossible, match="north is taken"):
        apply(game.table, _next(game, PlayerJoined("north", "Eve")))


def test_a_card_is_played_only_in_the_play_by_the_seat_on_turn_and_from_its_hand() -> None:
    drafting = Game().join()
    with pytest.raises(Impossible, match="north is not to play a card"):
        apply(drafting.table, _next(drafting, CardPlayed(1, "north", 1, Card("AS"))))
    game = given("AS", "KH", bids={"north": 3, "south": 3})
    with pytest.raises(Impossible, match="north is not to play"):
        apply(game.table, _next(game, CardPlayed(1, "north", 1, Card("AS"))))
    with pytest.raises(Impossible, match="AS is not in south's hand"):
        apply(game.table, _next(game, CardPlayed(1, "south", 1, Card("AS"))))


def test_a_card_thrown_comes_from_the_hand() -> None:

    game = given("AS", "KH", double_nil=["south"])
    secret = Exchanged(cards("AS"), cards("2H"))
    with pytest.raises(Impossible, match="thrown that is not in the hand"):
        apply(game.table, _next(game, CardsExchanged(1, "south", 1), secret=secret, owner="south", salt="0" * 32))


def test_a_hand_of_which_a_part_is_missing_is_not_known_until_the_next_one() -> None:
    game = random_game(4, {"max_hands": 2, "target": 10_000})
    table = empty(GAME)
    known: dict[int, set[bool]] = {1: set(), 2: set()}
    for event in game.events:
        table = apply(table, seen_by(event, "north", ended=False))
        if table.open.phase == "play" and table.open.hand in known:
            known[table.open.hand] |= {table.south.known}
            assert table.north.known
            assert table.house.pile is None
            assert table.house.stock is None
    assert known == {1: {False}, 2: {False}}


def test_an_exchange_of_nothing_hides_nothing() -> None:
    game = given("", "", double_nil=["south"])
    game.play("south", moves.Exchange(()))
    event = game.events[-1]
    bare = msgspec.structs.replace(event, secret=None, owner=None, salt=None)
    before = fold(empty(GAME), game.events[:-1])
    assert apply(before, bare).south.known
    assert apply(before, bare).house.pile == before.house.pile
    hidden = msgspec.structs.replace(bare, data=CardsExchanged(1, "south", 1))
    assert not apply(before, hidden).south.known
    assert apply(before, hidden).house.pile is None


def test_a_sealed_part_is_its_owners_and_everybodys_after_the_end_but_for_the_joins() -> None:
    for event in PLAYED.events:
        for viewer in ("north", "south", "spectator"):
            owned = event.owner == viewer
            assert may_open(event, viewer, ended=False) == owned  # type: ignore[arg-type]
            opened = event.secret is not None and (owned or event.type.name != "player_joined")
            assert may_open(event, viewer, ended=True) == opened  # type: ignore[arg-type]


def test_what_is_not_seen_leaves_no_owner_and_no_salt_behind() -> None:
    for event in PLAYED.events:
        seen = seen_by(event, "spectator", ended=False)
        assert (seen.secret, seen.owner, seen.salt) == (None, None, None)
        assert (seen.data, seen.seal) == (event.data, event.seal)


def test_the_end_names_the_root_and_the_totals() -> None:
    data = PLAYED.events[-1].data
    assert isinstance(data, GameEnded)
    assert data.root == PLAYED.table.house.root
    assert (data.totals.north, data.totals.south) == (PLAYED.table.open.north.total, PLAYED.table.open.south.total)


def test_a_new_hand_begins_with_nothing_of_the_last() -> None:
    game = hands(("double_nil", 5, 6))
    o = game.table.open
    for seat in SEATS:
        player = o.player(seat)
        assert (player.bid, player.looked, player.exchanged, player.cards, player.tricks, player.played) == (
            None, False, None, 0, 0, (),
        )  # fmt: skip
        assert game.table.own(seat).hand == game.table.own(seat).discarded == ()
    assert (o.trick, o.last_trick, o.turns, o.broken) == (None, None, 0, False)
    assert game.table.house.pile == ()


def test_the_token_and_invite_hashes_outlive_the_hands() -> None:
    game = hands((5, 5, 6), (5, 5, 6))
    assert [game.table.house.token_hash(seat) for seat in SEATS] == ["b" * 64, "c" * 64]
    assert game.table.house.invite_hash == "a" * 64
