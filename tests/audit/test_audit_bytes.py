"""The first pass of the audit: bytes, numbers, times, seals, chain, receipts, header. Each damage is named with its place."""

import io
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from events import record
from events.canonical import decode, encode
from events.log import Commit, Stored
from events.record import Record, UnreadableRecord
from events.types import BidPlaced, CardKept, CardPlayed, HandStarted, PlayerJoined
from projections.audit import audit, from_commits, from_record
from tests.kit.assertions import said, said_of
from tests.kit.forged import edited, groups_of, is_a, place_of, seq_at
from tests.kit.logs import GAME, OTHER_SIGNER, SIGNER, chained, rechained
from tests.kit.random_games import random_game

PLAYED = random_game(11, {"max_hands": 1}, contributions=["north", "south"])
LOG = PLAYED.log()
RECORD = PLAYED.record()
GROUPS = groups_of(PLAYED)
BID = seq_at(GROUPS, place_of(GROUPS, is_a(BidPlaced)))
PLAY = place_of(GROUPS, is_a(CardPlayed, trick=5), 0)
PLAY_SEQ = seq_at(GROUPS, PLAY)
KEPT_SEQ = seq_at(GROUPS, place_of(GROUPS, is_a(CardKept), 4))


def _bytes(commits: Sequence[Commit]) -> list[list[Stored]]:
    return [list(commit.events) for commit in commits]


def _with(commits: Sequence[Commit], seq: int, change: Any) -> list[Commit]:
    """The commits with the events of one commit changed by `change(events, index)`, nothing else repaired."""
    found = []
    for commit in commits:
        if commit.first <= seq <= commit.seq:
            events = list(commit.events)
            change(events, seq - commit.first)
            commit = msgspec.structs.replace(commit, events=tuple(events))
        found.append(commit)
    return found


def _record(events: Sequence[Stored], **changes: Any) -> Record:
    return msgspec.structs.replace(RECORD, events=tuple(events), **changes)


def _public(event: Stored, **changes: Any) -> Stored:
    return Stored(encode({**decode(event.public), **changes}), event.sealed)


def test_the_game_without_damage_is_ok_from_the_store_and_as_a_record() -> None:
    assert said(from_commits(GAME, LOG)) == said(from_record(RECORD)) == []
    assert _bytes(rechained(_bytes(LOG))) == _bytes(LOG)
    assert [commit.head for commit in rechained(_bytes(LOG))] == [commit.head for commit in LOG]


# Events that are not where they were ------------------------------------------------------------------------------------


def test_an_event_removed_is_missing_at_its_number() -> None:
    damaged = _with(LOG, PLAY_SEQ, lambda events, at: events.pop(at))
    assert said(from_commits(GAME, damaged)) == [("event_missing", f"v{PLAY_SEQ}")]
    kept = [event for number, event in enumerate(RECORD.events, 1) if number != PLAY_SEQ]
    assert said(from_record(_record(kept))) == [("event_missing", f"v{PLAY_SEQ}")]


def test_a_whole_commit_removed_is_missing_at_its_first_number() -> None:
    gone = next(i for i, commit in enumerate(LOG) if commit.first <= KEPT_SEQ <= commit.seq)
    assert said(from_commits(GAME, [*LOG[:gone], *LOG[gone + 1 :]])) == [("event_missing", f"v{KEPT_SEQ}")]


def test_an_event_doubled_is_found_at_its_second_place() -> None:
    damaged = _with(LOG, PLAY_SEQ, lambda events, at: events.insert(at, events[at]))
    assert said(from_commits(GAME, damaged)) == [("event_doubled", f"v{PLAY_SEQ + 1}")]
    events = [*RECORD.events[:PLAY_SEQ], *RECORD.events[PLAY_SEQ - 1 :]]
    (finding,) = audit(from_record(_record(events))).findings
    assert (finding.code, finding.position) == ("event_doubled", f"v{PLAY_SEQ + 1}")
    assert "is there twice:" in finding.message


