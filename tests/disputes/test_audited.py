"""The audit of disputes: a mended score is a note; what is forged, unfounded or in the wrong place is a finding."""

from typing import Any

import msgspec
import pytest

from events.cards import Seat
from events.record import Record
from events.types import Counts, DisputeOpened, DisputeSettled, GameEnded, HandStarted, ScoreCorrected, Totals
from projections.audit import audit, from_commits, from_record
from projections.verify import verify
from service.games.exporting import record_for
from tests.kit.assertions import codes_of
from tests.kit.disputes import miscounted, more, opened, settled
from tests.kit.forged import Groups, edited, groups_of, is_a, place_of, seq_at
from tests.kit.games import Game
from tests.kit.logs import GAME, SIGNER, chained

RULES = {"max_hands": 2}


def mended(seat: Seat = "south") -> Game:
    """A game in which a line was recorded wrongly, was disputed after the end, and put right."""
    game = miscounted((5, 5, 6), (3, 4, 7), rules=RULES, seat=seat)
    points = next(line for line in [game.table.open.scores[0].line(seat)]).points - 100
    opened(game, "north", note="Count again, please.")
    settled(game, 1, "upheld", corrections={(1, seat): points}, reason="Added up wrongly.")
    return game


MENDED = mended()
DISPUTED, SETTLED, CORRECTED = (
    place_of(groups_of(MENDED), is_a(kind)) for kind in (DisputeOpened, DisputeSettled, ScoreCorrected)
)


def at(groups: Groups, place: tuple[int, int]) -> str:
    return f"v{seq_at(groups, place)}"


@pytest.mark.parametrize("seat", ["north", "south"])
def test_a_score_that_was_put_right_is_a_note_and_no_finding(seat: Seat) -> None:
    game = mended(seat)
    before = groups_of(game)[:-2]
    assert ("wrong_score", "1.s") in codes_of(before)
    result = audit(from_commits(GAME, chained(groups_of(game))))
    assert [one.code for one in result.findings if "derived" not in one.code] == []
    (note,) = result.notes
    assert (note.code, note.position) == ("score_mended", "1.s")
    assert note.message.endswith(f"corrected by event {game.table.open.version}")


def test_without_its_correction_a_dispute_mends_nothing() -> None:
    groups = groups_of(MENDED)
    del groups[SETTLED[0]][1]
    assert codes_of(groups) == [("wrong_score", "1.s")]


def correction(**changes: Any) -> Groups:
    return edited(groups_of(MENDED), CORRECTED, data=changes)


DATA = next(event.data for event in MENDED.events if isinstance(event.data, ScoreCorrected))
REPLACE = msgspec.structs.replace


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hand": 2}, "its first wrong line is that of hand 1"),
        ({"seat": "north"}, "every line of that seat"),
        ({"old": DATA.new}, "that is not the line that stood there"),
        ({"new": REPLACE(DATA.new, total=DATA.new.total + 1)}, "the plays make it total"),
        ({"new": REPLACE(DATA.new, bags=DATA.new.bags + 1)}, "the plays make it total"),
        ({"new": REPLACE(DATA.new, tricks=6)}, "the plays make it total"),
        ({"totals": Totals(DATA.totals.north, DATA.totals.south + 1)}, "from then on"),
        ({"totals": Totals(DATA.totals.north + 1, DATA.totals.south)}, "from then on"),
        ({"bags": Counts(DATA.bags.north, DATA.bags.south + 1)}, "from then on"),
        ({"winner": "north" if DATA.winner == "south" else "south"}, "is not who has won"),
        ({"winner": None}, "nobody is not who has won"),
    ],
)
def test_a_correction_that_is_not_what_the_plays_make_is_a_finding_and_mends_nothing(changes: Any, said: str) -> None:
    found = audit(from_commits(GAME, chained(correction(**changes)))).findings
    told = {one.code: one for one in found if "derived" not in one.code}
    assert set(told) == {"wrong_score", "unfounded_correction"}
    assert said in told["unfounded_correction"].message


def test_a_correction_of_a_hand_without_a_score_says_nothing_more() -> None:
    assert codes_of(correction(hand=3))[-1][0] == "unfounded_correction"


def test_a_correction_where_nothing_was_wrong_is_a_finding() -> None:
    groups = groups_of(MENDED)
    one = groups[CORRECTED[0]][CORRECTED[1]]
    groups[CORRECTED[0]].append(one)
    codes = codes_of(groups)
    assert codes == [("unfounded_correction", f"v{MENDED.table.open.version + 1}")]


def moved(groups: Groups, place: tuple[int, int], to: int) -> Groups:
    """An event taken out of its commit and put into one of its own before commit `to`."""
    event = groups[place[0]].pop(place[1])
    groups.insert(to, [event])
    return [group for group in groups if group]


