"""Verification without a store and without a network: a record, what a player kept, and the key they pinned.

It is the audit and more: whose word stands behind the file, and what a finding proves about whom (fairness.md).
"""

from collections.abc import Iterator, Sequence

import msgspec

from events import receipts
from events.kept import Drawn, Line, OwnBytes, Pinned
from events.log import BadEvent, NotCanonical, genesis, load, next_head
from events.receipts import Receipt
from events.shuffle import contribution
from events.types import (
    CardDiscarded,
    CardKept,
    ContributionRevealed,
    Event,
    GameCreated,
    GameEnded,
    OneCard,
    PlayerJoined,
    ServerKey,
)
from projections.audit import Finding, Source, audit
from projections.verify.stages import MISSING, Verdict, about, stage


class Verification(msgspec.Struct, frozen=True):
    """The result. `verdict` is *verified* only under a pinned key, signed to the end, with nothing found and nothing missing;
    `proof` holds the contradicting receipts where the service signed two histories."""

    verdict: str
    findings: tuple[Verdict, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    proof: tuple[Receipt, ...] = ()


class _Case:
    """What is verified: the log as far as it can be read, its heads, and what the player brought."""

    def __init__(self, source: Source, kept: Sequence[Line], server_key: str | None) -> None:
        self.source = source
        self.kept = [line for line in kept if line.game == source.game]
        self.events: list[Event] = []
        self.heads: dict[int, bytes] = {}
        head = genesis(source.game)
        for number, stored in enumerate(source.events, 1):
            try:
                event = load(stored)
            except (NotCanonical, BadEvent):
                break
            if event.seq != number:
                break
            head = self.heads[number] = next_head(head, stored.public)
            self.events.append(event)
        pins = {line.key for line in self.kept if isinstance(line, Pinned)} | ({server_key} if server_key else set())
        self.pinned = next(iter(pins)) if len(pins) == 1 else None
        self.pins_differ = len(pins) > 1
        created = self.events[0].data if self.events else None
        self.key: ServerKey | None = created.server_key if isinstance(created, GameCreated) else None

    @property
    def last(self) -> int:
        return len(self.events)

    def trusted(self) -> ServerKey | None:
        """The log's key, if it is the pinned one."""
        return self.key if self.key is not None and self.key.id == self.pinned and not receipts.key_problem(self.key) else None

    def own_receipt(self) -> Receipt | None:
        """The file's receipt for its last event, if it is valid under the pinned key."""
        raw, key = self.source.receipts.get(self.last), self.trusted()
        if raw is None or key is None:
            return None
        try:
            receipt = receipts.read(raw)
        except BadEvent:
            return None
        right = (self.source.game, self.last, self.heads[self.last].hex())
        return receipt if (receipt.game, receipt.seq, receipt.head) == right and receipts.verified(receipt, key) else None


def verify(source: Source, kept: Sequence[Line] = (), server_key: str | None = None) -> Verification:
    """Verifies a record. `kept` are the lines of the player's files, `server_key` a pinned key's id (64 hex digits)."""
    case = _Case(source, kept, server_key)
    result = audit(source)
    signed = case.own_receipt()
    found: list[Finding] = [*result.findings, *_signing(case, signed)]
    proof: list[Receipt] = []
    found.extend(_kept_receipts(case, signed, proof))
    found.extend(_own_bytes(case))
    found.extend(_drawn(case))
    if not any(isinstance(event.data, GameEnded) for event in case.events):
        found.append(
            Finding("game_not_over", f"v{case.last}", case.last, "play has not ended in this file: root and decks are not out")
        )
    broken = any(finding.code == "seal_mismatch" for finding in found)
    by_service = signed is not None and not broken
    findings = tuple(
        Verdict(one.code, one.position, one.version, one.message, about(one.code, signed=by_service),
                "missing" if one.code in MISSING else "wrong")
        for one in sorted(found, key=lambda one: (stage(one.code), one.version, one.code))
    )  # fmt: skip
    wrong = any(finding.grade == "wrong" for finding in findings)
    verdict = "bad" if wrong else "not_verified" if findings else "verified"
    count = sum(isinstance(line, Receipt) for line in case.kept)
    checked = (*result.checked, *((f"{count} receipts that were kept",) if count else ()))
    return Verification(verdict, findings, checked, result.not_checked, tuple(proof))


def _signing(case: _Case, signed: Receipt | None) -> Iterator[Finding]:
    """Whose word stands behind the file."""
    if case.pins_differ:
        yield Finding("pins_differ", "v1", 1, "the pinned keys differ from each other: say which one you trust")
    elif case.pinned is None:
        yield Finding("key_not_pinned", "v1", 1, "no key was pinned: anybody can sign with a key of their own")
    elif case.key is not None and case.key.id != case.pinned:
        yield Finding("other_server_key", "v1", 1, "event 1 names another signing key than the one you pinned")
    if signed is None and case.pinned is not None:
        text = "the file carries no valid receipt for its last event: it says nothing of the service"
        yield Finding("file_not_signed", f"v{max(case.last, 1)}", max(case.last, 1), text)


def _kept_receipts(case: _Case, signed: Receipt | None, proof: list[Receipt]) -> Iterator[Finding]:
    """Each receipt the player kept, against the log."""
    key = case.trusted()
    for receipt in sorted({line for line in case.kept if isinstance(line, Receipt)}, key=lambda one: (one.seq, one.head)):
        place = (f"v{receipt.seq}", receipt.seq)
        if case.pinned is None or case.pins_differ:
            return
        if receipt.key != case.pinned or (key is not None and not receipts.verified(receipt, key)):
            yield Finding(
                "kept_receipt_invalid", *place, f"the receipt you kept of event {receipt.seq} is not signed by the pinned key"
            )
        elif key is None:
            continue  # the log names another key, which is told once
        elif receipt.seq > case.last:
            text = f"you hold a receipt of event {receipt.seq}, but the file ends with event {case.last}: ask for a newer one"
            yield Finding("file_older_than_receipt", *place, text)
        elif case.heads[receipt.seq].hex() != receipt.head:
            if signed is None:
                text = f"event {receipt.seq} is not the one you hold a receipt of; nobody vouches for this file"
                yield Finding("contradicts_receipt", *place, text)
            else:
                proof.extend(one for one in (receipt, signed) if one not in proof)
                text = f"the service signed this file, and another history up to event {receipt.seq} for you"
                yield Finding("service_signed_two_histories", *place, text)


def _own_bytes(case: _Case) -> Iterator[Finding]:
    """Whether the player's own bytes went in as they were sent."""
    for own in {line for line in case.kept if isinstance(line, OwnBytes)}:
        for event in case.events:
            data = event.data
            place = (f"v{event.seq}", event.seq)
            if isinstance(data, PlayerJoined) and data.seat == own.seat:
                if data.contribution is None:
                    yield Finding(
                        "contribution_stripped",
                        *place,
                        f"{own.seat} brought bytes of their own, but the log says nothing of it",
                    )
                elif data.contribution != contribution(bytes.fromhex(own.bytes)):
                    yield Finding(
                        "contribution_replaced", *place, f"the contribution of {own.seat} is not the one they brought"
                    )
            if isinstance(data, ContributionRevealed) and data.seat == own.seat and data.bytes != own.bytes:
                yield Finding("contribution_replaced", *place, f"the bytes revealed for {own.seat} are not those they sent")


def _drawn(case: _Case) -> Iterator[Finding]:
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