def test_an_event_with_the_number_of_another_and_other_bytes_is_told_from_a_doubled_one() -> None:
    other = _public(RECORD.events[PLAY_SEQ - 1], at=9)
    events = [*RECORD.events[:PLAY_SEQ], other, *RECORD.events[PLAY_SEQ:]]
    (finding,) = audit(from_record(_record(events))).findings
    assert (finding.code, finding.position) == ("event_renumbered", f"v{PLAY_SEQ + 1}")
    assert "is there twice, with other bytes" in finding.message


def test_two_events_swapped_are_found_at_the_first_of_them() -> None:
    events = list(RECORD.events)
    events[PLAY_SEQ - 1], events[PLAY_SEQ] = events[PLAY_SEQ], events[PLAY_SEQ - 1]
    assert said(from_record(_record(events))) == [("events_swapped", f"v{PLAY_SEQ}")]
    c, _ = place_of(GROUPS, is_a(CardKept), 4)
    damaged = list(LOG)
    damaged[c] = msgspec.structs.replace(LOG[c], events=LOG[c].events[::-1])
    assert said(from_commits(GAME, damaged)) == [("events_swapped", f"v{LOG[c].first}")]


def test_an_event_edited_is_found_at_the_head_of_its_commit_and_in_a_record_at_the_last_head() -> None:
    index = next(commit.seq for commit in LOG if len(commit.events) == 1 and b'"player_joined"' in commit.events[0].public)

    def rename(events: list[Stored], at: int) -> None:
        data = {**decode(events[at].public)["data"], "name": "Eve"}
        events[at] = _public(events[at], data=data)

    damaged = _with(LOG, index, rename)
    assert said(from_commits(GAME, damaged)) == [("head_mismatch", f"v{index}")]
    events = list(RECORD.events)
    rename(events, index - 1)
    assert said(from_record(_record(events))) == [("head_mismatch", f"v{len(events)}")]
    (finding,) = audit(from_record(_record(events))).findings
    assert f"one of the events 1 to {len(events)}" in finding.message


def test_a_changed_head_names_its_event_where_it_is_the_only_one_of_its_commit() -> None:
    place = next(commit for commit in LOG if commit.seq == PLAY_SEQ)
    damaged = [msgspec.structs.replace(c, head=b"\0" * 32) if c is place else c for c in LOG]
    (finding,) = audit(from_commits(GAME, damaged)).findings
    assert (finding.code, finding.position) == ("head_mismatch", f"v{PLAY_SEQ}")
    assert f"event {PLAY_SEQ} was changed" in finding.message


def test_events_beyond_or_short_of_the_number_claimed_are_named() -> None:
    header = RECORD.header
    more = msgspec.structs.replace(header, events=header.events + 5)
    assert said(from_record(msgspec.structs.replace(RECORD, header=more))) == [("events_cut", f"v{header.events + 1}")]
    less = msgspec.structs.replace(header, events=header.events - 5)
    found = said(from_record(msgspec.structs.replace(RECORD, header=less)))
    assert ("events_added", f"v{header.events - 4}") in found
    assert ("head_mismatch", f"v{header.events - 5}") in found
    assert len(found) == 2


# Bytes that are no event ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda event: Stored(b" " + event.public), "not_canonical"),
        (lambda event: Stored(b""), "not_canonical"),
        (lambda event: _public(event, type="card_eaten"), "not_an_event"),
        (lambda event: _public(event, v=2), "not_an_event"),
        (lambda event: _public(event, data={}), "not_an_event"),
        (lambda event: Stored(event.public, b"{}"), "not_an_event"),
    ],
)
def test_what_is_no_event_is_named_and_everything_before_it_is_still_judged(change: Any, code: str) -> None:
    groups = _bytes(LOG)
    c, e = PLAY
    commits = list(LOG)
    changed = [*groups[c][:e], change(groups[c][e]), *groups[c][e + 1 :]]
    commits[c] = msgspec.structs.replace(commits[c], events=tuple(changed))
    result = audit(from_commits(GAME, commits))
    assert [(finding.code, finding.position) for finding in result.findings] == [(code, f"v{PLAY_SEQ}")]
    assert any(f"event {PLAY_SEQ} cannot be read" in text for text in result.not_checked)
    assert f"form and numbers of {PLAY_SEQ - 1} events" in result.checked
    assert f"chain up to event {PLAY_SEQ - 1}" in result.checked


