"""The report on a dispute, a pure function of the log, the viewer and a clock for the search.

While play goes on it is made of public parts and of the viewer's own sealed ones: whatever the other seat holds, the report is
the same. After the end everything is open, and everything is looked at.
"""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from events.cards import SEATS, Seat
from events.log import Stored, load
from events.types import DisputeOpened, Event, GameEnded, Line, ScoreCorrected
from projections.audience import Viewer, seen_by
from projections.audit import Audit, Source, audit
from projections.audit.score_table import recount
from projections.claims import ClaimAnswer, Clock, answer, facts_of, verdict_of
from projections.claims.recorded import claim_of
from projections.fold import fold
from projections.replay.step_view import Explanation, explanation
from projections.replay.walk import steps
from projections.sheet import minus
from projections.table import Open, empty

_CHANGES: Final = (GameEnded, ScoreCorrected)
"""What a report may be another after, once its dispute was opened."""


class Mistake(msgspec.Struct, frozen=True):
    """A line in force that is not what the plays make it: the first of its seat, as `old`, and as it should be, as `new`.
    `points` is what the hand should have changed the score by, a bag penalty included: what a correction is asked for with."""

    hand: int
    seat: Seat
    old: Line
    new: Line
    points: int


class Report(msgspec.Struct, frozen=True):
    """What is to be said of dispute `n` at `version`. `summary` are sentences, the first of them the verdict on the claim;
    `plays` the totals that bids and cards make; `moment` the explanation of the moment the dispute is about."""

    n: int
    version: int
    ended: bool
    summary: tuple[str, ...]
    claim: ClaimAnswer
    plays: dict[Seat, int]
    mistakes: tuple[Mistake, ...]
    audit: Audit
    moment: Explanation


def state(events: Sequence[Event], n: int) -> int:
    """The version of the last event that made the report on dispute `n` what it is. Raises `LookupError` for no dispute."""
    opened = next((event.seq for event in events if isinstance(event.data, DisputeOpened) and event.data.n == n), None)
    if opened is None:
        raise LookupError(f"there is no dispute {n}")
    return max([opened, *(event.seq for event in events if isinstance(event.data, _CHANGES))])


Told = Callable[[Sequence[Event]], Sequence[Event]]
"""Events as they are told to people, where a name in them is not to be shown."""


def report(source: Source, n: int, viewer: Viewer, clock: Clock, told: Told = tuple) -> Report:
    """The report as `viewer` may read it; `clock` is processor time in seconds.

    Raises `LookupError` where there is no such dispute, `projections.fold.Impossible` for a log that cannot be folded.
    """
    stored = source.events
    version = state([load(Stored(event.public)) for event in stored], n)
    every = [load(event) for event in stored[:version]]
    ended = any(isinstance(event.data, GameEnded) for event in every)
    seen = [seen_by(event, viewer, ended=ended) for event in every]
    o = fold(empty(source.game), seen).open
    dispute = o.disputes[n - 1]
    facts = msgspec.structs.replace(facts_of(seen[: dispute.opened - 1]), names={})  # a kept report outlives a hidden name
    found = answer(facts, claim_of(dispute.claim), clock)
    ledger = facts.ledger()
    mistakes = tuple(_mistakes(o, every))
    audited = audit(_upto(source, version, opened=ended))
    return Report(
        n,
        version,
        ended,
        tuple(_summary(found, verdict_of(found, facts), mistakes, audited)),
        found,
        {seat: ledger[seat][-1].total if ledger[seat] else 0 for seat in SEATS},
        mistakes,
        audited,
        _moment(o, told(seen), n),
    )


def moment(source: Source, n: int, viewer: Viewer, told: Told = tuple) -> Explanation:
    """The explanation of the moment a dispute is about, as `viewer` may read it now. Raises as `report` does."""
    every = [load(event) for event in source.events]
    ended = any(isinstance(event.data, GameEnded) for event in every)
    seen = [seen_by(event, viewer, ended=ended) for event in every]
    return _moment(fold(empty(source.game), seen).open, told(seen), n)


def _moment(o: Open, seen: Sequence[Event], n: int) -> Explanation:
    if not 1 <= n <= len(o.disputes):
        raise LookupError(f"there is no dispute {n}")
    version = o.disputes[n - 1].version
    return explanation(next(step for step in steps(o.game, seen) if step.version >= version))


def _mistakes(o: Open, events: Sequence[Event]) -> list[Mistake]:
    """The first wrong line of each seat."""
    right = recount(events).lines
    found = []
    for seat in SEATS:
        for scored, line in zip(o.scores, right[seat], strict=True):
            if scored.line(seat) != line:
                found.append(Mistake(scored.hand, seat, scored.line(seat), line, line.points - line.penalty))
                break
    return found


def _upto(source: Source, version: int, *, opened: bool) -> Source:
    """The log up to a version; without any sealed part while play goes on."""
    stored = source.events[:version]
    return msgspec.structs.replace(
        source,
        events=stored if opened else tuple(Stored(event.public) for event in stored),
        heads={at: head for at, head in source.heads.items() if at <= version},
        receipts={at: receipt for at, receipt in source.receipts.items() if at <= version},
        length=version,
        commits=source.commits if opened else None,
        broken=None,
    )


def _summary(found: ClaimAnswer, verdict: str, mistakes: Sequence[Mistake], audited: Audit) -> list[str]:
    said = [f"{verdict[0].upper()}{verdict[1:]}."]
    if not found.holds:
        said.append(f"{found.differences[0].message[0].upper()}{found.differences[0].message[1:]}.")
        if found.search is not None and found.search.readings:
            said.append(f"It would be {found.search.readings[0].sentence}.")
    for wrong in mistakes:
        text = (
            f"The recorded score is wrong: {wrong.seat} in hand {wrong.hand} has total {wrong.old.total}, bags {wrong.old.bags}"
        )
        said.append(f"{text}; the plays make it {wrong.new.total}, bags {wrong.new.bags}.")
    if not mistakes:
        said.append("The recorded score is what the plays make it.")
    beside = [one for one in audited.findings if one.code != "wrong_score"]
    if beside:
        said.append(f"The audit found something else, which comes first: {beside[0].message} ({beside[0].position}).")
    return [minus(text) for text in said]
