"""The two tagged functions everything else is built from (fairness.md): `H` hashes, `M` is keyed."""

import hashlib
import hmac
from typing import Final

_PREFIX: Final = b"trickbook/1/"


def tagged(tag: str, x: bytes) -> bytes:
    """``"trickbook/1/" + tag + 0x00 + x``: the text that is hashed, keyed or signed."""
    return _PREFIX + tag.encode() + b"\x00" + x


def H(tag: str, x: bytes) -> bytes:  # noqa: N802 - the name the specification gives it
    """SHA-256 of the tagged text, 32 raw bytes."""
    return hashlib.sha256(tagged(tag, x)).digest()


def M(key: bytes, tag: str, x: bytes) -> bytes:  # noqa: N802 - the name the specification gives it
    """HMAC-SHA-256 of the tagged text under `key`, 32 raw bytes."""
    return hmac.digest(key, tagged(tag, x), "sha256")


def u32(n: int) -> bytes:
    """`n` as four bytes, big-endian."""
    return n.to_bytes(4, "big")
