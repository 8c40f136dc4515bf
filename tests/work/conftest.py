"""A worker, its queue and its store in the test's process, on a server that every test finds empty."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import redis

from events.receipts import Signer
from events.redis_client import connect
from events.redis_store import RedisStore
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.games.handler import Games
from service.jobs.job_context import JobContext, Task
from service.jobs.job_table import TABLE
from service.jobs.queue import Jobs
from service.jobs.worker import ANSWER_SECONDS, StrictWorker, quieten
from tests.kit.servers import Server, Servers


class Clock:
    def now(self) -> int:
        return 1_790_000_000_000


class Shop:
    """A store, a work server (the same one unless another is named) and workers on them."""

    def __init__(self, url: str, work_url: str | None = None) -> None:
        self.url = url
        self.work_url = work_url or url
        self.store = RedisStore(url)
        self.games = Games(self.store, Identity(bytes(32), Signer(bytes(range(32)))), Clock(), Csprng())
        self.work: redis.Redis = connect(self.work_url)
        self.jobs = Jobs(self.work)
        self._connections = [self.work]
        quieten()

    def bench(self, jobs: Jobs | None = None) -> JobContext:
        return JobContext(self.store, self.games, self.work, Clock(), (jobs or self.jobs).enqueue)

    def worker(self, jobs: Jobs | None = None) -> StrictWorker:
        connection = connect(self.work_url, socket_timeout=ANSWER_SECONDS)
        self._connections.append(connection)
        return StrictWorker(self.bench(jobs), jobs or self.jobs, connection)

    def with_table(self, table: Mapping[str, Task], **changes: Any) -> Jobs:
        return Jobs(self.work, table, **changes)

    def do_all(self, jobs: Jobs | None = None) -> None:
        """Everything that is in the queue, and what that asks for."""
        self.worker(jobs).work(burst=True, logging_level="WARNING")

    def sweep(self) -> None:
        """One sweep, and the audits it asks for."""
        self.jobs.enqueue("sweep")
        self.do_all()

    def failed(self) -> set[str]:
        return set(self.jobs.queue.failed_job_registry.get_job_ids())

    def waiting(self) -> list[str]:
        return self.jobs.queue.get_job_ids()

    def close(self) -> None:
        self.store.close()
        for connection in self._connections:
            connection.close()


@pytest.fixture(scope="session")
def work_server() -> Iterator[Server]:
    started = Servers()
    try:
        yield started.start()
    finally:
        started.end()


@pytest.fixture
def shop(work_server: Server) -> Iterator[Shop]:
    opened = Shop(work_server.url)
    opened.work.flushall()
    yield opened
    opened.close()


@pytest.fixture
def done() -> list[tuple[Any, ...]]:
    """What the jobs of `table` did."""
    return []


@pytest.fixture
def table(done: list[tuple[Any, ...]]) -> Callable[..., dict[str, Task]]:
    """A table with one job more, `note`, that takes whatever `takes` says and notes that it ran."""

    def make(**changes: Any) -> dict[str, Task]:
        return {**TABLE, "note": Task(lambda bench, *ids: done.append(ids), **changes)}

    return make
