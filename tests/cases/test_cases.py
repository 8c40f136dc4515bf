"""Every case of the independent program: scores, whole games at every step, the bytes of the log, whole records."""

import hashlib
import hmac
import io
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from events import canonical, log, record, shuffle
from events.canonical import NotCanonical
from events.cards import SEATS, Card
from events.hashing import H, M
from events.ruleset import with_options
from events.types import GameEnded, HandScored, HandStarted, Stock
from projections.audit import audit, from_record
from projections.fold import fold
from projections.legal import options
from projections.scoring import score_hand
from projections.table import empty
from service.games import moves
from tests.kit.entropy import Scripted
from tests.kit.games import SIMPLE, Game
from tests.kit.logs import GAME

HERE = Path(__file__).parent
SCORES = json.loads((HERE / "scoring.json").read_text())
GAMES = json.loads((HERE / "games.json").read_text())
FAIRNESS = json.loads((HERE / "fairness.json").read_text())
RECORDS = ["record-1.ndjson", "record-2.ndjson", "record-3.ndjson"]
ROOT = bytes.fromhex(FAIRNESS["root"])


@pytest.mark.parametrize("case", SCORES, ids=lambda case: case["why"])
def test_a_hand_scores_as_the_case_says(case: dict[str, Any]) -> None:
    before = case["before"]
    line = score_hand(with_options(case["rules"]), before["total"], before["bags"], case["bid"], case["tricks"])
    assert {name: getattr(line, name) for name in case["after"]} == case["after"]


@pytest.mark.parametrize("case", GAMES, ids=[str(number) for number in range(len(GAMES))])
def test_a_whole_game_goes_as_the_case_says_at_every_step(case: dict[str, Any]) -> None:
    stocks = {hand["hand"]: [Card(card) for card in hand["stock"]] for hand in case["hands"]}
    entropy = Scripted(stocks=stocks)
    game = Game(case["rules"], first=case["first"], entropy=entropy).join()
    for hand in case["hands"]:
        _play_as_told(game, entropy, hand)
    o = game.table.open
    assert o.result is not None
    assert (o.result.winner or "draw") == case["winner"]
    assert {seat: o.player(seat).total for seat in SEATS} == case["totals"]
    assert {seat: o.player(seat).bags for seat in SEATS} == case["bags"]
    assert o.hand == len(case["hands"])


def _play_as_told(game: Game, entropy: Scripted, hand: dict[str, Any]) -> None:
    o = game.table.open
    assert (o.hand, o.hand_first) == (hand["hand"], hand["first"])
    trace = iter(hand["trace"])
    drafted = False
    for told in hand["moves"]:
        o, seat = game.table.open, told["seat"]
        assert game.turn == seat
        if o.phase != "draft" and not drafted:
            drafted = True
            assert {each: list(game.table.own(each).hand) for each in SEATS} == hand["drafted"]
        if told["type"] == "play":
            if o.trick is not None and (o.trick.number, o.trick.cards) == (1, ()):
                assert {each: list(game.table.own(each).hand) for each in SEATS} == hand["held"]
            _play_a_card(game, told, next(trace))
        elif told["type"] == "bid":
            game.play(seat, moves.Bid(told["tricks"]))
        elif told["type"] == "exchange":
            entropy.draws.append(tuple(told["drawn"]))
            game.play(seat, moves.Exchange(tuple(told["discard"])))
        else:
            game.play(seat, SIMPLE[told["type"]]())
    assert next(trace, None) is None
    scored = next(event.data for event in game.commits[-1] if isinstance(event.data, HandScored))
    for seat in SEATS:
        line = scored.north if seat == "north" else scored.south
        assert line.tricks == hand["tricks"][seat]
        assert line.bid == hand["bids"][seat]
        assert {name: getattr(line, name) for name in hand["score"][seat]} == hand["score"][seat]


