"""Places for those who wait: waits and streams hold a thread each, so there are only so many, a seat, an address, in all."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

PER_SEAT: Final = 2


class ConnectionSlots:
    """At most `total` at once, `PER_SEAT` of one seat and `per_address` of one address; safe between threads."""

    def __init__(self, total: int, per_address: int) -> None:
        self._per_address = per_address
        self._left = total
        self._held: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, address: str, seat: str | None) -> bool:
        """Takes a place if there is one; `seat` names a seat of a game, None for a spectator."""
        with self._lock:
            names = self._names(address, seat)
            if self._left < 1 or any(self._held[name] >= most for name, most in names):
                return False
            self._left -= 1
            self._held.update(name for name, _ in names)
            return True

    def give_back(self, address: str, seat: str | None) -> None:
        """Gives back a place that was taken."""
        with self._lock:
            self._left += 1
            for name, _ in self._names(address, seat):
                self._held[name] -= 1
                if not self._held[name]:
                    del self._held[name]

    @contextmanager
    def one(self, address: str, seat: str | None) -> Iterator[bool]:
        """A place for a block; gives False where there is none."""
        taken = self.take(address, seat)
        try:
            yield taken
        finally:
            if taken:
                self.give_back(address, seat)

    @property
    def left(self) -> int:
        """How many there still are."""
        return self._left

    def _names(self, address: str, seat: str | None) -> list[tuple[str, int]]:
        by_address = [(f"address {address}", self._per_address)]
        return by_address if seat is None else [*by_address, (f"seat {seat}", PER_SEAT)]
