"""A process that audits: it takes units from its standard input and answers each with its outcome, until that closes.

It is executed, not forked: it inherits no lock of a store, no thread and no terminal, and it dies with its parent.
"""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from cli.bulk import frames
from cli.bulk.auditing import outcome
from cli.bulk.units import AuditOrders, Unit, UnitOutcome
from projections.audit.findings import Receipts
from service.base.process_ends import follow_parent

if TYPE_CHECKING:
    from events.redis_store import RedisStore

_ROOT: Final = Path(__file__).parents[2]
_START: Final = "import sys; sys.path.append(sys.argv[1]); from cli.bulk.worker import main; main()"
_PATIENCE_SECONDS: Final = 2.0


class Worker:
    """One such process, from its parent's side: one unit at a time."""

    def __init__(self, store_url: str | None, receipts: Receipts) -> None:
        """Starts it. Raises `OSError` where no process can be started."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, str(_ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the parent, which then ends it
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in: Any = self._process.stdin
        self._out: Any = self._process.stdout
        self._orders: AuditOrders | None = AuditOrders(os.getpid(), store_url, receipts)

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    def fileno(self) -> int:
        """Becomes readable when there is an outcome, or it has ended."""
        found: int = self._out.fileno()
        return found

    def send(self, unit: Unit) -> None:
        """Gives it a unit; one that has ended is noticed at `receive`."""
        with contextlib.suppress(BrokenPipeError):
            if self._orders is not None:
                frames.write(self._in, self._orders)
                self._orders = None
            frames.write(self._in, unit)

    def receive(self) -> UnitOutcome | None:
        """The outcome of the unit it was sent, None where it has ended without one."""
        return frames.read(self._out, UnitOutcome)

    def end(self) -> str:
        """Ends it at once, in the middle of whatever it does; how it ended, in words."""
        self._process.kill()
        code = self._process.wait()
        for stream in (self._in, self._out):
            with contextlib.suppress(BrokenPipeError):  # what was on its way to it
                stream.close()
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def main() -> None:
    """In the started process."""
    incoming, outgoing = _pipes()
    orders = frames.read(incoming, AuditOrders)
    if orders is None:
        return
    follow_parent(orders.parent)
    opened: list[RedisStore] = []

    def store() -> "RedisStore":
        if not opened:
            from events.redis_store import RedisStore

            assert orders.store is not None, "a stored game needs a store"
            opened.append(RedisStore(orders.store, patience=_PATIENCE_SECONDS))
        return opened[0]

    unions: Any = Unit
    while (unit := frames.read(incoming, unions)) is not None:
        frames.write(outgoing, outcome(unit, time.process_time, store, orders.receipts))


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes to the parent; whatever prints goes to standard error from now on, not between the outcomes."""
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, outgoing
