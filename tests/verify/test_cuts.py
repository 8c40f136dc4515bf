"""Moves taken back with a forged end in their place, and games that were not the one requested, for both verifiers."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cli.main import run
from events import player_evidence
from events import record as records
from events.player_evidence import Line, Pinned, PublicEvent
from events.receipts import Receipt
from events.record import Record
from events.types import Event, GameEnded, GameSecrets, Totals
from projections.audit import from_record
from projections.verify import verify
from tests.kit.forged import Groups
from tests.kit.random_games import random_game
from tests.verify.liar import record
from tests.verify.test_adversary import KEY, checked, codes, played, truth

RUNNER = Path(__file__).parents[2] / "service/http/static/verify-node.mjs"
LAST = truth()[-1][-1].seq


def forged_end(groups: Groups, after: int) -> Groups:
    """The log up to event `after`, with a resignation of south placed behind it and signed, wherever that is in a commit."""
    cut = [kept for group in groups if (kept := [event for event in group if event.seq <= after])]
    created = groups[0][0].secret
    assert isinstance(created, GameSecrets)
    end = Event(0, cut[-1][-1].at, GameEnded("resigned", Totals(0, 0), created.root, "north", "south"))
    return [*cut, [end]]


def second(directory: Path, made: Sequence[Record], lines: Sequence[Line], *options: str) -> list[dict[str, Any]]:
    """The answers of the second verifier from its command line, a file each."""
    kept, files = directory / "my.receipts", []
    kept.write_bytes(b"".join(map(player_evidence.write, lines)))
    for number, one in enumerate(made):
        files.append(directory / f"{number}.ndjson")
        files[-1].write_bytes(records.write(one))
    command = ["node", str(RUNNER), "--server-key", KEY, "--receipts", str(kept), *options, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("seat", ["north", "south"])
def test_a_forged_end_is_proven_at_every_event_under_the_last_receipt_held(seat: Any, tmp_path: Path) -> None:
    """docs/fairness.md, the row of a cut with a forged end: at every seq, by the receipts of either player."""
    lines = played().lines(seat)
    places = range(4, LAST)
    made = [record(forged_end(truth(), after), played().game) for after in places]
    for after, one in zip(places, made, strict=True):
        found = [f for f in checked(one, lines).findings if f.code == "service_signed_two_histories"]
        assert [f.about for f in found] == ["service"], f"not proven after event {after}"
    for after, answer in zip(places, second(tmp_path, made, lines), strict=True):
        found = [f for f in answer["findings"] if f["code"] == "service_signed_two_histories"]
        assert [f["about"] for f in found] == ["service"], f"not proven after event {after} by the second verifier"


@pytest.mark.parametrize("back", [2, 3, 20, 60])
def test_the_command_proves_it_and_prints_the_proof(back: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = played().lines("north")
    (tmp_path / "my.receipts").write_bytes(b"".join(map(player_evidence.write, lines)))
    (tmp_path / "forged.ndjson").write_bytes(records.write(record(forged_end(truth(), LAST - back), played().game)))
    code = run(["verify", str(tmp_path / "forged.ndjson"), "--receipts", str(tmp_path / "my.receipts")])
    out = capsys.readouterr().out
    assert code == 3
    assert "service_signed_two_histories" in out
    assert out.count("proof: ") == 2
    assert "verdict: BAD" in out


def test_receipts_without_what_leads_to_them_are_read_as_before() -> None:
    old = [line for line in played().lines("north") if not isinstance(line, PublicEvent)]
    assert checked(record(truth(), played().game), old).verdict == "verified"
    inside = checked(record(forged_end(truth(), LAST - 2), played().game), old)
    assert inside.verdict == "bad" or "file_older_than_receipt" in codes(inside)


def test_the_honest_game_is_verified_with_everything_a_player_kept() -> None:
    for seat in ("north", "south"):
        lines = played().lines(seat)  # type: ignore[arg-type]
        assert any(isinstance(line, PublicEvent) for line in lines)
        assert checked(record(truth(), played().game), lines).verdict == "verified"


def test_more_receipts_than_can_follow_an_end_prove_that_it_was_forged() -> None:
    lines = [line for line in played().lines("north") if isinstance(line, Receipt | Pinned)]
    early = checked(record(forged_end(truth(), 20), played().game), lines)
    assert "service_signed_two_histories" in codes(early)


def test_many_receipts_beyond_the_file_are_one_line_and_no_newer_file_is_asked_for() -> None:
    lines = [line for line in played().lines("north") if isinstance(line, Pinned | Receipt)]
    receipts = [line for line in lines if isinstance(line, Receipt)]
    few = [*[line for line in lines if isinstance(line, Pinned)], *receipts[-3:]]
    ended = checked(record(forged_end(truth(), receipts[-6].seq - 1), played().game), few)
    older = [f for f in ended.findings if f.code == "file_older_than_receipt"]
    assert len(older) == 1
    assert "ask for a newer one" not in older[0].message
    cut = checked(record(truth()[:-4], played().game), few)
    (one,) = [f for f in cut.findings if f.code == "file_older_than_receipt"]
    assert "3 receipts" in one.message
    assert "ask for a newer one" in one.message


# The game that was requested ---------------------------------------------------------------------------------------------


def other_record() -> Record:
    return random_game(99, {"max_hands": 1}).record()


def test_a_file_of_another_game_than_the_one_requested_is_a_finding_in_both(tmp_path: Path) -> None:
    made = record(truth(), played().game)
    for game, verdict in ((played().game, "verified"), ("0" * 16, "bad")):
        source = msgspec.structs.replace(from_record(made), requested=game)
        assert verify(source, played().lines("north"), KEY).verdict == verdict
        (answer,) = second(tmp_path, [made], played().lines("north"), "--game", game)
        assert answer["verdict"] == verdict
        assert ("other_game" in [f["code"] for f in answer["findings"]]) == (verdict == "bad")


def test_receipts_of_other_games_alone_leave_a_game_unverified(tmp_path: Path) -> None:
    others = [line for line in played().lines("south") if isinstance(line, Receipt)]
    made = other_record()
    found = verify(from_record(made), others, KEY)
    assert (found.verdict, "no_kept_receipt" in codes(found)) == ("not_verified", True)
    assert any(f"{len(others)} receipts you kept of 1 other game" in text for text in found.not_checked)
    (answer,) = second(tmp_path, [made], others)
    assert (answer["verdict"], "no_kept_receipt" in [f["code"] for f in answer["findings"]]) == ("not_verified", True)


def test_without_a_pin_the_receipts_are_still_compared() -> None:
    lines = [line for line in played().lines("north") if isinstance(line, Receipt)]
    good = checked(record(truth(), played().game), lines, None)
    assert any("under the key that event 1 names" in text for text in good.checked)
    forged = checked(record(forged_end(truth(), 30), played().game), lines, None)
    assert "contradicts_receipt" in codes(forged)


@pytest.mark.parametrize("pin", ["5a1c", "G" * 64, KEY.upper(), KEY + "0"])
def test_a_malformed_pin_is_refused_by_both(pin: str, tmp_path: Path) -> None:
    made = record(truth(), played().game)
    with pytest.raises(ValueError, match="64 hex digits"):
        verify(from_record(made), (), pin)
    file = tmp_path / "game.ndjson"
    file.write_bytes(records.write(made))
    done = subprocess.run(
        ["node", str(RUNNER), "--server-key", pin, str(file)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, "64 hex digits" in done.stderr) == (2, True)
