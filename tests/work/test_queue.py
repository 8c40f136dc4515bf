"""What may be in the queue: a name of the table and ids. Anything else is refused, logged, and never run."""

import json
import os
import pickle
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from events.keys import RQ
from service.jobs.job_context import is_game, is_number
from tests.work.conftest import Shop

GAME = "0k7f3x9q2m5v8w1c"
Table = Callable[..., Any]


def push(shop: Shop, job: str, data: bytes, **fields: str) -> None:
    """Puts a job into the queue as somebody would who can write to the server."""
    values: dict[str, Any] = {"data": data, "status": "queued", "origin": "trickbook", **fields}
    shop.work.hset(f"{RQ}:job:{job}", mapping=values)
    shop.work.rpush(f"{RQ}:queue:trickbook", job)


def payload(name: Any, ids: Any = (), keywords: Any = None, instance: Any = None) -> bytes:
    return zlib.compress(json.dumps([name, instance, list(ids), keywords or {}]).encode())


def test_every_key_of_the_queue_is_in_one_slot_of_a_cluster(shop: Shop) -> None:
    shop.jobs.enqueue("audit", GAME)
    shop.sweep()
    found = [name for name in shop.work.scan_iter("*") if not name.startswith(b"trickbook:{00}:")]
    assert found
    assert all(name.startswith(b"trickbook:{rq}:") for name in found)


def test_a_job_is_stored_as_a_name_of_the_table_and_ids(shop: Shop) -> None:
    shop.jobs.enqueue("audit", GAME)
    (job,) = shop.waiting()
    assert job == f"audit-{GAME}"
    raw = shop.work.hget(f"{RQ}:job:{job}", "data")
    assert json.loads(zlib.decompress(raw)) == ["audit", None, [GAME], {}]


@pytest.mark.parametrize(
    "bad",
    {
        "an import path": payload("os.system", ["touch MARK"]),
        "the path of a function of ours": payload("service.jobs.handlers.audits.sweep"),
        "a method of the instance": payload("system", ["touch MARK"], instance="os"),
        "a keyword": payload("audit", [GAME], {"game": "x"}),
        "no argument": payload("audit"),
        "two arguments": payload("audit", [GAME, GAME]),
        "an argument that is no id": payload("audit", ["../../etc/passwd"]),
        "a list": payload("audit", [[GAME]]),
        "an argument for what takes none": payload("sweep", [1]),
        "a name that is none": payload({"name": "audit"}),
        "no JSON": b"audit",
        "JSON of another shape": zlib.compress(b'"audit"'),
        "deep": zlib.compress(b"[" * 4000),
        "a bomb": zlib.compress(b'["note",null,[],{}]' + b" " * 10_000_000),
        "too long": b'["note",null,[],{}]' + b" " * 10_000,
        "nothing": b"",
    }.items(),
    ids=lambda pair: pair[0],
)
def test_what_is_not_in_the_table_is_refused_moved_to_failed_and_not_run(
    bad: tuple[str, bytes], shop: Shop, tmp_path: Path, capfd: pytest.CaptureFixture[str], table: Table, done: list[Any]
) -> None:
    mark = tmp_path / "mark"
    push(shop, "bad", bad[1].replace(b"MARK", str(mark).encode()))
    jobs = shop.with_table(table())
    jobs.enqueue("note")
    shop.do_all(jobs)
    assert shop.failed() == {"bad"}
    assert not mark.exists()
    assert done == [()], "the job after it was not done"
    said = capfd.readouterr()
    assert "job_refused" in said.out + said.err
    assert "Traceback" not in said.out + said.err


class Evil:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("compressed", [True, False])
def test_a_pickle_is_not_opened(shop: Shop, tmp_path: Path, compressed: bool) -> None:
    raw = pickle.dumps(("audit", Evil(tmp_path / "mark"), (), {}))
    push(shop, "bad", zlib.compress(raw) if compressed else raw, meta=raw.decode("latin-1"), result=raw.decode("latin-1"))
    shop.do_all()
    assert shop.failed() == {"bad"}
    assert not (tmp_path / "mark").exists()


