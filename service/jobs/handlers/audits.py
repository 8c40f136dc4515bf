"""The jobs that audit finished games: one game, and the sweep that finds the games nobody has audited yet."""

from typing import Final

from events.store import BadEntry
from projections.audit import audit as check
from projections.audit import from_commits
from service.jobs import verdicts
from service.jobs.finished import finished, has_ended, last_version
from service.jobs.job_context import JobContext
from service.jobs.verdicts import KeptVerdict, VerdictCounts

MOST_AT_ONCE: Final = 2000
"""How many audits one sweep asks for; the next one asks for the rest."""


def audit(bench: JobContext, game: str) -> None:
    """Audits a game and keeps the verdict; of a game that goes on only one that is bad."""
    try:
        commits = bench.store.everything(game)
    except BadEntry:
        found = KeptVerdict(last_version(bench.store, game), "", "bad", 1, ("bad_entry",), bench.clock.now())
        verdicts.keep(bench.work, game, found)
        return
    if not commits:
        return
    result = check(from_commits(game, commits))
    if result.verdict == "ok" and not has_ended(event.public for commit in commits for event in commit.events):
        return
    codes = tuple(dict.fromkeys(finding.code for finding in result.findings))[: verdicts.MOST_CODES]
    last, now = commits[-1], bench.clock.now()
    found = KeptVerdict(last.seq, last.head.hex(), result.verdict, len(result.findings), codes, now)
    verdicts.keep(bench.work, game, found)


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
    bad = sum(verdict.verdict == "bad" for verdict in known.values())
    verdicts.note_sweep(bench.work, VerdictCounts(bench.clock.now(), seen, missing, bad))
