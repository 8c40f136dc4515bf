"""Every finished game is audited, whatever becomes of the worker; the verdict kept is that on the longest log."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from events import keys
from service.jobs import verdicts
from service.jobs.handlers import audits
from service.jobs.job_table import TABLE
from service.jobs.verdicts import KeptVerdict, VerdictCounts
from tests.kit.waiting import eventually
from tests.work.conftest import Clock, Shop
from tests.work.games import finished, running

ROOT = Path(__file__).parents[2]


def verdict(shop: Shop, game: str) -> KeptVerdict:
    found = verdicts.kept(shop.work, game)
    assert found is not None
    return found


def damage(shop: Shop, game: str, how: Callable[[dict[bytes, bytes]], dict[bytes, bytes]]) -> None:
    """Writes the log anew with the last entry changed."""
    entries = shop.store.client.xrange(keys.stream(game))
    shop.store.client.delete(keys.stream(game))
    for number, (identifier, values) in enumerate(entries, 1):
        shop.store.client.xadd(keys.stream(game), how(values) if number == len(entries) else values, id=identifier)


def test_the_sweep_has_every_finished_game_audited_and_no_other(shop: Shop) -> None:
    done, going = [finished(shop.games) for _ in range(3)], running(shop.games)
    shop.sweep()
    for game in done:
        last = shop.games.log(game)[-1]
        assert verdict(shop, game) == KeptVerdict(last.seq, last.head.hex(), "ok", 0, (), Clock().now(), receipts="last")
    assert verdicts.kept(shop.work, going) is None
    assert verdicts.last_sweep(shop.work) == VerdictCounts(Clock().now(), 3, 3, 0)
    shop.sweep()
    assert verdicts.last_sweep(shop.work) == VerdictCounts(Clock().now(), 3, 0, 0)


def test_a_sweep_without_other_work_has_every_receipt_checked_once(shop: Shop) -> None:
    game = finished(shop.games)
    shop.sweep()
    assert verdict(shop, game).receipts == "last"
    shop.sweep()
    assert (verdict(shop, game).receipts, verdict(shop, game).verdict) == ("every", "ok")
    audits.sweep(shop.bench())
    assert shop.waiting() == []


def test_games_without_a_verdict_come_before_the_receipts_of_others(shop: Shop) -> None:
    first = finished(shop.games)
    shop.sweep()
    second = finished(shop.games)
    shop.sweep()
    assert (verdict(shop, first).receipts, verdict(shop, second).receipts) == ("last", "last")


def test_what_is_audited_already_is_not_asked_for_again(shop: Shop) -> None:
    finished(shop.games)
    shop.sweep()
    shop.sweep()
    audits.sweep(shop.bench())
    assert shop.waiting() == []


def test_a_game_that_goes_on_is_left_alone_by_an_audit_that_somebody_asked_for(shop: Shop) -> None:
    game = running(shop.games)
    shop.jobs.enqueue("audit", game)
    shop.do_all()
    assert verdicts.kept(shop.work, game) is None
    assert shop.failed() == set()


def test_a_damaged_log_of_a_game_that_goes_on_has_a_bad_verdict(shop: Shop) -> None:
    game = running(shop.games)
    damage(shop, game, lambda values: {name: value.replace(b'"south"', b'"north"') for name, value in values.items()})
    shop.jobs.enqueue("audit", game)
    shop.do_all()
    assert verdict(shop, game).verdict == "bad"


def test_a_game_that_is_not_there_is_no_failure(shop: Shop) -> None:
    shop.jobs.enqueue("audit", "0k7f3x9q2m5v8w1c")
    shop.do_all()
    assert shop.failed() == set()


def test_a_changed_card_makes_the_verdict_bad_and_names_the_kind(shop: Shop) -> None:
    game = finished(shop.games)
    damage(shop, game, lambda values: {name: value.replace(b'"north"', b'"south"') for name, value in values.items()})
    shop.sweep()
    found = verdict(shop, game)
    assert (found.verdict, found.findings >= 1) == ("bad", True)
    assert found.codes
    shop.sweep()
    swept = verdicts.last_sweep(shop.work)
    assert swept is not None
    assert swept.bad == 1


@pytest.mark.parametrize(
    "how", [lambda values: {b"x": b"y"}, lambda values: {**values, b"9x": b"y"}], ids=["another's", "a field too many"]
)
def test_an_entry_that_is_none_of_ours_makes_the_verdict_bad(
    shop: Shop, how: Callable[[dict[bytes, bytes]], dict[bytes, bytes]]
) -> None:
    game = finished(shop.games)
    version = shop.games.log(game)[-1].seq
    damage(shop, game, how)
    shop.jobs.enqueue("audit", game)
    shop.do_all()
    assert verdict(shop, game) == KeptVerdict(version, "", "bad", 1, ("not_an_entry",), Clock().now(), f"v{version}")


def test_what_follows_the_end_is_audited_as_well(shop: Shop) -> None:
    game = finished(shop.games)
    shop.sweep()
    before = verdict(shop, game).version
    name = f"{before + 1}"
    later = {name: f'{{"type":"dispute_opened","seq":{name}}}', "head": b"h" * 32, "receipt": b"", "by": b""}
    shop.store.client.xadd(keys.stream(game), later, id=f"{name}-0")
    shop.sweep()
    assert verdict(shop, game).version == before + 1


def test_a_verdict_on_a_shorter_log_never_takes_the_place_of_one_on_a_longer(shop: Shop) -> None:
    game = finished(shop.games)
    found = [KeptVerdict(version, "", "ok", 0, (), version) for version in (7, 9, 8, 9, 3)]
    assert [verdicts.keep(shop.work, game, one) for one in found] == [True, True, False, True, False]
    assert verdict(shop, game).version == 9


def test_what_lies_in_the_place_of_a_verdict_is_replaced(shop: Shop) -> None:
    game = finished(shop.games)
    for junk in ("nonsense", "{}", '{"version":"x"}', "[1]", '"text"'):
        shop.work.hset(keys.verdicts(keys.partition(game)), game, junk)
        assert verdicts.kept(shop.work, game) is None
        shop.sweep()
        assert verdict(shop, game).verdict == "ok"


def test_two_workers_and_two_sweeps_at_once_do_no_harm(shop: Shop) -> None:
    games = [finished(shop.games) for _ in range(6)]

    def work(_: int) -> None:
        for _ in range(5):
            for game in games:
                audits.audit(shop.bench(), game)
            audits.sweep(shop.bench())

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    shop.do_all()
    assert {verdict(shop, game).verdict for game in games} == {"ok"}
    assert shop.failed() == set()


@contextmanager
def slow_worker(shop: Shop, game: str) -> "Iterator[subprocess.Popen[str]]":
    """A worker in the middle of the audit of a game."""
    shop.jobs.enqueue("audit", game)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.work.slow", shop.url], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == game
            yield process
        finally:
            process.kill()


def impatient(shop: Shop) -> Shop:
    """The same queue for one who leaves a job to its worker for a second only."""
    shop.jobs = shop.with_table({**TABLE, "audit": msgspec.structs.replace(TABLE["audit"], seconds=1)}, margin=0)
    return shop


def test_the_work_of_a_killed_worker_is_found_by_the_sweep(shop: Shop) -> None:
    game = finished(shop.games)
    with slow_worker(shop, game) as worker:
        worker.kill()
        worker.wait()
    audits.sweep(shop.bench())
    assert shop.waiting() == [], "its worker may still be at it"
    audits.sweep(impatient(shop).bench())
    eventually(lambda: audits.sweep(shop.bench()) or shop.waiting())
    shop.do_all()
    assert verdict(shop, game).verdict == "ok"
    assert shop.failed() == set()


def test_the_work_of_a_worker_that_stood_still_is_done_once_in_effect(shop: Shop) -> None:
    game = finished(shop.games)
    with slow_worker(shop, game) as worker:
        worker.send_signal(signal.SIGSTOP)
        impatient(shop)
        eventually(lambda: audits.sweep(shop.bench()) or shop.waiting())
        shop.do_all()
        first = verdict(shop, game)
        worker.send_signal(signal.SIGCONT)
        worker.communicate("go on\n", timeout=20)
        assert worker.returncode == 0
    assert verdict(shop, game) == first
    assert shop.waiting() == []
    assert shop.failed() == set()
    shop.sweep()
    assert verdict(shop, game) == msgspec.structs.replace(first, receipts="every")


def test_a_job_taken_out_by_a_worker_that_died_before_it_began_is_found_again(shop: Shop) -> None:
    game = finished(shop.games)
    shop.jobs.enqueue("audit", game)
    shop.work.lmove(shop.jobs.queue.key, shop.jobs.queue.intermediate_queue_key)
    assert not shop.jobs.enqueue("audit", game)
    eventually(lambda: impatient(shop).jobs.enqueue("audit", game))
    shop.do_all()
    assert verdict(shop, game).verdict == "ok"
    shop.do_all()
    assert not shop.work.exists(shop.jobs.queue.intermediate_queue_key)


def test_a_job_that_takes_too_long_is_cut_off_and_its_worker_ends(shop: Shop, capfd: pytest.CaptureFixture[str]) -> None:
    def forever(bench: object) -> None:
        while True:
            pass

    jobs = shop.with_table({"forever": msgspec.structs.replace(TABLE["sweep"], run=forever, seconds=1)})
    jobs.enqueue("forever")
    worker = shop.worker(jobs)
    worker.work(logging_level="WARNING", max_idle_time=2)  # not only until the queue is empty
    assert worker.interrupted
    assert shop.failed() == {"forever"}
    assert "maximum timeout" in "".join(capfd.readouterr())
