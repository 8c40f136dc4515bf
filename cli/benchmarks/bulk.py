"""The benchmark of the audit of many games: whole records through two processes, beside one process in the same run."""

from collections.abc import Iterator

from cli.benchmarks.games import GAME, play, sealed
from cli.benchmarks.measuring import Figure, figure
from cli.bulk.pool import Pool
from cli.bulk.units import RecordUnit, Unit
from events import record
from events.receipts import Signer
from service.games.exporting import record_for

_GAMES = 4
_TIMES = 2


def bulk(runs: int) -> Iterator[Figure]:
    """Games a second with two jobs; the ratio is their time beside that of one job, 0.5 where two cores are free."""
    signer = Signer(bytes(range(32)))
    logs = [sealed(play(seed, signer), signer) for seed in range(_GAMES)]
    units: list[Unit] = [
        RecordUnit(f"game {seed}", record.write(record_for(GAME, log, "spectator", ended=True)))
        for seed, log in enumerate(logs)
    ]
    with Pool(2) as two, Pool(1) as one:
        for pool in (two, one):  # the processes are started now
            _audited(pool, units)
        yield figure(
            "audit of many, 2 jobs",
            "games",
            lambda: _audited(two, units * _TIMES),
            "1 job",
            lambda: _audited(one, units * _TIMES),
            runs,
        )


def _audited(pool: Pool, units: list[Unit]) -> int:
    found = list(pool.outcomes(units))
    if any(outcome.grade != "ok" for outcome in found):
        raise AssertionError("a benchmark game does not audit well")
    return len(found)
