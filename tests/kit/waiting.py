"""Waiting in tests for what happens elsewhere: by looking again and again, never by sleeping a guessed time."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(condition: Callable[[], T], seconds: float = 10.0) -> T:
    """The first true value of `condition`. Fails when there is none within `seconds`."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"{getattr(condition, '__name__', condition)} did not come true within {seconds} s")
        time.sleep(0.002)