def _play_a_card(game: Game, told: dict[str, Any], traced: dict[str, Any]) -> None:
    seat = told["seat"]
    assert (traced["seat"], traced["play"]) == (seat, told["card"])
    (option,) = options(game.table.open, seat, game.table.own(seat))
    assert list(option.cards) == traced["legal"]
    before = {each: game.table.open.player(each).tricks for each in SEATS}
    hand = game.table.open.hand
    game.play(seat, moves.Play(Card(told["card"])))
    o = game.table.open
    if "winner" in traced and o.hand == hand:
        assert o.last_trick is not None
        assert o.last_trick.winner == traced["winner"]
        winner = traced["winner"]
        assert o.player(winner).tricks == before[winner] + 1


@pytest.mark.parametrize("text", FAIRNESS["canonical_refused"])
def test_a_reader_refuses_what_is_not_canonical(text: str) -> None:
    with pytest.raises(NotCanonical):
        canonical.decode(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("text", FAIRNESS["canonical_accepted"])
def test_a_reader_accepts_what_is_canonical_and_writes_it_again_byte_for_byte(text: str) -> None:
    assert canonical.encode(canonical.decode(text.encode())) == text.encode()


def test_the_commitments_are_those_of_the_vectors() -> None:
    assert shuffle.root_commitment(ROOT) == FAIRNESS["root_commitment"]
    for seat in SEATS:
        assert shuffle.contribution(bytes.fromhex(FAIRNESS[seat])) == FAIRNESS[f"contribution_{seat}"]


@pytest.mark.parametrize("case", FAIRNESS["hands"], ids=[str(number) for number in range(len(FAIRNESS["hands"]))])
def test_key_deck_and_exchanges_of_a_hand_are_those_of_the_vectors(case: dict[str, Any]) -> None:
    own = [bytes.fromhex(case[seat]) for seat in SEATS]
    key = shuffle.hand_key(ROOT, FAIRNESS["game"], case["hand"], *own)
    assert key.hex() == case["key"]
    assert list(shuffle.stock(key)) == case["stock"]
    pile = case["exchange"]["pile"]
    assert list(shuffle.exchange(key, "north", pile, 3)) == case["exchange"]["north_3"]
    assert list(shuffle.exchange(key, "south", pile, 1)) == case["exchange"]["south_1"]
    assert shuffle.exchange(key, "north", pile[::-1], 3) == shuffle.exchange(key, "north", pile, 3)


def test_the_words_are_those_of_the_vectors() -> None:
    told = FAIRNESS["words"]
    assert list(itertools.islice(shuffle.words(bytes(32), "deck"), len(told))) == told


def test_below_skips_the_words_of_the_last_incomplete_run() -> None:
    case = FAIRNESS["below"]
    used = 0

    def counted() -> Any:
        nonlocal used
        for word in shuffle.words(bytes.fromhex(case["key"]), case["label"]):
            used += 1
            yield word

    stream = counted()
    assert [shuffle.below(stream, case["n"]) for _ in case["values"]] == case["values"]
    assert used == case["words_used"]


def test_seal_canonical_bytes_and_heads_are_those_of_the_vectors() -> None:
    case = FAIRNESS["chain"]
    assert log.seal_of(canonical.encode(case["sealed"])) == case["seal"]
    publics = [canonical.encode(event) for event in case["events"]]
    assert publics == [text.encode() for text in case["canonical"]]
    heads = [log.genesis(FAIRNESS["game"]), *log.heads(FAIRNESS["game"], publics)]
    assert [head.hex() for head in heads] == case["heads"]


def test_the_tagged_functions_are_what_the_page_says() -> None:
    assert H("seal", b"x") == hashlib.sha256(b"trickbook/1/seal\x00x").digest()
    assert M(b"k", "hand", b"x") == hmac.new(b"k", b"trickbook/1/hand\x00x", "sha256").digest()


@pytest.fixture(params=RECORDS)
def raw(request: pytest.FixtureRequest) -> bytes:
    """A whole record."""
    return (HERE / str(request.param)).read_bytes()


def test_a_record_is_written_again_byte_for_byte(raw: bytes) -> None:
    assert record.write(record.read(io.BytesIO(raw))) == raw


def test_a_record_ends_with_the_head_of_its_header(raw: bytes) -> None:
    read = record.read(io.BytesIO(raw))
    assert len(read.events) == read.header.events
    assert log.heads(read.header.game, [event.public for event in read.events])[-1].hex() == read.header.head


def test_every_event_of_a_record_is_stored_again_byte_for_byte(raw: bytes) -> None:
    for stored in record.read(io.BytesIO(raw)).events:
        event = log.load(stored)
        if stored.sealed is None:
            assert event.type.name == "player_joined" or event.type.secret is None
        if event.type.secret is None or stored.sealed is not None:
            assert log.store(event) == stored
        if stored.sealed is not None:
            assert log.seal_of(stored.sealed) == event.seal


def test_a_record_folds_to_the_end_it_tells(raw: bytes) -> None:
    read = record.read(io.BytesIO(raw))
    events = [log.load(event) for event in read.events]
    ended = events[-1].data
    assert isinstance(ended, GameEnded)
    o = fold(empty(read.header.game), events).open
    assert o.phase == "ended"
    assert o.result is not None
    assert (o.result.winner, o.result.reason) == (ended.winner, ended.reason)
    assert (o.north.total, o.south.total) == (ended.totals.north, ended.totals.south)


def test_a_record_audits_ok(raw: bytes) -> None:
    result = audit(from_record(record.read(io.BytesIO(raw))))
    assert (result.verdict, result.findings) == ("ok", ())
    assert any(text.startswith("root, ") for text in result.checked)


def test_every_deck_of_a_record_is_derived_from_its_root_and_the_revealed_bytes(raw: bytes) -> None:
    read = record.read(io.BytesIO(raw))
    events = [log.load(event) for event in read.events]
    o = fold(empty(read.header.game), events).open
    ended = events[-1].data
    assert isinstance(ended, GameEnded)
    own = [bytes.fromhex(o.player(seat).revealed or "") for seat in SEATS]
    decks = 0
    for event in events:
        if isinstance(event.data, HandStarted) and isinstance(event.secret, Stock):
            key = shuffle.hand_key(bytes.fromhex(ended.root), read.header.game, event.data.hand, *own)
            assert shuffle.stock(key) == event.secret.stock
            decks += 1
    assert decks == o.hand


def test_the_records_have_between_them_every_type_of_event_of_play() -> None:
    names = {
        log.load(event).type.name for name in RECORDS for event in record.read(io.BytesIO((HERE / name).read_bytes())).events
    }
    assert names >= {"contribution_revealed", "double_nil_bid", "looked", "cards_exchanged", "bid_placed", "hand_scored"}


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]))
KEY = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
VALUE = st.recursive(
    st.booleans() | st.integers(-canonical.MAX_INTEGER, canonical.MAX_INTEGER) | TEXT,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(KEY, inside, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.dictionaries(KEY, VALUE, max_size=5))
def test_canonical_bytes_are_those_of_rfc8785_and_of_the_standard_library(value: dict[str, Any]) -> None:
    try:
        raw = canonical.encode(value)
    except NotCanonical as error:
        assert "nested" in str(error)  # noqa: PT017 - nothing else of this profile is refused
        return
    assert raw == rfc8785.dumps(value)
    assert raw == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert canonical.decode(raw) == value


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.dictionaries(KEY, VALUE, max_size=4), st.data())
def test_no_byte_of_canonical_text_can_be_changed_without_changing_its_value(
    value: dict[str, Any], data: st.DataObject
) -> None:
    try:
        raw = canonical.encode(value)
    except NotCanonical:
        return
    at = data.draw(st.integers(0, len(raw) - 1))
    other = raw[:at] + bytes([data.draw(st.integers(0, 255))]) + raw[at + 1 :]
    try:
        read = canonical.decode(other)
    except NotCanonical:
        return
    assert other == raw or json.dumps(read) != json.dumps(value)


def test_the_game_of_the_vectors_is_the_one_the_tests_play() -> None:
    assert FAIRNESS["game"] == GAME
