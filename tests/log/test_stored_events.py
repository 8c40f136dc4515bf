"""Events as bytes (fairness.md, Public and sealed; The events): what is read as an event and what is not."""

import re
from typing import Any

import msgspec
import pytest

from events import log
from events.canonical import decode, encode
from events.cards import CARD_PATTERN, DECK, in_order, other, suit_name
from events.log import BadEvent, NotCanonical, Stored, load
from events.types import TYPES, CardKept
from tests.kit.logs import GAME, chained
from tests.kit.random_games import random_game

GOOD = random_game(1, {"max_hands": 1})
KEPT = next(event for commit in GOOD.log() for event in commit.events if b'"card_kept"' in event.public)
BID = next(event for commit in GOOD.log() for event in commit.events if b'"bid_placed"' in event.public)
SCORED = next(event for commit in GOOD.log() for event in commit.events if b'"hand_scored"' in event.public)
CREATED = GOOD.log()[0].events[0]
STARTED = next(event for commit in GOOD.log() for event in commit.events if b'"hand_started"' in event.public)


def _public(event: Stored, **changes: Any) -> Stored:
    value = {**decode(event.public), **changes}
    return Stored(encode({key: item for key, item in value.items() if item is not None}), event.sealed)


def _data(event: Stored, **changes: Any) -> Stored:
    value = {**decode(event.public)["data"], **changes}
    return _public(event, data={key: item for key, item in value.items() if item is not None})


def _sealed(event: Stored, **changes: Any) -> Stored:
    assert event.sealed is not None
    value = {**decode(event.sealed), **changes}
    return Stored(event.public, encode({key: item for key, item in value.items() if item is not None}))


def test_every_event_of_a_game_is_the_same_after_store_and_load() -> None:
    for commit in GOOD.log():
        for event in commit.events:
            assert log.store(load(event)) == event


@pytest.mark.parametrize(
    "bad",
    [
        _public(KEPT, seq=0),
        _public(KEPT, seq="9"),
        _public(KEPT, seq=True),
        _public(KEPT, at=-1),
        _public(KEPT, at=True),
        _public(KEPT, at=None),
        _public(KEPT, type="card_eaten"),
        _public(KEPT, type=7),
        _public(KEPT, v=2),
        _public(KEPT, v=True),
        _public(KEPT, seal=None),
        _public(KEPT, seal="0" * 63),
        _public(KEPT, seal="A" * 64),
        _public(KEPT, seal=7),
        _public(KEPT, more=1),
        _public(KEPT, data=[]),
        _public(KEPT, data="x"),
        _data(KEPT, hand=0),
        _data(KEPT, hand=True),
        _data(KEPT, hand=None),
        _data(KEPT, choice="third"),
        _data(KEPT, seat="east"),
        _data(KEPT, card="QS"),
        _data(BID, tricks=14),
        _data(BID, tricks=-1),
        _data(BID, tricks="3"),
        _data(BID, tricks=True),
        _public(BID, seal="0" * 64),
        Stored(BID.public, KEPT.sealed),
        _data(SCORED, north=1),
        _data(CREATED, root_commitment="0"),
        _data(CREATED, rules={"target": True}),
        _data(CREATED, server_key={"id": "0" * 64, "ed25519": "="}),
        _sealed(KEPT, owner="east"),
        _sealed(KEPT, salt="0" * 31),
        _sealed(KEPT, salt="G" * 32),
        _sealed(KEPT, salt=7),
        _sealed(KEPT, salt=None),
        _sealed(KEPT, more=1),
        _sealed(KEPT, data={"card": "10S"}),
        _sealed(KEPT, data={"card": "QSS"}),
        _sealed(KEPT, data={"card": "qs"}),
        _sealed(STARTED, data={"stock": list(DECK[:51])}),
    ],
    ids=lambda event: (event.public[-60:] + (event.sealed or b"")[:40]).decode(),
)
def test_another_shape_is_no_event(bad: Stored) -> None:
    with pytest.raises(BadEvent):
        load(bad)


