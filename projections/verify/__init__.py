"""Verification without a store and without a network: a record, what a player kept, and the key they pinned.

It is the audit and more: whose word stands behind the file, and what a finding proves about whom (fairness.md).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from events.player_evidence import Drawn, Line, OwnBytes, PublicEvent
from events.receipts import Receipt
from events.shuffle import contribution
from events.types import CardDiscarded, CardKept, ContributionRevealed, OneCard, PlayerJoined
from projections.audit import Finding, Source, audit
from projections.audit.codes import Code, rank
from projections.verify.case import Case
from projections.verify.stages import Verdict, about

_KEY_ID: Final = re.compile("[0-9a-f]{64}")


class Verification(msgspec.Struct, frozen=True):
    """The result. `verdict` is *verified* only under a pinned key, signed to the end, with nothing found and nothing missing;
    `notes` are scores that were recorded wrongly and put right since; `proof` holds two receipts that
    contradict each other where the service signed two histories, and `proof_events` the kept events that lead from a receipt to
    the head in question, where its own is another."""

    verdict: str
    findings: tuple[Verdict, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    proof: tuple[Receipt, ...] = ()
    proof_events: tuple[PublicEvent, ...] = ()
    notes: tuple[Finding, ...] = ()


def verify(source: Source, kept: Sequence[Line] | None = None, server_key: str | None = None) -> Verification:
    """Verifies a record.

    `kept` are the lines of the player's files, None where there is no such file; `server_key` is a pinned key's id. Raises
    `ValueError` for a pin that is not 64 lower-case hex digits: a shorter one could be made to fit.
    """
    if server_key is not None and _KEY_ID.fullmatch(server_key) is None:
        raise ValueError("a pinned key has all 64 hex digits, lower case: a shorter one could be made to fit")
    case = Case(source, kept, server_key)
    result = audit(source)
    two = case.signed.contradiction(case.heads, case.signed_end)
    lies = list(_in_what_was_signed(case))
    found = [*result.findings, *_signing(case), *_kept_receipts(case), *_own_bytes(case), *_drawn(case)]
    if two is not None and case.trusted is not None:
        text = f"the service signed two histories: {two.text}"
        lies.append(Finding(Code.SERVICE_SIGNED_TWO_HISTORIES, f"v{two.seq}", two.seq, text))
    elif two is not None and not any(one.code == Code.CONTRADICTS_RECEIPT for one in found):
        text = f"whoever holds the key of event 1 signed two histories: {two.text}"
        found.append(Finding(Code.CONTRADICTS_RECEIPT, f"v{two.seq}", two.seq, text))
    if case.ended is None:
        last = max(case.length, 1)
        found.append(
            Finding(Code.GAME_NOT_OVER, f"v{last}", last, "play has not ended in this file: root and decks are not out")
        )
    proven = {(one.code, one.version) for one in lies}
    told = [(one, True) for one in lies] + [(one, False) for one in found if (one.code, one.version) not in proven]
    findings = tuple(
        Verdict(one.code, one.position, one.version, one.message, about(one.code, vouched=vouched),
                "missing" if one.code.grade == "missing" else "wrong")
        for one, vouched in sorted(told, key=lambda pair: (rank(pair[0].code), pair[0].version, pair[0].code))
    )  # fmt: skip
    wrong = any(finding.grade == "wrong" for finding in findings)
    verdict = "bad" if wrong else "not_verified" if findings else "verified"
    proof, events = (two.receipts, two.events) if two is not None and case.trusted is not None else ((), ())
    not_checked = (*result.not_checked, *_not_compared(case))
    return Verification(verdict, findings, (*result.checked, *_compared(case)), not_checked, proof, events, result.notes)


def _some(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _compared(case: Case) -> Iterator[str]:
    """What of the player's own was looked at, in words."""
    held = [one for one in case.kept_receipts if one in case.held_of_kept]
    if held:
        key = "" if case.trusted is not None else ", under the key that event 1 names"
        yield f"{_some(len(held), 'receipt')} you kept, the last of event {held[-1].seq}{key}"
    shown = sum(isinstance(line, Drawn) for line in case.kept)
    if shown:
        yield f"{_some(shown, 'card')} you were shown, against what was sealed"


def _not_compared(case: Case) -> Iterator[str]:
    """What of the player's own could not be looked at, in words."""
    if case.others:
        games = len({one.game for one in case.others})
        yield f"{_some(len(case.others), 'receipt')} you kept of {_some(games, 'other game')}"
    if case.kept_receipts and case.compared_with is None:
        why = (
            "event 1 names another key than the pinned one"
            if case.pinned and case.key
            else "event 1 names no key to verify with"
        )
        yield f"{_some(len(case.kept_receipts), 'receipt')} you kept: {why}"
    if case.signed.unused:
        yield f"{_some(case.signed.unused, 'event')} you kept without a receipt that signs what follows"