def test_two_damages_are_both_named_although_the_second_ends_the_reading() -> None:
    events = list(RECORD.events)
    stored = events[KEPT_SEQ - 1]
    events[KEPT_SEQ - 1] = _salted(stored)
    raw = record.write(_record(events)).splitlines(keepends=True)
    raw[PLAY_SEQ] = b"nonsense\n"
    with pytest.raises(UnreadableRecord) as caught:
        record.read(io.BytesIO(b"".join(raw)))
    assert caught.value.read is not None
    found = said(from_record(caught.value.read, caught.value))
    assert found == [("seal_mismatch", f"v{KEPT_SEQ}"), ("not_canonical", f"v{PLAY_SEQ}")]


@pytest.mark.parametrize("line", [b"nonsense\n", b'{"public":{}', b'{"other":1}\n'])
def test_a_broken_line_in_the_middle_of_a_record_is_named_and_what_stands_before_it_judged(line: bytes) -> None:
    raw = record.write(RECORD).splitlines(keepends=True)
    raw[PLAY_SEQ] = line
    with pytest.raises(UnreadableRecord) as caught:
        record.read(io.BytesIO(b"".join(raw)))
    error = caught.value
    assert error.read is not None
    assert error.line == PLAY_SEQ + 1
    result = audit(from_record(error.read, error))
    assert [(finding.code, finding.position) for finding in result.findings] == [("not_canonical", f"v{PLAY_SEQ}")]
    assert f"line {PLAY_SEQ + 1}" in result.findings[0].message
    assert any("everything from there on" in text for text in result.not_checked)
    assert f"form and numbers of {PLAY_SEQ - 1} events" in result.checked
    assert not any("chain" in text or "receipt" in text for text in result.checked)


# Times ------------------------------------------------------------------------------------------------------------------


def test_time_that_goes_back_is_found_where_it_does() -> None:
    groups = edited(GROUPS, PLAY, at=GROUPS[PLAY[0] - 1][-1].at - 1)
    assert said_of(groups) == [("time_went_back", f"v{PLAY_SEQ}")]


def test_time_that_stands_still_is_in_order() -> None:
    assert said_of(edited(GROUPS, PLAY, at=GROUPS[PLAY[0] - 1][-1].at)) == []


# Seals ------------------------------------------------------------------------------------------------------------------


def _salted(event: Stored) -> Stored:
    assert event.sealed is not None
    return Stored(event.public, encode({**decode(event.sealed), "salt": "0" * 32}))


def test_a_sealed_part_changed_is_not_the_one_its_seal_was_made_of() -> None:
    damaged = _with(LOG, KEPT_SEQ, lambda events, at: events.__setitem__(at, _salted(events[at])))
    assert said(from_commits(GAME, damaged)) == [("seal_mismatch", f"v{KEPT_SEQ}")]
    events = list(RECORD.events)
    events[KEPT_SEQ - 1] = _salted(events[KEPT_SEQ - 1])
    assert said(from_record(_record(events))) == [("seal_mismatch", f"v{KEPT_SEQ}")]


def test_a_seal_changed_and_the_chain_repaired_is_found_at_its_event() -> None:
    groups = _bytes(LOG)
    c, e = place_of(GROUPS, is_a(CardKept), 4)
    groups[c][e] = _public(groups[c][e], seal="0" * 64)
    assert said(from_commits(GAME, rechained(groups))) == [("seal_mismatch", f"v{KEPT_SEQ}")]


