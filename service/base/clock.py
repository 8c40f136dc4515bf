"""The clock that is handed in: milliseconds since 1970 UTC, and nothing else tells the time."""

import time
from typing import Protocol


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> int:
        """Milliseconds since 1970 UTC."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000
