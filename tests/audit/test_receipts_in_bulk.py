"""An audit of many games checks the last receipt of each, and every one as soon as anything is found."""

import msgspec
import pytest

from events import receipts
from events.canonical import decode, encode
from events.receipts import Signer
from projections.audit import Source, audit, from_commits
from tests.kit.logs import GAME, chained
from tests.kit.random_games import random_game

SOURCE = from_commits(GAME, chained(random_game(4, {"max_hands": 1}).commits))
LAST = max(SOURCE.receipts)


def changed(**signatures: bytes) -> Source:
    """The log with the receipt after event `v<n>` replaced."""
    return msgspec.structs.replace(SOURCE, receipts={**SOURCE.receipts, **{int(v[1:]): raw for v, raw in signatures.items()}})


def forged(version: int) -> bytes:
    """The receipt of a version, signed by another key under the name of the right one."""
    value = decode(SOURCE.receipts[version])
    other = decode(Signer(bytes([9]) * 32).sign(value["at"], GAME, bytes.fromhex(value["head"]), version))
    return encode({**value, "signature": other["signature"]})


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The versions whose signatures are checked."""
    seen: list[int] = []
    check = receipts.verified
    monkeypatch.setattr(receipts, "verified", lambda receipt, key: seen.append(receipt.seq) or check(receipt, key))
    return seen


def test_one_signature_is_checked_and_the_audit_says_so(verified: list[int]) -> None:
    result = audit(SOURCE, "last")
    assert (result.verdict, result.receipts, verified) == ("ok", "last", [LAST])
    text = f"the last of {len(SOURCE.receipts)} receipts under the key of event 1, and the heads that all of them name"
    assert text in result.checked
    assert not any(line.startswith(f"{len(SOURCE.receipts)} receipts") for line in result.checked)


def test_every_signature_is_checked_where_one_game_is_audited(verified: list[int]) -> None:
    result = audit(SOURCE)
    assert (result.verdict, result.receipts, verified) == ("ok", "every", sorted(SOURCE.receipts))
    assert f"{len(SOURCE.receipts)} receipts under the key of event 1" in result.checked


def test_a_signature_in_the_middle_is_left_to_the_whole_check() -> None:
    source = changed(v9=forged(9)) if 9 in SOURCE.receipts else changed(v2=forged(2))
    assert audit(source, "last").verdict == "ok"
    assert [finding.code for finding in audit(source).findings] == ["bad_signature"]


def test_anything_found_has_every_signature_checked() -> None:
    first = min(SOURCE.receipts)
    source = changed(**{f"v{first}": forged(first), f"v{LAST}": forged(LAST)})
    result = audit(source, "last")
    assert result.receipts == "every"
    assert [finding.version for finding in result.findings] == [first, LAST]


@pytest.mark.parametrize("field", ["head", "seq", "at", "game"])
def test_form_place_and_head_of_every_receipt_are_checked(field: str) -> None:
    first = min(SOURCE.receipts)
    value = decode(SOURCE.receipts[first])
    other = {"head": "0" * 64, "seq": first + 1, "at": 1, "game": "0" * 16}[field]
    result = audit(changed(**{f"v{first}": encode({**value, field: other})}), "last")
    assert "receipt_mismatch" in [finding.code for finding in result.findings]


def test_a_log_with_one_receipt_or_none_says_every_or_nothing() -> None:
    one = msgspec.structs.replace(SOURCE, receipts={LAST: SOURCE.receipts[LAST]})
    assert audit(one, "last").receipts == "every"
    assert audit(msgspec.structs.replace(SOURCE, receipts={}), "last").receipts == "none"
