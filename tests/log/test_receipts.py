"""The receipt (fairness.md): what it says, and that it holds under one key for one head only."""

import base64
import hashlib
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from events import receipts
from events.canonical import decode, encode
from events.receipts import base64url, from_base64url, key_problem, verified
from events.types import BadEvent, ServerKey
from tests.kit.logs import GAME, OTHER_SIGNER, SIGNER

HEAD = b"\x05" * 32
RAW = SIGNER.sign(1_790_000_000_000, GAME, HEAD, 57)
RECEIPT = receipts.read(RAW)


def test_a_receipt_holds_under_the_key_that_signed_it() -> None:
    assert verified(RECEIPT, SIGNER.key)
    assert decode(RAW).keys() == {"at", "game", "head", "key", "seq", "signature"}
    assert (RECEIPT.head, RECEIPT.seq, RECEIPT.game) == (HEAD.hex(), 57, GAME)
    assert RECEIPT.key == SIGNER.key.id


def test_it_holds_under_no_other_key() -> None:
    assert not verified(RECEIPT, OTHER_SIGNER.key)
    assert not verified(msgspec.structs.replace(RECEIPT, key=OTHER_SIGNER.key.id), OTHER_SIGNER.key)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("at", 1_790_000_000_001),
        ("game", "0" * 16),
        ("head", "0" * 64),
        ("seq", 58),
        ("key", "0" * 64),
        ("signature", "A" * 86),
    ],
)
def test_a_receipt_with_one_field_altered_does_not_hold(field: str, value: Any) -> None:
    assert not verified(msgspec.structs.replace(RECEIPT, **{field: value}), SIGNER.key)


def test_the_bytes_signed_are_those_of_the_page() -> None:
    message = b"trickbook/1/receipt\x00" + encode({"at": RECEIPT.at, "game": GAME, "head": HEAD.hex(), "seq": 57})
    Ed25519PublicKey.from_public_bytes(from_base64url(SIGNER.key.ed25519)).verify(from_base64url(RECEIPT.signature), message)


def test_signing_again_gives_the_same_bytes() -> None:
    assert SIGNER.sign(1_790_000_000_000, GAME, HEAD, 57) == RAW


def test_another_spelling_of_the_same_signature_does_not_hold() -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = alphabet.index(RECEIPT.signature[-1])
    spelled = RECEIPT.signature[:-1] + alphabet[last + 1]
    assert base64.urlsafe_b64decode(spelled + "==") == base64.urlsafe_b64decode(RECEIPT.signature + "==")
    assert not verified(msgspec.structs.replace(RECEIPT, signature=spelled), SIGNER.key)


@pytest.mark.parametrize("text", ["QQ==", "QR", "Q", "Q+Q/", "QQ\n", "Q Q", "é", "QQQ="])
def test_no_other_spelling_of_base64url_is_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_base64url(text)


def test_base64url_goes_both_ways() -> None:
    for raw in (b"", b"\xff", b"\xfb\xff\xfe", bytes(range(64))):
        assert from_base64url(base64url(raw)) == raw
        assert "=" not in base64url(raw)


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 0},
        {"seq": True},
        {"at": -1},
        {"head": "A" * 64},
        {"key": "0" * 63},
        {"signature": "A" * 85},
        {"signature": "A" * 85 + "="},
        {"more": 1},
        {"game": 7},
    ],
)
def test_another_shape_is_no_receipt(change: dict[str, Any]) -> None:
    with pytest.raises(BadEvent):
        receipts.read(encode({**decode(RAW), **change}))


def test_what_is_not_canonical_is_no_receipt() -> None:
    for raw in (b"", b" " + RAW, RAW + b"\n", b"{}", b"7"):
        with pytest.raises(BadEvent):
            receipts.read(raw)


def test_the_id_of_a_key_is_the_hash_of_the_key() -> None:
    assert key_problem(SIGNER.key) is None
    assert "SHA-256" in str(key_problem(ServerKey("0" * 64, SIGNER.key.ed25519)))
    spelled = SIGNER.key.ed25519[:-1] + ("B" if SIGNER.key.ed25519[-1] == "A" else SIGNER.key.ed25519[-1].swapcase())
    assert key_problem(ServerKey(SIGNER.key.id, spelled)) is not None
    assert not verified(RECEIPT, ServerKey("0" * 64, SIGNER.key.ed25519))


def test_a_key_that_is_no_point_of_the_curve_verifies_nothing() -> None:
    raw = b"\xff" * 32
    key = ServerKey(hashlib.sha256(raw).hexdigest(), base64url(raw))
    assert key_problem(key) is None
    assert not verified(msgspec.structs.replace(RECEIPT, key=key.id), key)
