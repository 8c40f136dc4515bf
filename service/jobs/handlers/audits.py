"""The jobs that audit finished games: one game, and the sweep that finds the games nobody has audited yet."""

from itertools import islice
from typing import Final

from projections.audit import Receipts
from projections.audit import audit as check
from service.games.stored_logs import own_log
from service.jobs import verdicts
from service.jobs.finished import finished, last_version
from service.jobs.job_context import JobContext
from service.jobs.verdicts import KeptVerdict, VerdictCounts

MOST_AT_ONCE: Final = 2000
"""The most audits that one sweep asks for; the next one asks for the rest."""
MOST_RECEIPTS_AT_ONCE: Final = 50
"""The most games whose every receipt one sweep has checked, and only a sweep that finds no game without a verdict."""


def audit(bench: JobContext, game: str) -> None:
    """Audits a game with its last receipt, and keeps the verdict; of a running game only one that is bad."""
    _keep(bench, game, "last")


def every_receipt(bench: JobContext, game: str) -> None:
    """Audits a game whose last receipt alone was checked, with every receipt."""
    _keep(bench, game, "every")


def _keep(bench: JobContext, game: str, receipts: Receipts) -> None:
    log = own_log(bench.store, game)
    if log is None:
        return
    result = check(log.source, receipts)
    if result.verdict == "ok" and not log.ended:
        return
    codes: tuple[str, ...] = tuple(dict.fromkeys(finding.code for finding in result.findings))[: verdicts.MOST_CODES]
    first = result.findings[0].position if result.findings else ""
    whole = log.source.broken is None
    version = log.source.length if whole else last_version(bench.store, game)
    head = log.source.heads[version].hex() if whole else ""
    count, at = len(result.findings), bench.clock.now()
    checked: Receipts = "last" if result.receipts == "last" else "every"
    verdicts.keep(bench.work, game, KeptVerdict(version, head, result.verdict, count, codes, at, first, checked))


def sweep(bench: JobContext) -> None:
    """Asks for an audit of every finished game without a verdict on its log as it is now."""
    known = verdicts.every(bench.work)
    missing = seen = 0
    for game, version in finished(bench.store):
        seen += 1
        verdict = known.get(game)
        if verdict is None or verdict.version < version:
            missing += 1
            if missing <= MOST_AT_ONCE:
                bench.enqueue("audit", game)
    if not missing:
        unchecked = (game for game, verdict in known.items() if verdict.receipts == "last")
        for game in islice(unchecked, MOST_RECEIPTS_AT_ONCE):
            bench.enqueue("receipts", game)
    bad = sum(verdict.verdict == "bad" for verdict in known.values())
    verdicts.note_sweep(bench.work, VerdictCounts(bench.clock.now(), seen, missing, bad))