@pytest.mark.parametrize("kind", [CardKept, HandStarted])
def test_a_sealed_part_missing_after_the_end_is_named_and_nobody_is_accused_of_anything_else(kind: Any) -> None:
    for nth in (0, -1):
        seq = seq_at(GROUPS, place_of(GROUPS, is_a(kind), nth))
        events = list(RECORD.events)
        events[seq - 1] = Stored(events[seq - 1].public)
        assert said(from_record(_record(events))) == [("sealed_missing", f"v{seq}")]


def test_every_sealed_part_that_is_missing_after_the_end_is_named() -> None:
    missing = [n for n, event in enumerate(RECORD.events, 1) if event.sealed is not None]
    assert len(missing) > 50
    found = said(from_record(_record([Stored(event.public) for event in RECORD.events])))
    assert found == [("sealed_missing", f"v{seq}") for seq in missing]


def test_the_sealed_parts_of_the_joins_stay_closed_in_a_record_and_must_be_in_the_store() -> None:
    seq = seq_at(GROUPS, place_of(GROUPS, is_a(PlayerJoined)))
    assert RECORD.events[seq - 1].sealed is None
    damaged = _with(LOG, seq, lambda events, at: events.__setitem__(at, Stored(events[at].public)))
    assert said(from_commits(GAME, damaged)) == [("sealed_missing", f"v{seq}")]


def test_a_store_that_lost_the_stock_of_a_running_game_is_found_out() -> None:
    running = random_game(11, most=40)
    groups = groups_of(running)
    seq = seq_at(groups, place_of(groups, is_a(HandStarted)))
    damaged = _with(running.log(), seq, lambda events, at: events.__setitem__(at, Stored(events[at].public)))
    assert said(from_commits(GAME, damaged)) == [("sealed_missing", f"v{seq}")]


# Receipts and keys ------------------------------------------------------------------------------------------------------


def _receipt(seq: int, raw: bytes) -> list[Commit]:
    return [msgspec.structs.replace(commit, receipt=raw) if commit.seq == seq else commit for commit in LOG]


def test_a_receipt_signed_by_another_key_is_found() -> None:
    commit = next(commit for commit in LOG if commit.seq == PLAY_SEQ)
    at = decode(commit.events[-1].public)["at"]
    raw = OTHER_SIGNER.sign(at, GAME, commit.head, commit.seq)
    assert said(from_commits(GAME, _receipt(PLAY_SEQ, raw))) == [("bad_signature", f"v{PLAY_SEQ}")]
    named = encode({**decode(raw), "key": SIGNER.key.id})
    assert said(from_commits(GAME, _receipt(PLAY_SEQ, named))) == [("bad_signature", f"v{PLAY_SEQ}")]


@pytest.mark.parametrize(
    ("game", "seq", "head", "at"),
    [("0" * 16, 0, None, 0), (GAME, 1, None, 0), (GAME, 0, b"\0" * 32, 0), (GAME, 0, None, 1)],
    ids=["game", "place", "head", "time"],
)
def test_a_receipt_for_another_game_place_head_or_time_is_found(game: str, seq: int, head: bytes | None, at: int) -> None:
    last = LOG[-1]
    time = decode(last.events[-1].public)["at"] + at
    raw = SIGNER.sign(time, game, head or last.head, last.seq + seq)
    assert said(from_commits(GAME, _receipt(last.seq, raw))) == [("receipt_mismatch", f"v{last.seq}")]
    assert said(from_record(msgspec.structs.replace(RECORD, receipt=raw))) == [("receipt_mismatch", f"v{last.seq}")]


@pytest.mark.parametrize("raw", [b"", b"{}", b"nonsense", b'{"at":1}'])
def test_a_receipt_nobody_can_read_is_found(raw: bytes) -> None:
    assert said(from_commits(GAME, _receipt(LOG[-1].seq, raw))) == [("bad_receipt", f"v{LOG[-1].seq}")]
    assert said(from_record(msgspec.structs.replace(RECORD, receipt=raw))) == [("bad_receipt", f"v{LOG[-1].seq}")]


