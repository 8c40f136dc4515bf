"""Measuring: a median of several runs, and the ratio to a floor that was measured between them."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

RUNS: Final = 5


class Figure(msgspec.Struct, frozen=True):
    """What was measured: `rate` and `floor` in `unit` a second (medians of `runs` runs), and how many floors it costs."""

    name: str
    unit: str
    rate: float
    floor_name: str
    floor: float
    runs: int

    @property
    def ratio(self) -> float:
        """How many times as long as the floor one of these takes."""
        return self.floor / self.rate

    def data(self) -> dict[str, object]:
        """For ``--format json``."""
        return {**msgspec.to_builtins(self), "ratio": round(self.ratio, 2)}


class Waits(msgspec.Struct, frozen=True):
    """How long answers took, in ms: half of them and 99 of 100 no longer than this, beside those of the floor."""

    name: str
    half: float
    most: float
    floor_half: float
    floor_most: float
    answers: int

    def data(self) -> dict[str, object]:
        """For ``--format json``."""
        return {
            name: round(value, 2) if isinstance(value, float) else value for name, value in msgspec.to_builtins(self).items()
        }


def waits(name: str, took: Sequence[float], floor: Sequence[float]) -> Waits:
    """What the times, in ms, of answers and of those of the floor come to; each at least one."""
    return Waits(name, *_quantiles(took), *_quantiles(floor), len(took))


def _quantiles(took: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(took)
    return statistics.median(ordered), ordered[(len(ordered) - 1) * 99 // 100]


def figure(
    name: str, unit: str, work: Callable[[], int], floor_name: str, floor: Callable[[], int], runs: int = RUNS
) -> Figure:
    """Measures `work` and its `floor` in turn, `runs` times each; both give the number of units they did."""
    rates: list[float] = []
    floors: list[float] = []
    for _ in range(runs):
        rates.append(_rate(work))
        floors.append(_rate(floor))
    return Figure(name, unit, statistics.median(rates), floor_name, statistics.median(floors), runs)


def _rate(work: Callable[[], int]) -> float:
    begun = time.perf_counter()
    done = work()
    return done / (time.perf_counter() - begun)
