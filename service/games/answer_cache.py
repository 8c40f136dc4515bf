"""What is computed from a log, kept for everybody who asks for it again: bounded by bytes, computed one at a time."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

T = TypeVar("T")
MOST_BYTES: Final = 64 * 1024 * 1024
ENTRY_BYTES: Final = 512
"""What an entry takes beside its value, about: an answer of no bytes counts too."""

_LONGEST_REST: Final = 1.0
"""Seconds."""


class AnswerCache:
    """The values used last, at most `most` bytes of them; safe between threads.

    A process computes one value at a time, and rests after each for as long as it took: the processor is left to the moves.
    Whoever asks for the value that is being computed gets it without a second computation.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._computing = threading.Lock()
        self._rested = 0.0
        self.size = 0
        """Bytes held."""

    def get(self, key: Hashable, compute: Callable[[], T], size: Callable[[T], int]) -> T:
        """The value of `key`, which must name the log, its version, the viewer and the question. What `compute` raises is
        raised, and nothing is kept."""
        held = self._held(key)
        if held is None:
            with self._computing:
                held = self._held(key)
                if held is None:
                    held = (self._computed(compute), 0)
                    self._keep(key, held[0], ENTRY_BYTES + size(held[0]))
        value: T = held[0]
        return value

    def _computed(self, compute: Callable[[], T]) -> T:
        time.sleep(min(max(self._rested - time.monotonic(), 0.0), _LONGEST_REST))
        begun = time.monotonic()
        try:
            return compute()
        finally:
            ended = time.monotonic()
            self._rested = 2 * ended - begun

    def _held(self, key: Hashable) -> tuple[Any, int] | None:
        with self._lock:
            held = self._values.get(key)
            if held is not None:
                self._values.move_to_end(key)
            return held

    def _keep(self, key: Hashable, value: Any, size: int) -> None:
        if size > self._most // 2:
            return  # it would push out everything else
        with self._lock:
            self._values[key] = (value, size)
            self.size += size
            while self.size > self._most:
                _, (_, left) = self._values.popitem(last=False)
                self.size -= left
