"""The quick way to read an event accepts only what the slow way accepts, and reads the same."""

import os
import random
from pathlib import Path

import pytest

from events import record, typed_reader
from events.canonical import NotCanonical, decode
from events.log import BadEvent, Stored, explained
from events.types import GameCreated
from tests.kit.logs import chained
from tests.kit.random_games import random_game

ROUNDS = int(os.environ.get("TRICKBOOK_FUZZ", "4000"))
"""Changed events a seed; hundreds of thousands by hand."""
CASES = sorted((Path(__file__).parents[1] / "cases").glob("record-*.ndjson"))
PIECES = (
    b"1.0", b"1e3", b"-0", b"01", b"null", b"true", b"NaN", b"9007199254740992", b"9007199254740993", b"12345678901234567890",
    b"\x00", b"\x1f", b"\x7f", b"\xc2\x85", b"\xed\xa0\x80", b"\xff", b"\xef\xbb\xbf", b"\\u0041", b"\\ud800", b"\\n", b"\\/",
    b'\\"', b" ", b"\n", b"[" * 1200, b'{"a":' * 9, b'"v":1,', b'"seq":1,', b'"A":1,', b'"":1,', b",", b'"', b"{", b"}",
    b"\xc3\xa9", b"0",
)  # fmt: skip


def stored_events() -> list[Stored]:
    """Events of every kind that games make: played by chance, and those of the independent records."""
    made = [
        event for seed in range(3) for commit in chained(random_game(seed, {"max_hands": 2}).commits) for event in commit.events
    ]
    with CASES[0].open("rb") as file:
        return made + list(record.read(file).events[:400])


def test_every_event_of_a_log_is_read_the_quick_way_but_the_first() -> None:
    for stored in stored_events():
        event = typed_reader.read(stored.public, stored.sealed)
        slow = explained(stored)
        assert event == (None if isinstance(slow.data, GameCreated) else slow)


def changed(dice: random.Random, raw: bytes) -> bytes:
    """The bytes with one or two places cut, doubled or replaced."""
    for _ in range(dice.randint(1, 2)):
        at = dice.randrange(len(raw) + 1)
        to = min(len(raw), at + dice.choice((0, 0, 1, 1, 2, 5, 20)))
        piece = dice.choice((dice.choice(PIECES), b"", bytes((dice.randrange(256),)), raw[dice.randrange(len(raw) or 1) :][:9]))
        raw = raw[:at] + piece + raw[to:]
    return raw


@pytest.mark.parametrize("seed", range(4))
def test_what_the_quick_way_accepts_the_slow_way_reads_as_the_same_event(seed: int) -> None:
    dice = random.Random(seed)
    events = stored_events()
    accepted = 0
    for _ in range(ROUNDS):
        base, other = dice.choice(events), dice.choice(events)
        public = changed(dice, base.public) if dice.random() < 0.7 else base.public
        sealed = dice.choice((base.sealed, base.sealed, other.sealed, None))
        if sealed is not None and dice.random() < 0.5:
            sealed = changed(dice, sealed)
        event = typed_reader.read(public, sealed)
        if event is not None:
            accepted += 1
            assert event == explained(Stored(public, sealed)), (public, sealed)
    assert accepted > ROUNDS // 50, "a part of the changes must leave an event, or nothing is compared"


@pytest.mark.parametrize("seed", range(2))
def test_a_line_of_a_record_is_read_as_the_slow_way_reads_it(seed: int) -> None:
    dice = random.Random(seed)
    lines = CASES[0].read_bytes().split(b"\n")[1:300]
    for _ in range(ROUNDS):
        line = changed(dice, dice.choice(lines))
        quick = record.event_of(line)
        if quick is not None:
            value = decode(line)
            assert (decode(quick.public), quick.sealed and decode(quick.sealed)) == (value["public"], value.get("sealed"))
            explained(quick)


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_what_the_profile_refuses_in_a_sentence_is_refused_the_quick_way(piece: bytes) -> None:
    """A reason is free text: the one place where the types alone allow what the profile does not."""
    public = b'{"at":1,"data":{"n":1,"reason":"a' + piece + b'b","verdict":"upheld"},"seq":9,"type":"dispute_settled","v":1}'
    try:
        slow = explained(Stored(public))
    except (NotCanonical, BadEvent):
        slow = None
    assert typed_reader.read(public, None) in (None, slow)
