"""Verification without a store and without a network: a record, what a player kept, and the key they pinned.

It is the audit and more: whose word stands behind the file, and what a finding proves about whom (fairness.md).
"""

from collections.abc import Iterator, Sequence

import msgspec

from events.player_evidence import Drawn, Line, OwnBytes
from events.receipts import Receipt
from events.shuffle import contribution
from events.types import CardDiscarded, CardKept, ContributionRevealed, GameEnded, OneCard, PlayerJoined
from projections.audit import Finding, Source, audit
from projections.verify.case import Case
from projections.verify.stages import MISSING, Verdict, about, stage


class Verification(msgspec.Struct, frozen=True):
    """The result. `verdict` is *verified* only under a pinned key, signed to the end, with nothing found and nothing missing;
    `notes` are scores that were recorded wrongly and put right since; `proof` holds the contradicting receipts where the
    service signed two histories."""

    verdict: str
    findings: tuple[Verdict, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    proof: tuple[Receipt, ...] = ()
    notes: tuple[Finding, ...] = ()


def verify(source: Source, kept: Sequence[Line] = (), server_key: str | None = None) -> Verification:
    """Verifies a record. `kept` are the lines of the player's files, `server_key` a pinned key's id (64 hex digits)."""
    case = Case(source, kept, server_key)
    result = audit(source)
    proof: list[Receipt] = []
    lies = [*_in_what_was_signed(case), *_two_histories(case, proof)]
    found = [*result.findings, *_signing(case), *_kept_receipts(case), *_own_bytes(case), *_drawn(case)]
    if not any(isinstance(event.data, GameEnded) for event in case.events):
        last = max(case.length, 1)
        found.append(Finding("game_not_over", f"v{last}", last, "play has not ended in this file: root and decks are not out"))
    proven = {(one.code, one.version) for one in lies}
    told = [(one, True) for one in lies] + [(one, False) for one in found if (one.code, one.version) not in proven]
    findings = tuple(
        Verdict(one.code, one.position, one.version, one.message, about(one.code, vouched=vouched),
                "missing" if one.code in MISSING else "wrong")
        for one, vouched in sorted(told, key=lambda pair: (stage(pair[0].code), pair[0].version, pair[0].code))
    )  # fmt: skip
    wrong = any(finding.grade == "wrong" for finding in findings)
    verdict = "bad" if wrong else "not_verified" if findings else "verified"
    return Verification(verdict, findings, (*result.checked, *_compared(case)), result.not_checked, tuple(proof), result.notes)


def _compared(case: Case) -> Iterator[str]:
    """What of the player's own was looked at, in words."""
    held = [one for one in case.kept_receipts if case.holds(one)]
    if held:
        yield f"{len(held)} receipts that were kept, the last of event {held[-1].seq}"
    shown = sum(isinstance(line, Drawn) for line in case.kept)
    if shown:
        yield f"{shown} cards that were shown, against what was sealed"


def _in_what_was_signed(case: Case) -> Iterator[Finding]:
    """What is wrong with the events the service has vouched for: that it did, whoever brings the file.

    The audit is made again of these alone, so that nothing a player added, cut or edited can show in it. That a sealed
    part is missing it does not tell: anybody can take one out.
    """
    if case.vouched:
        yield from (one for one in audit(case.genuine()).findings if one.code != "sealed_missing")
    for receipt in case.misdated():
        text = f"the receipt of event {receipt.seq} is signed with another time than its event has"
        yield Finding("receipt_mismatch", f"v{receipt.seq}", receipt.seq, text)


def _two_histories(case: Case, proof: list[Receipt]) -> Iterator[Finding]:
    """Valid receipts that contradict each other, or one for events that follow."""
    for receipt in case.valid:
        if case.fits(receipt):
            continue
        others = [one for one in case.valid if one.seq == receipt.seq and one.head != receipt.head]
        others += [one for one in case.vouchers if one.seq >= receipt.seq][:1]
        if others:
            proof.extend(one for one in (receipt, others[0]) if one not in proof)
            text = f"the service signed two histories: the receipts of event {receipt.seq} and {others[0].seq} contradict"
            yield Finding("service_signed_two_histories", f"v{receipt.seq}", receipt.seq, text)


def _signing(case: Case) -> Iterator[Finding]:
    """Whose word stands behind the file."""
    if case.pins_differ:
        yield Finding("pins_differ", "v1", 1, "the pinned keys differ from each other: say which one you trust")
    elif case.pinned is None:
        yield Finding("key_not_pinned", "v1", 1, "no key was pinned: anybody can sign with a key of their own")
    elif case.key is not None and case.key.id != case.pinned:
        yield Finding("other_server_key", "v1", 1, "event 1 names another signing key than the one you pinned")
    if case.pinned is not None and (case.vouched < case.length or not case.length):
        last = max(case.length, 1)
        text = "no valid receipt vouches for the last event: from there on the file says nothing of the service"
        yield Finding("file_not_signed", f"v{last}", last, text if case.vouched else text.replace("from there on ", ""))


def _kept_receipts(case: Case) -> Iterator[Finding]:
    """Each receipt the player kept, against the log."""
    for receipt in case.kept_receipts if case.pinned is not None else ():
        place = (f"v{receipt.seq}", receipt.seq)
        if receipt.key != case.pinned or (case.trusted is not None and not case.holds(receipt)):
            text = f"the receipt you kept of event {receipt.seq} is not signed by the pinned key"
            yield Finding("kept_receipt_invalid", *place, text)
        elif case.trusted is None:
            continue  # the log names another key, which is told once
        elif receipt.seq > case.length:
            text = f"you hold a receipt of event {receipt.seq}, but the file ends with event {case.length}: ask for a newer one"
            yield Finding("file_older_than_receipt", *place, text)
        elif not case.fits(receipt) and receipt.seq > case.vouched:
            text = f"event {receipt.seq} is not the one you hold a receipt of; nobody vouches for this file"
            yield Finding("contradicts_receipt", *place, text)


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
                    yield Finding("contribution_stripped", *place, text)
                elif (data.seat == own.seat) != (data.contribution == brought):
                    text = f"the contribution of {data.seat} is not the one they brought"
                    yield Finding("contribution_replaced", *place, text)
            if isinstance(data, ContributionRevealed) and data.seat == own.seat and data.bytes != own.bytes:
                text = f"the bytes revealed for {own.seat} are not those they sent"
                yield Finding("contribution_replaced", *place, text)


def _drawn(case: Case) -> Iterator[Finding]:
    """Whether each first card the player was shown is the one that was sealed."""
    shown = {line.version: line.card for line in case.kept if isinstance(line, Drawn)}
    for kept, thrown in zip(case.events, case.events[1:], strict=False):
        if not isinstance(kept.data, CardKept) or not isinstance(thrown.data, CardDiscarded) or kept.seq - 1 not in shown:
            continue
        event = kept if kept.data.choice == "first" else thrown
        if isinstance(event.secret, OneCard) and event.secret.card != shown[kept.seq - 1]:
            text = f"{kept.data.seat} was shown {shown[kept.seq - 1]}, but {event.secret.card} is sealed"
            yield Finding("drawn_card_changed", f"v{event.seq}", event.seq, text)


__all__ = ["Verdict", "Verification", "verify"]
