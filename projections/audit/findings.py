"""What an audit says: findings, each with a stable code, a place and a sentence, and the verdict."""

from typing import Literal

import msgspec

from projections.audit.codes import Code


class Finding(msgspec.Struct, frozen=True):
    """Something wrong. `position` names the place as people do, `version` is the seq of the event."""

    code: Code
    position: str
    version: int
    message: str


Receipts = Literal["every", "last"]
"""Of which receipts the signature is checked; their form, place and head always are."""


class Audit(msgspec.Struct, frozen=True):
    """The result: *ok* only where nothing was found; what was looked at and what could not be, in words. `notes` are no
    findings: scores that were recorded wrongly and have been put right (`score_mended`). `receipts` says of which receipts the
    signature was checked, none where the log has none."""

    verdict: Literal["ok", "bad"]
    findings: tuple[Finding, ...]
    checked: tuple[str, ...]
    not_checked: tuple[str, ...]
    notes: tuple[Finding, ...] = ()
    receipts: Literal["every", "last", "none"] = "none"
