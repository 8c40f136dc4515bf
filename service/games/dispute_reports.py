"""Making a report and keeping it: what a job does after a dispute was opened, and an answer does where no job has.

Everything here may be done twice: the same log gives the same report.
"""

import time
from typing import Any, Final

import msgspec

from events.cards import SEATS
from events.log import Stored, load
from projections.audience import Viewer
from projections.audit import Source, from_commits
from projections.claims import Clock
from projections.disputes import moment, report, state
from projections.replay.unnamed import unnamed
from service.games.handler import Games
from service.games.report_store import Reports

CLOCK: Final[Clock] = time.thread_time
"""Processor time of the thread that searches."""


def make(games: Games, reports: Reports, game: str, n: int, clock: Clock = CLOCK) -> bytes:
    """Makes the report on dispute `n` as anybody may read it and keeps it; its JSON, in which placeholders stand for names.

    Raises `Refused` (`no_such_game`), `LookupError` where there is no such dispute.
    """
    return _made(games, reports, from_commits(game, games.log(game)), n, clock)


def _made(games: Games, reports: Reports, source: Source, n: int, clock: Clock) -> bytes:
    found = report(source, n, "spectator", clock, unnamed)
    raw = msgspec.json.encode(found)
    reports.save(source.game, n, found.version, raw)
    return raw


def for_viewer(games: Games, reports: Reports, source: Source, n: int, viewer: Viewer, clock: Clock = CLOCK) -> bytes:
    """The report as `viewer` may read it, without names: the kept one if it is for the log as it is, else a fresh one.

    A seat's own is made for it alone while play goes on: it shows what that seat held.
    """
    version = state([load(Stored(event.public)) for event in source.events], n)
    kept = reports.load(source.game, n)
    current = kept is not None and kept.version == version
    raw = bytes(kept.report) if kept is not None and current else _made(games, reports, source, n, clock)
    if viewer not in SEATS:
        return raw
    found: dict[str, Any] = msgspec.json.decode(raw)
    if found["ended"]:
        return raw
    return msgspec.json.encode(found | {"moment": moment(source, n, viewer, unnamed)})