def _in_what_was_signed(case: Case) -> Iterator[Finding]:
    """What is wrong with the events the service has vouched for: that it did, whoever brings the file.

    The audit is made again of these alone, so that nothing a player added, cut or edited can show in it. That a sealed
    part is missing it does not tell: anybody can take one out.
    """
    if case.vouched:
        yield from (one for one in audit(case.genuine()).findings if one.code != Code.SEALED_MISSING)
    for receipt in case.misdated():
        text = f"the receipt of event {receipt.seq} is signed with another time than its event has"
        yield Finding(Code.RECEIPT_MISMATCH, f"v{receipt.seq}", receipt.seq, text)


def _signing(case: Case) -> Iterator[Finding]:
    """Whose word stands behind the file."""
    if case.pins_differ:
        yield Finding(Code.PINS_DIFFER, "v1", 1, "the pinned keys differ from each other: say which one you trust")
    elif case.pinned is None:
        yield Finding(Code.KEY_NOT_PINNED, "v1", 1, "no key was pinned: anybody can sign with a key of their own")
    elif case.key is not None and case.key.id != case.pinned:
        yield Finding(Code.OTHER_SERVER_KEY, "v1", 1, "event 1 names another signing key than the one you pinned")
    last = max(case.length, 1)
    if case.pinned is not None and (case.vouched < case.length or not case.length):
        text = "no valid receipt vouches for the last event: from there on the file says nothing of the service"
        yield Finding(Code.FILE_NOT_SIGNED, f"v{last}", last, text if case.vouched else text.replace("from there on ", ""))
    if case.others is not None and not case.kept_receipts:
        text = f"the receipts you gave are not for game {case.source.game}: nothing of this game was compared with a receipt"
        yield Finding(Code.NO_KEPT_RECEIPT, f"v{last}", last, text)


def _kept_receipts(case: Case) -> Iterator[Finding]:
    """The receipts the player kept, against the log: each kind of fault once, however many receipts show it."""
    key, pinned = case.compared_with, case.pinned is not None
    unsigned = [
        one for one in case.kept_receipts
        if (pinned and one.key != case.pinned) or (key is not None and one not in case.held_of_kept)
    ]  # fmt: skip
    if unsigned:
        first, whose = unsigned[0].seq, "the pinned key" if pinned else "the key that event 1 names"
        many = "is" if len(unsigned) == 1 else f"and {len(unsigned) - 1} more are"
        yield Finding(
            Code.KEPT_RECEIPT_INVALID, f"v{first}", first, f"the receipt you kept of event {first} {many} not signed by {whose}"
        )
    later = [one.seq for one in case.kept_receipts if one.seq > case.length and one in case.held_of_kept]
    if later:
        last = later[-1]
        hold = f"you hold {_some(len(later), 'receipt')} of later events, the last of event {last}"
        text = f"the file ends with event {case.length}, but {hold}: ask for a newer one"
        if case.ended is not None:
            text = f"the file says that play ended with event {case.ended}, but {hold}"
        yield Finding(Code.FILE_OLDER_THAN_RECEIPT, f"v{last}", last, text)
    differing = [
        one for one in case.signed.heads
        if case.vouched < one.seq <= case.length and not case.fits(one) and one.receipt in case.held_of_kept
    ]  # fmt: skip
    if differing:
        first = differing[0].seq
        text = f"event {first} is not the one your receipts are for; nobody vouches for this file from there on"
        yield Finding(Code.CONTRADICTS_RECEIPT, f"v{first}", first, text)


def _own_bytes(case: Case) -> Iterator[Finding]:
    """Whether the player's own bytes went in as they were sent, at their seat and at no other."""
    for own in {line for line in case.kept if isinstance(line, OwnBytes)}:
        brought = contribution(bytes.fromhex(own.bytes))
        for event in case.events:
            data = event.data
            place = (f"v{event.seq}", event.seq)
            if isinstance(data, PlayerJoined):
                if data.seat == own.seat and data.contribution is None:
                    text = f"{own.seat} brought bytes of their own, but the log says nothing of it"
                    yield Finding(Code.CONTRIBUTION_STRIPPED, *place, text)
                elif (data.seat == own.seat) != (data.contribution == brought):
                    text = f"the contribution of {data.seat} is not the one they brought"
                    yield Finding(Code.CONTRIBUTION_REPLACED, *place, text)
            if isinstance(data, ContributionRevealed) and data.seat == own.seat and data.bytes != own.bytes:
                text = f"the bytes revealed for {own.seat} are not those they sent"
                yield Finding(Code.CONTRIBUTION_REPLACED, *place, text)


def _drawn(case: Case) -> Iterator[Finding]:
    """Whether each first card the player was shown is the one that was sealed."""
    shown = {line.version: line.card for line in case.kept if isinstance(line, Drawn)}
    for kept, thrown in zip(case.events, case.events[1:], strict=False):
        if not isinstance(kept.data, CardKept) or not isinstance(thrown.data, CardDiscarded) or kept.seq - 1 not in shown:
            continue
        event = kept if kept.data.choice == "first" else thrown
        if isinstance(event.secret, OneCard) and event.secret.card != shown[kept.seq - 1]:
            text = f"{kept.data.seat} was shown {shown[kept.seq - 1]}, but {event.secret.card} is sealed"
            yield Finding(Code.DRAWN_CARD_CHANGED, f"v{event.seq}", event.seq, text)


__all__ = ["Verdict", "Verification", "verify"]