def test_call_backs_webhooks_repeats_and_limits_of_the_queue_are_not_heeded(
    shop: Shop, tmp_path: Path, table: Table, done: list[Any]
) -> None:
    fields = {
        "success_callback_name": "os.abort",
        "failure_callback_name": "os.abort",
        "stopped_callback_name": "os.abort",
        "webhooks": json.dumps([{"url": "http://127.0.0.1:1/", "job_status": "finished"}]),
        "repeats_left": "5",
        "repeat_intervals": "[0]",
        "retries_left": "5",
        "timeout": "nonsense",
        "result_ttl": "-1",
        "created_at": "yesterday",
        "enqueued_at": "\x00",
        "dependency_ids": "[",
        "group_id": "g",
        "rate_limit_key": "k",
        "rate_limit_concurrency": "1",
        "status": "whatever",
        "origin": "elsewhere",
        "meta": "{",
    }
    jobs = shop.with_table(table())
    push(shop, "good", payload("note"), **fields)
    push(shop, "bad", payload("os.abort"), **fields)
    shop.do_all(jobs)
    assert done == [()]
    assert shop.failed() == {"bad"}
    assert not shop.work.exists(f"{RQ}:job:good")


@pytest.mark.parametrize("junk", [b"\xff\xfe", b"", b"os.system('x')", b"x" * 500, b"a:b", b"gone"])
def test_an_entry_without_a_job_is_thrown_away(shop: Shop, junk: bytes, table: Table, done: list[Any]) -> None:
    shop.work.rpush(f"{RQ}:queue:trickbook", junk)  # type: ignore[arg-type]
    shop.work.rpush(f"{RQ}:queue:trickbook:intermediate", junk)  # type: ignore[arg-type]
    shop.work.rpush(f"{RQ}:queue:trickbook", "list")
    shop.work.rpush(f"{RQ}:job:list", "no hash")
    jobs = shop.with_table(table())
    jobs.enqueue("note")
    shop.do_all(jobs)
    assert done == [()]
    assert not shop.work.exists(f"{RQ}:queue:trickbook", f"{RQ}:queue:trickbook:intermediate")


def test_only_what_is_in_the_table_can_be_asked_for(shop: Shop) -> None:
    with pytest.raises(KeyError):
        shop.jobs.enqueue("os.system", "true")
    for wrong in ((), ("x",), (GAME, 1), (1,)):
        with pytest.raises(ValueError, match="audit does not take"):
            shop.jobs.enqueue("audit", *wrong)
    assert not shop.waiting()


def test_a_job_that_waits_is_asked_for_once_and_one_that_is_done_again(shop: Shop, table: Table, done: list[Any]) -> None:
    jobs = shop.with_table(table(takes=(is_game, is_number)))
    assert [jobs.enqueue("note", GAME, 1), jobs.enqueue("note", GAME, 1), jobs.enqueue("note", GAME, 2)] == [True, False, True]
    shop.do_all(jobs)
    assert done == [(GAME, 1), (GAME, 2)]
    assert jobs.enqueue("note", GAME, 1)
    shop.do_all(jobs)
    assert done == [(GAME, 1), (GAME, 2), (GAME, 1)]


@pytest.mark.parametrize(("pause", "again"), [(60, False), (0, True)])
def test_a_job_that_failed_is_tried_again_after_a_pause(
    shop: Shop, table: Table, done: list[Any], pause: int, again: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs = shop.with_table({**table(), "fail": table()["note"]})
    failing = shop.with_table({"fail": _failing(pause)})
    failing.enqueue("fail")
    shop.do_all(failing)
    assert shop.failed() == {"fail"}
    assert "job_failed" in "".join(capfd.readouterr())
    assert failing.enqueue("fail") is again
    shop.do_all(jobs)
    assert bool(done) is again
    assert shop.failed() == (set() if again else {"fail"})


def _failing(pause: int) -> Any:
    from service.jobs.job_context import Task

    def fail(bench: Any) -> None:
        raise RuntimeError("a fault")

    return Task(fail, pause=pause)
