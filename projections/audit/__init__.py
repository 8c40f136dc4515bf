"""The audit: a fold of one log, from its raw bytes to a verdict, that trusts nothing it can compute.

A consistent rewrite, or a cut at the edge of a commit, it cannot see by itself: for that somebody must hold a receipt.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from events import shuffle
from events.types import Event, GameEnded
from projections.audit import integrity, legality_pass
from projections.audit.codes import Code
from projections.audit.dealing import derived
from projections.audit.findings import Audit, Finding, Receipts
from projections.audit.legality_pass import Course
from projections.audit.phrases import phrase
from projections.audit.source import Source, from_commits, from_record


def audit(source: Source, receipts: Receipts = "every") -> Audit:
    """Checks a whole log. Never raises for what is in it.

    With `receipts` "last" only the signature of the last receipt is checked, whose head holds all before it; as soon as
    anything is found, every signature is checked (docs/decisions/receipts-in-bulk.md).
    """
    result = _audit(source, receipts)
    return _audit(source, "every") if result.receipts == "last" and result.findings else result


def _audit(source: Source, receipts: Receipts) -> Audit:
    intact = integrity.check(source, receipts)
    walk = legality_pass.check(
        source.game, intact.events, heads=intact.heads, commits=source.commits, whole=intact.stopped is None
    )
    found = [*intact.findings, *walk.findings]
    whole = intact.stopped is None and walk.stopped is None
    if walk.ended is not None:
        found.extend(_opened(walk, intact.events, complete=source.commits is not None))
    found.sort(key=lambda finding: finding.version)
    compared = [version for version in source.heads if version <= len(intact.events)]
    read = sum(version <= len(intact.events) for version in source.receipts)
    done: Literal["every", "last", "none"] = "none" if not read else "every" if read == 1 else receipts
    hand = walk.table.open.hand
    moves = f"every move of {_some(hand, 'hand')}, every score" if hand else "every move"
    checked = [
        f"form and numbers of {_some(len(intact.events), 'event')}" if intact.events else "",
        "seals of the parts shown" if intact.events else "",
        f"chain up to event {max(compared)}" if compared else "",
        f"{_some(read, 'receipt')} under the key of event 1" if done == "every" else "",
        f"the last of {read} receipts under the key of event 1, and the heads that all of them name" if done == "last" else "",
        moves if intact.events else "",
        f"root, {_some(sum(deal.seat is None for deal in walk.deals), 'deck')} and the exchanges" if walk.ended else "",
    ]
    return Audit(
        "bad" if found else "ok",
        tuple(found),
        tuple(text for text in checked if text),
        tuple(_not_checked(source, walk, intact.stopped, intact.events, whole=whole)),
        walk.notes,
        done,
    )


def _some(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _opened(walk: Course, events: Sequence[Event], *, complete: bool) -> Iterator[Finding]:
    """After the end: the root, what it gives, and that nothing which must be open is missing from a record."""
    ended = walk.ended
    assert ended is not None
    assert isinstance(ended.data, GameEnded)
    root = bytes.fromhex(ended.data.root)
    created = events[0].data
    commitment = getattr(created, "root_commitment", None)
    if shuffle.root_commitment(root) != commitment:
        text = "the root published at the end is not the one event 1 committed to"
        yield Finding(Code.ROOT_MISMATCH, f"v{ended.seq}", ended.seq, text)
    else:
        yield from derived(walk.table, root, list(walk.deals))
    for event in events:
        if not complete and event.seal is not None and event.secret is None and event.type.opened:
            text = f"the sealed part of event {event.seq} ({phrase(event.type.name)}) is missing although play has ended"
            yield Finding(Code.SEALED_MISSING, f"v{event.seq}", event.seq, text)


def _not_checked(source: Source, walk: Course, stopped: str | None, events: Sequence[Event], *, whole: bool) -> Iterator[str]:
    """What this audit could not look at, and why."""
    if stopped is not None:
        yield f"everything from there on: {stopped}"
    if walk.stopped is not None:
        yield f"legality and scores of {walk.stopped}"
    if not source.receipts:
        yield "who wrote this log: it carries no receipt"
    if walk.ended is None:
        yield "root and decks: the root comes out when play has ended"
        if any(event.seal is not None and event.secret is None for event in events):
            yield "what the sealed parts not shown would tell"
    brought = [player.name for player in (walk.table.open.north, walk.table.open.south) if player.contribution]
    if whole and walk.table.open.hand and len(brought) < 2:
        yield "that the service did not choose the cards: " + (
            "only one player brought bytes of their own" if brought else "no player brought bytes of their own"
        )
    yield "a consistent rewrite, or a cut between two moves: compare with a receipt a player holds"


__all__ = ["Audit", "Finding", "Receipts", "Source", "audit", "from_commits", "from_record"]