def test_a_correction_stands_in_the_commit_of_a_settlement() -> None:
    lonely = moved(groups_of(MENDED), CORRECTED, DISPUTED[0])
    assert codes_of(lonely)[-1] == ("wrong_event", at(lonely, (DISPUTED[0], 0)))
    apart = moved(groups_of(MENDED), CORRECTED, len(MENDED.commits))
    assert ("commit_split", f"v{MENDED.table.open.version}") in codes_of(apart)
    later = edited(groups_of(MENDED), CORRECTED, at=MENDED.now + 5)
    assert ("commit_split", f"v{MENDED.table.open.version}") in codes_of(later)


@pytest.mark.parametrize("place", [DISPUTED, SETTLED])
def test_neither_stands_inside_another_commit(place: tuple[int, int]) -> None:
    groups = groups_of(MENDED)
    inside = place_of(groups, is_a(HandStarted), 1)
    event = groups[place[0]][place[1]]
    groups[inside[0]].insert(inside[1], event)
    assert codes_of(groups)[-1] == ("commit_cut", at(groups, inside))


@pytest.mark.parametrize(
    "changes",
    [{"n": 2}, {"n": 3}, {"version": 10_000}, {"head": "0" * 64}],
)
def test_a_dispute_is_numbered_and_names_a_moment_of_this_log(changes: Any) -> None:
    groups = edited(groups_of(MENDED), DISPUTED, data=changes)
    assert ("wrong_dispute", at(groups, DISPUTED)) in codes_of(groups)


def test_a_settlement_ends_a_dispute_that_is_open_once() -> None:
    groups = edited(groups_of(MENDED), SETTLED, data={"n": 2})
    assert ("wrong_dispute", at(groups, SETTLED)) in codes_of(groups)
    again = groups_of(MENDED)
    again.append([again[SETTLED[0]][0]])
    assert codes_of(again)[-1] == ("wrong_dispute", f"v{MENDED.table.open.version + 1}")


def test_the_limits_are_those_of_the_log_too() -> None:
    groups = groups_of(MENDED)[:-1]
    event = groups[-1][0]
    groups.append([REPLACE(event, data=REPLACE(event.data, n=2))])
    assert codes_of(groups)[-1][0] == "wrong_dispute"


def test_the_note_belongs_to_the_house() -> None:
    groups = edited(groups_of(MENDED), DISPUTED, owner="north")
    assert ("wrong_owner", at(groups, DISPUTED)) in codes_of(groups)


# Records and the first verifier -----------------------------------------------------------------------------------------

KEY = SIGNER.key.id


def test_a_record_counts_the_events_after_the_end_and_does_not_open_the_note() -> None:
    record = MENDED.record()
    assert record.header.events == MENDED.table.open.version == len(record.events)
    assert not any(event.sealed and b"Count again" in event.sealed for event in record.events)
    result = verify(from_record(record), None, KEY)
    assert [one.code for one in result.findings if "derived" not in one.code] == []
    assert [one.code for one in result.notes] == ["score_mended"]


def test_verify_takes_every_prefix_that_contains_the_end() -> None:
    log, ended = MENDED.log(), next(e.seq for e in MENDED.events if isinstance(e.data, GameEnded))
    whole = MENDED.record()
    for commit in [commit for commit in log if commit.seq > ended - 4]:
        count = commit.seq
        header = REPLACE(whole.header, events=count, head=commit.head.hex())
        result = verify(from_record(Record(header, whole.events[:count], commit.receipt)), None, KEY)
        codes = {one.code for one in result.findings} - {"deck_not_derived"}
        wrong = {"wrong_score"} if count < MENDED.table.open.version else set()
        missing = {"game_not_over", "sealed_missing"} if count < ended else set()
        assert codes - missing == wrong, count


def test_the_fault_is_the_services_where_it_signed_an_unfounded_correction() -> None:
    groups = correction(new=REPLACE(DATA.new, total=DATA.new.total + 1))
    log = chained(groups)
    result = verify(from_record(record_for(GAME, log, "spectator", ended=True)), None, KEY)
    about = {one.code: one.about for one in result.findings}
    assert about["unfounded_correction"] == about["wrong_score"] == "service"


def test_two_wrong_hands_of_a_seat_are_mended_by_the_correction_of_the_first() -> None:
    game = miscounted((5, 5, 6), (3, 4, 7), rules=RULES, at=(1, 2), wrong=more(10))
    opened(game, "south")
    settled(game, 1, "upheld", corrections={(1, "south"): game.table.open.scores[0].south.points - 10})
    result = audit(from_commits(GAME, chained(groups_of(game))))
    assert [one.code for one in result.findings if "derived" not in one.code] == []
    assert [(one.code, one.position) for one in result.notes] == [("score_mended", "1.s"), ("score_mended", "2.s")]
