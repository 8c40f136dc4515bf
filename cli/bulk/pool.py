"""A few processes that audit, and the order of what they find: outcomes come as their units went in, and only so many
units are under way that neither a slow one nor a million need memory.
"""

import os
import selectors
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Final, Self

from cli.bulk.units import MOST_JOBS, Unit, UnitOutcome, UnreadUnit, not_audited
from cli.bulk.worker import Worker
from events.store import Unreachable
from projections.audit.findings import Receipts

TICK_SECONDS: Final = 0.1

_AHEAD: Final = 16
"""Units a process may be ahead of the oldest that is not done."""
_LIVES: Final = 2
"""Processes a unit may take with it before it is given up."""


class WorkersDie(Exception):
    """The processes that audit end one after the other whatever they are given; the message says how."""


def cores() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class Pool:
    """`jobs` processes, started when they are needed and ended with the block. Use as a context manager."""

    def __init__(self, jobs: int, store_url: str | None = None, receipts: Receipts = "last") -> None:
        self._jobs = max(1, min(jobs, MOST_JOBS))
        self._store_url, self._receipts = store_url, receipts
        self._idle: list[Worker] = []
        self._busy: dict[Worker, tuple[int, Unit]] = {}
        self._died: dict[int, int] = {}
        self._deaths = 0  # since the last outcome
        self._selector = selectors.DefaultSelector()
        self._done: dict[int, UnitOutcome] = {}
        self._taken = self._told = 0

    @property
    def pids(self) -> list[int]:
        """Of the processes there are now."""
        return [worker.pid for worker in (*self._busy, *self._idle)]

    def outcomes(self, units: Iterable[Unit], tick: Callable[[], None] = lambda: None) -> Iterator[UnitOutcome]:
        """The outcome of each unit, in their order. `tick` is called some ten times a second while nothing comes.

        Raises `Unreachable` where the store does not answer, `WorkersDie`, and `OSError` where no process can be started.
        """
        waiting = iter(units)
        more = True
        while more or self._busy or self._done:
            while more and len(self._busy) < self._jobs and self._taken - self._told < self._jobs * _AHEAD:
                unit = next(waiting, None)
                if unit is None:
                    more = False
                else:
                    self._take(unit)
            if self._told in self._done:
                yield from self._next()
            elif self._busy:
                self._receive(tick)

    def left_over(self) -> list[UnitOutcome]:
        """After an interruption: what is done and was not told, in order."""
        found = [self._done[number] for number in sorted(self._done) if self._done[number].grade != "unreachable"]
        self._done.clear()
        return found

    def _next(self) -> Iterator[UnitOutcome]:
        while self._told in self._done:
            found = self._done[self._told]
            if found.grade == "unreachable":
                raise Unreachable(found.message)
            del self._done[self._told]
            self._told += 1
            yield found

    def _take(self, unit: Unit) -> None:
        number = self._taken
        self._taken += 1
        if isinstance(unit, UnreadUnit):
            self._done[number] = not_audited(unit.name, "missing" if unit.missing else "unreadable", unit.message)
        else:
            self._send(number, unit)

    def _send(self, number: int, unit: Unit) -> None:
        worker = self._idle.pop() if self._idle else Worker(self._store_url, self._receipts)
        self._busy[worker] = (number, unit)
        self._selector.register(worker, selectors.EVENT_READ)
        worker.send(unit)

    def _receive(self, tick: Callable[[], None]) -> None:
        """Waits for at least one outcome, or for a process that has ended."""
        while not (ready := self._selector.select(TICK_SECONDS)):
            tick()
        for key, _ in ready:
            worker: Worker = key.fileobj  # type: ignore[assignment]  # what was registered
            found = worker.receive()
            self._selector.unregister(worker)
            number, unit = self._busy.pop(worker)
            if found is None:
                self._bury(worker, number, unit)
            else:
                self._deaths = 0
                self._done[number] = found
                self._idle.append(worker)

    def _bury(self, worker: Worker, number: int, unit: Unit) -> None:
        """A process has ended under a unit: another one tries it, once."""
        how = worker.end()
        self._deaths += 1
        self._died[number] = self._died.get(number, 0) + 1
        if self._deaths > self._jobs * _LIVES:
            raise WorkersDie(f"the processes that audit end as soon as they begin ({how}): nothing more can be checked")
        if self._died[number] < _LIVES:
            self._send(number, unit)
        else:
            said = f"it was not audited: the process that tried to was ended {_LIVES} times ({how})"
            self._done[number] = not_audited(unit.name, "fault", said)

    def close(self) -> None:
        """Ends the processes, whatever they do."""
        for worker in (*self._busy, *self._idle):
            worker.end()
        self._busy.clear()
        self._idle.clear()
        self._selector.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