def test_a_receipt_with_an_altered_signature_is_found() -> None:
    good = decode(LOG[-1].receipt)
    flipped = ("B" if good["signature"][0] == "A" else "A") + good["signature"][1:]
    raw = encode({**good, "signature": flipped})
    assert said(from_commits(GAME, _receipt(LOG[-1].seq, raw))) == [("bad_signature", f"v{LOG[-1].seq}")]


def test_a_log_signed_throughout_by_a_key_that_event_1_does_not_name_is_found_at_every_commit() -> None:
    commits = chained(PLAYED.commits, OTHER_SIGNER)
    assert said(from_commits(GAME, commits)) == [("bad_signature", f"v{commit.seq}") for commit in commits]


def test_a_key_whose_id_does_not_fit_is_found_at_event_1_and_once() -> None:
    key = msgspec.structs.replace(SIGNER.key, id="0" * 64)
    assert said_of(edited(GROUPS, (0, 0), data={"server_key": key})) == [("bad_server_key", "v1")]
    unreadable = msgspec.structs.replace(SIGNER.key, ed25519="A" * 42 + "B")
    assert said_of(edited(GROUPS, (0, 0), data={"server_key": unreadable})) == [("bad_server_key", "v1")]


def test_a_header_with_another_key_than_event_1_is_found() -> None:
    header = msgspec.structs.replace(RECORD.header, server_key=OTHER_SIGNER.key)
    assert said(from_record(msgspec.structs.replace(RECORD, header=header))) == [("server_key_mismatch", "v1")]


def test_a_header_with_another_head_is_found() -> None:
    header = msgspec.structs.replace(RECORD.header, head="0" * 64)
    assert said(from_record(msgspec.structs.replace(RECORD, header=header))) == [("head_mismatch", f"v{header.events}")]


def test_a_header_that_names_another_game_fits_neither_head_nor_receipt_nor_decks() -> None:
    header = msgspec.structs.replace(RECORD.header, game="0" * 16)
    found = said(from_record(msgspec.structs.replace(RECORD, header=header)))
    assert {code for code, _ in found} >= {"head_mismatch", "receipt_mismatch", "deck_not_derived"}


def test_the_events_of_one_game_under_the_receipt_of_another_do_not_pass() -> None:
    other = random_game(12, {"max_hands": 1})
    mixed = msgspec.structs.replace(RECORD, receipt=other.record().receipt)
    assert said(from_record(mixed)) == [("receipt_mismatch", f"v{len(RECORD.events)}")]


def test_receipts_are_counted_as_checked_only_as_far_as_the_log_could_be_read() -> None:
    damaged = _with(LOG, PLAY_SEQ, lambda events, at: events.__setitem__(at, Stored(b"")))
    until = [commit for commit in LOG if commit.seq < PLAY_SEQ]
    result = audit(from_commits(GAME, damaged))
    assert f"{len(until)} receipts under the key of event 1" in result.checked
    assert f"{len(LOG)} receipts under the key of event 1" in audit(from_commits(GAME, LOG)).checked
    assert "1 receipt under the key of event 1" in audit(from_record(RECORD)).checked


def test_a_line_broken_after_the_event_that_ended_the_reading_is_not_told_as_a_finding() -> None:
    events = list(RECORD.events)
    events[KEPT_SEQ - 1] = _public(events[KEPT_SEQ - 1], type="card_eaten")
    raw = record.write(_record(events)).splitlines(keepends=True)
    raw[PLAY_SEQ] = b"nonsense\n"
    with pytest.raises(UnreadableRecord) as caught:
        record.read(io.BytesIO(b"".join(raw)))
    assert caught.value.read is not None
    assert said(from_record(caught.value.read, caught.value)) == [("not_an_event", f"v{KEPT_SEQ}")]


def test_an_event_inside_a_commit_that_cannot_be_read_is_not_told_as_a_commit_cut_too() -> None:
    events = list(RECORD.events)
    events[KEPT_SEQ] = _public(events[KEPT_SEQ], type="card_eaten")
    assert said(from_record(_record(events))) == [("not_an_event", f"v{KEPT_SEQ + 1}")]
