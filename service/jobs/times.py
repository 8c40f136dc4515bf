"""Times as RQ writes them, by the clock of whoever wrote them; two machines' clocks need not agree."""

import time
from datetime import UTC, datetime
from typing import Final

AHEAD_SECONDS: Final = 10
"""How much another machine's clock may be before ours."""


def age(raw: bytes | None) -> float | None:
    """Seconds since a time, None where there is none."""
    try:
        written = datetime.fromisoformat((raw or b"").decode(errors="replace").replace("Z", "+00:00"))
    except ValueError:
        return None
    return time.time() - (written if written.tzinfo else written.replace(tzinfo=UTC)).timestamp()


def within(raw: bytes | None, seconds: float) -> bool:
    """Whether a time is less than so long ago; one in the future, from before a clock was set back, is not."""
    passed = age(raw)
    return passed is not None and -AHEAD_SECONDS <= passed < seconds
