"""Ctrl-C in a command that tells one thing after the other: it never cuts a line in two."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self


class Interruption:
    """Within it SIGINT is a `KeyboardInterrupt`, but inside `shielded` only when that is left. Use as a context manager."""

    def __init__(self) -> None:
        self._shields = 0
        self._pending = False
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = signal.getsignal(signal.SIGINT)
        if self._before is not signal.SIG_IGN:  # in the background, or under nohup, it stays ignored
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """A block that is done to its end. Raises `KeyboardInterrupt` after it where the signal came during it."""
        self._shields += 1
        try:
            yield
        finally:
            self._shields -= 1
        if self._pending and not self._shields:
            self._pending = False
            raise KeyboardInterrupt

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        if self._shields:
            self._pending = True
        else:
            raise KeyboardInterrupt
