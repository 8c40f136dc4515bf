"""Receipts: the service's Ed25519 word for a head (fairness.md, The receipt). Keys come from outside, never from here."""

import base64
import hashlib
import re
from functools import lru_cache
from typing import Annotated, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Meta

from events.canonical import MAX_INTEGER, NotCanonical, decode, encode
from events.hashing import tagged
from events.types import BadEvent, Data, Hex32, Natural, Positive, ServerKey, data_of


class Receipt(Data, frozen=True):
    """A receipt as it goes over the wire: the service vouches for the public events 1 … `seq` of `game`."""

    at: Natural
    game: str
    head: Hex32
    key: Hex32
    seq: Positive
    signature: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{86}\Z")]


_decoder = msgspec.json.Decoder(Receipt)
_CANONICAL: Final = re.compile(
    rb'\{"at":(0|[1-9][0-9]{0,15}),"game":"[0-9a-z]{16}","head":"[0-9a-f]{64}","key":"[0-9a-f]{64}",'
    rb'"seq":[1-9][0-9]{0,15},"signature":"[A-Za-z0-9_-]{86}"\}'
)


def is_canonical(raw: bytes) -> bool:
    """Whether bytes have the form of a receipt, so that they can be copied into an answer. `read` is the whole check."""
    return _CANONICAL.fullmatch(raw) is not None


def base64url(raw: bytes) -> str:
    """base64url without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    """The bytes of an unpadded base64url text. Raises `ValueError` for any other text, other spellings of it included."""
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64url(raw) != text:
        raise ValueError("not canonical base64url")
    return raw


def _message(at: int, game: str, head: str, seq: int) -> bytes:
    if game.isascii() and game.isalnum():  # as every id is; then these are the canonical bytes
        return tagged("receipt", f'{{"at":{at},"game":"{game}","head":"{head}","seq":{seq}}}'.encode())
    return tagged("receipt", encode({"at": at, "game": game, "head": head, "seq": seq}))


@lru_cache(256)
def _public_key(ed25519: str) -> Ed25519PublicKey:
    """The key of its base64url text. Raises `ValueError`."""
    return Ed25519PublicKey.from_public_bytes(from_base64url(ed25519))


class Signer:
    """A signing key and the name it goes by in event 1."""

    def __init__(self, private: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(private)
        raw = self._private.public_key().public_bytes_raw()
        self.key = ServerKey(hashlib.sha256(raw).hexdigest(), base64url(raw))

    def private_bytes(self) -> bytes:
        """The 32 bytes of the private key: for a backup, never for a log or an answer."""
        return self._private.private_bytes_raw()

    def sign(self, at: int, game: str, head: bytes, seq: int) -> bytes:
        """The canonical bytes of the receipt of a commit's last event."""
        signature = base64url(self._private.sign(_message(at, game, head.hex(), seq)))
        return encode(msgspec.to_builtins(Receipt(at, game, head.hex(), self.key.id, seq, signature)))


def written(receipt: Receipt) -> bytes:
    """The canonical bytes of a receipt."""
    return encode(msgspec.to_builtins(receipt))


def read(raw: bytes) -> Receipt:
    """The receipt of canonical bytes. Raises `BadEvent` for anything else."""
    try:
        if is_canonical(raw) and (receipt := _decoder.decode(raw)).at <= MAX_INTEGER >= receipt.seq:
            return receipt
        return data_of(Receipt, decode(raw))
    except NotCanonical as error:
        raise BadEvent(f"the receipt is {error}") from None


@lru_cache(256)
def key_problem(key: ServerKey) -> str | None:
    """What is wrong with a key's name, or None: its id must be the SHA-256 of the raw public key."""
    try:
        raw = from_base64url(key.ed25519)
    except ValueError:
        return "the public key is not base64url"
    return None if hashlib.sha256(raw).hexdigest() == key.id else "the key's id is not the SHA-256 of the public key"


def verified(receipt: Receipt, key: ServerKey) -> bool:
    """Whether the receipt names `key` and its signature holds under it."""
    if receipt.key != key.id or key_problem(key):
        return False
    try:
        _public_key(key.ed25519).verify(
            from_base64url(receipt.signature), _message(receipt.at, receipt.game, receipt.head, receipt.seq)
        )
    except (InvalidSignature, ValueError):
        return False
    return True
