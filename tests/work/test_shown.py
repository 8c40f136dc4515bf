"""What is shown of verdicts and jobs: `games`, `doctor`, and the numbers behind the gauges."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from cli.main import run
from events import keys
from service.base.clock import SystemClock
from service.base.settings import REDIS_URL, WORK_URL
from service.http.routes.metrics import _Read
from service.jobs.queued_job import StrictJob
from service.jobs.status import Numbers, numbers
from service.jobs.verdicts import VerdictCounts
from service.operations.gauges import gauges
from service.operations.job_checks import LATE_MS, checks
from service.readmodels.lists import Lists
from service.runtime.compose import open_books, open_store, work_url
from tests.work.conftest import Clock, Shop
from tests.work.games import finished, running
from tests.work.test_audits import damage
from tests.work.test_queue import payload, push


@pytest.fixture
def command(shop: Shop, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Runs a command on the shop's store, gives its exit code and what it printed."""
    monkeypatch.setenv(REDIS_URL, shop.url)
    monkeypatch.setenv("TRICKBOOK_DATA", str(tmp_path / "data"))

    def call(*arguments: str) -> tuple[int, str]:
        capfd.readouterr()
        return run([*arguments]), capfd.readouterr().out

    return call


def broken(shop: Shop) -> str:
    game = finished(shop.games)
    damage(shop, game, lambda values: {name: value.replace(b'"north"', b'"south"') for name, value in values.items()})
    return game


def test_games_shows_each_verdict_and_finds_games_by_it(shop: Shop, command: Callable[..., tuple[int, str]]) -> None:
    good, bad, going = finished(shop.games), broken(shop), running(shop.games)
    shop.sweep()
    late = finished(shop.games)

    def listed(*options: str) -> dict[str, str]:
        return {row["game"]: row["verdict"] for row in json.loads(command("games", "--format", "json", *options)[1])}

    assert listed() == {good: "ok", bad: "bad", going: "", late: "none"}
    for word, game in (("ok", good), ("bad", bad), ("none", late)):
        assert listed("--verdict", word) == {game: word}
    assert "no such game" not in command("games", "--verdict", "bad")[1]


def test_the_names_of_rqs_keys_are_those_it_uses(shop: Shop) -> None:
    queue = shop.jobs.queue
    assert (queue.key, queue.failed_job_registry.key) == (keys.JOBS_WAITING, keys.JOBS_FAILED)
    assert StrictJob.key_for("x") == keys.job("x")


def test_the_numbers_count_what_waits_what_failed_and_what_the_sweep_saw(shop: Shop) -> None:
    assert numbers(shop.work) == Numbers(0, 0, 0, None)
    broken(shop)
    shop.sweep()
    push(shop, "bad", payload("os.system", ["true"]))
    shop.sweep()
    for number in range(3):
        shop.jobs.enqueue("audit", f"{number}" * 16)
    shop.work.hset(keys.job(shop.waiting()[0]), "enqueued_at", "2020-01-01T00:00:00.000000Z")
    found = numbers(shop.work)
    assert (found.waiting, found.failed) == (3, 1)
    assert found.oldest > LATE_MS
    assert found.swept == VerdictCounts(Clock().now(), 1, 0, 1)


def test_the_doctor_says_what_is_wrong_with_jobs_and_verdicts(shop: Shop, command: Callable[..., tuple[int, str]]) -> None:
    def wrong() -> dict[str, str]:
        checked = json.loads(command("doctor", "--format", "json")[1])
        assert {"jobs", "verdicts"} <= {check["name"] for check in checked}
        return {check["name"]: check["remedy"] for check in checked if not check["ok"]}

    assert not {"jobs", "verdicts"} & set(wrong())
    broken(shop)
    shop.sweep()
    shop.sweep()
    assert "--verdict bad" in wrong()["verdicts"]
    push(shop, "bad", payload("os.system", ["true"]))
    shop.do_all()
    assert "log" in wrong()["jobs"]
    shop.jobs.enqueue("sweep")
    shop.work.hset(keys.job("sweep"), "enqueued_at", "2020-01-01T00:00:00.000000Z")
    assert "trickbook worker" in wrong()["jobs"]


def test_a_work_server_that_is_away_is_named_without_its_password(shop: Shop) -> None:
    with open_store({REDIS_URL: shop.url}, Path("/nowhere")) as opened:
        for url in ("redis://:geheim@127.0.0.1:1", "http://:geheim@db"):
            ((name, ok, found, remedy),) = checks(partial(work_url, {WORK_URL: url}, opened), SystemClock())
            assert (name, ok) == ("work server", False)
            assert "geheim" not in found + remedy


def test_the_doctor_goes_on_where_the_work_server_is_away(
    shop: Shop, command: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(WORK_URL, "redis://:geheim@127.0.0.1:1")
    code, out = command("doctor", "--format", "json")
    checked = {check["name"]: check for check in json.loads(out)}
    assert code == 1
    assert (checked["store"]["ok"], checked["identity"]["ok"]) == (True, True)
    assert WORK_URL in checked["work server"]["remedy"]
    assert "geheim" not in out


def test_jobs_and_verdicts_are_gauges(shop: Shop) -> None:
    broken(shop)
    shop.sweep()
    shop.sweep()
    shop.jobs.enqueue("sweep")
    environment = {REDIS_URL: shop.url}
    with open_store(environment, Path("/nowhere")) as opened:
        books = open_books(environment, opened)
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Read(lambda: gauges(opened, books, Lists(opened.store, books, shop.games.identity))))
        text = generate_latest(registry).decode()
    for line in (
        'trickbook_jobs{state="waiting"} 1.0',
        'trickbook_jobs{state="failed"} 0.0',
        "trickbook_verdicts_bad 1.0",
        "trickbook_verdicts_missing 0.0",
    ):
        assert line in text
