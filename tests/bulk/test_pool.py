"""The processes that audit: order, bounds, and what becomes of the run when one of them, or their parent, is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.bulk.pool import Pool, WorkersDie
from cli.bulk.units import RecordUnit, StoredUnit, Unit, UnreadUnit
from events.store import Unreachable
from tests.bulk.short_games import damaged, short_record
from tests.kit.waiting import eventually


def records(count: int) -> list[Unit]:
    return [RecordUnit(f"game {number}", short_record(number)) for number in range(count)]


def gone(pid: int) -> bool:
    """Whether there is no such process, or only its remains."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_outcomes_come_in_the_order_of_their_units_whoever_made_them() -> None:
    many = records(40)
    many[7] = RecordUnit("game 7", damaged(short_record(7)))
    many[8] = UnreadUnit("game 8", "it cannot be read: no reason")
    with Pool(3) as pool:
        found = list(pool.outcomes(many))
        assert len(pool.pids) <= 3
    assert [one.name for one in found] == [f"game {number}" for number in range(40)]
    assert {number: one.grade for number, one in enumerate(found) if one.grade != "ok"} == {7: "log_bad", 8: "unreadable"}


def test_units_are_taken_only_as_fast_as_outcomes_are(tmp_path: Path) -> None:
    taken = told = most = 0

    def endless() -> Iterator[Unit]:
        nonlocal taken
        raw = short_record(0)
        while True:
            taken += 1
            yield RecordUnit("again", raw)

    with Pool(2) as pool:
        for _ in pool.outcomes(endless()):
            told += 1
            most = max(most, taken - told)
            if told == 300:
                break
    assert most <= 2 * 16


def test_a_killed_process_is_replaced_and_its_game_audited_by_another() -> None:
    with Pool(2) as pool:
        found = pool.outcomes(records(200))
        assert next(found).grade == "ok"
        for pid in pool.pids:
            os.kill(pid, signal.SIGKILL)
        rest = list(found)
    assert len(rest) == 199
    assert {one.grade for one in rest} == {"ok"}


def test_a_game_that_takes_every_process_with_it_is_named_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.bulk.worker._START", DEADLY)
    many = records(20)
    many[5] = RecordUnit("deadly", b"deadly")
    with Pool(2) as pool:
        found = list(pool.outcomes(many))
    assert {one.name for one in found if one.grade != "ok"} == {"deadly"}
    assert (found[5].grade, "signal 9" in found[5].message) == ("fault", True)


DEADLY = """
import sys; sys.path.append(sys.argv[1])
import os, cli.bulk.worker as worker
real = worker.outcome
def outcome(unit, clock, store, receipts):
    if unit.name == "deadly": os.kill(os.getpid(), 9)
    return real(unit, clock, store)
worker.outcome = outcome
worker.main()
"""


def test_processes_that_cannot_run_at_all_end_the_run_instead_of_being_started_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cli.bulk.worker._START", "raise SystemExit(3)")
    with Pool(2) as pool, pytest.raises(WorkersDie, match="exit code 3"):
        list(pool.outcomes(records(50)))


def test_a_store_that_does_not_answer_ends_the_run() -> None:
    with Pool(1, "unix:///nowhere/at/all") as pool, pytest.raises(Unreachable):
        list(pool.outcomes([StoredUnit("0" * 16)]))


def test_nothing_is_left_running_after_the_block() -> None:
    with Pool(2) as pool:
        found = pool.outcomes(records(50))
        next(found)
        pids = pool.pids
        assert pids
    assert all(map(gone, pids))


PARENT = """
import sys
from cli.bulk.pool import Pool
from cli.bulk.units import RecordUnit
def again():
    while True: yield RecordUnit("x", b"")
with Pool(2) as pool:
    for number, _ in enumerate(pool.outcomes(again())):
        if number == 20: print(*pool.pids, flush=True)
"""


def test_the_processes_die_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        parent.kill()
    eventually(lambda: all(map(gone, pids)), 5)