@pytest.mark.parametrize("text", [b"[]", b'"x"', b"7", b"{}"])
def test_what_is_no_object_of_the_right_keys_is_no_event(text: bytes) -> None:
    with pytest.raises(BadEvent, match="exactly the keys"):
        load(Stored(text))
    with pytest.raises(BadEvent, match="exactly the keys"):
        load(Stored(KEPT.public, text))


def test_bytes_that_are_not_canonical_are_refused_in_either_part() -> None:
    assert KEPT.sealed is not None
    for bad in (Stored(b" " + KEPT.public, KEPT.sealed), Stored(KEPT.public, KEPT.sealed + b" ")):
        with pytest.raises(NotCanonical):
            load(bad)


def test_the_message_names_what_does_not_fit() -> None:
    with pytest.raises(BadEvent, match="tricks"):
        load(_data(BID, tricks=14))
    with pytest.raises(BadEvent, match="card_eaten"):
        load(_public(KEPT, type="card_eaten"))
    with pytest.raises(BadEvent, match="version 2 of card_kept"):
        load(_public(KEPT, v=2))


def test_an_event_without_its_sealed_part_keeps_the_seal_and_tells_nothing_else() -> None:
    event = load(Stored(KEPT.public))
    assert isinstance(event.data, CardKept)
    assert (event.secret, event.owner, event.salt) == (None, None, None)
    assert event.seal is not None


def test_nothing_is_stored_without_a_salt() -> None:
    event = load(KEPT)
    with pytest.raises(NotCanonical):
        log.store(msgspec.structs.replace(event, salt=None))


def test_every_salt_of_a_game_is_another() -> None:
    salts = [event.salt for event in GOOD.events if event.salt is not None]
    assert len(set(salts)) == len(salts) > 50


def test_two_sealed_parts_that_differ_only_in_the_salt_have_other_seals() -> None:
    event = load(KEPT)
    other_salt = log.store(msgspec.structs.replace(event, salt="0" * 32, seal=None))
    assert load(other_salt).seal != event.seal
    assert b"QS" not in KEPT.public


def test_the_chain_begins_with_the_game_and_each_head_holds_all_before_it() -> None:
    publics = [event.public for commit in GOOD.log() for event in commit.events]
    heads = log.heads(GAME, publics)
    assert heads[-1] == GOOD.log()[-1].head
    assert log.heads("0" * 16, publics)[0] != heads[0]
    assert log.heads(GAME, [publics[1], publics[0]])[-1] != heads[1]
    assert log.head_after(log.genesis(GAME), GOOD.log()[0].events) == heads[1]


def test_a_commit_knows_its_first_event() -> None:
    first, second = chained([GOOD.events[:2], GOOD.events[2:4]])
    assert (first.first, first.seq, second.first, second.seq) == (1, 2, 3, 4)


def test_cards_have_one_name_each() -> None:
    assert all(re.match(CARD_PATTERN, card) for card in DECK)
    assert in_order(list(reversed(DECK))) == DECK
    assert suit_name(DECK[0]) == "clubs"
    assert (other("north"), other("south")) == ("south", "north")


def test_every_type_that_may_be_sealed_says_who_may_own_it() -> None:
    for row in TYPES.values():
        assert bool(row.owners) == (row.secret is not None)
        assert row.opened or row.name in ("player_joined", "dispute_opened")


@pytest.mark.parametrize(
    "more", [{"listed": True}, {"rated": True}, {"names": {"north": "Ann", "south": "Bo"}}, {"after": GAME}]
)
def test_a_created_game_is_version_2_just_where_it_says_what_version_1_cannot(more: dict[str, Any]) -> None:
    assert decode(CREATED.public)["v"] == 1
    changed = _public(_data(CREATED, **more), v=2)
    assert log.store(load(changed)).public == changed.public
    for bad in (_data(CREATED, **more), _public(CREATED, v=2), _public(changed, v=3)):
        with pytest.raises(BadEvent, match="version"):
            load(bad)
