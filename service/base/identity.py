"""Who this service is: its secret, its signing key, and the ids, tokens and invites derived from them (design §3).

Tokens and invites are never stored, only their hashes; nothing here is ever logged.
"""

import hmac
from typing import Final

import msgspec

from events import keys
from events.cards import Seat
from events.hashing import H, M, u32
from events.receipts import Signer, base64url
from events.types import ServerKey

MIN_KEY_BYTES: Final = 32


class Identity(msgspec.Struct, frozen=True):
    """A 32-byte service secret, the signing key of new games, and the keys of games begun before a rotation."""

    secret: bytes
    signer: Signer
    retired: tuple[Signer, ...] = ()

    @property
    def signers(self) -> tuple[Signer, ...]:
        """Every key we can sign with, the one of new games first."""
        return (self.signer, *self.retired)

    def signer_of(self, key: ServerKey | None) -> Signer | None:
        """Who signs a game that names `key` in its event 1, to its last event; None where we lack that key."""
        return next((signer for signer in self.signers if key is None or signer.key == key), None)

    def game(self, key: bytes) -> str:
        """The id of the game that a create with this key makes."""
        number = int.from_bytes(M(self.secret, "game", key), "big")
        return "".join(keys.CROCKFORD[number >> shift & 31] for shift in range(251, 251 - 5 * keys.ID_LENGTH, -5))

    def token(self, seat: Seat, game: str, key: bytes) -> str:
        """The token of the seat that a create or join with this key takes."""
        return base64url(M(self.secret, "token", b"\x00".join((seat.encode(), game.encode(), key))))

    def invite(self, game: str) -> str:
        """The secret part of a game's invite."""
        return base64url(M(self.secret, "invite", game.encode()))

    def house_invite(self, game: str) -> str:
        """The invite of a game against the house: nobody else can make it, and it is given to nobody."""
        return base64url(M(self.secret, "house-invite", game.encode()))

    def house_key(self, game: str, version: int) -> bytes:
        """The idempotency key of what the house does at this version: the same in every process."""
        return base64url(M(self.secret, "house-move", game.encode() + b"\x00" + u32(version))).encode()

    def end_key(self, game: str, version: int) -> bytes:
        """The idempotency key with which the sweep ends a game that stands at this version: the same in every process."""
        return base64url(M(self.secret, "house-end", game.encode() + b"\x00" + u32(version))).encode()

    def names(self) -> dict[str, str]:
        """What the store remembers of us: a fingerprint of the secret that does not give it away, and the signing key."""
        return {"secret": M(self.secret, "fingerprint", b"").hex(), "key": self.signer.key.id}


def token_hash(token: str) -> str:
    """What is stored of a token, 64 hex digits."""
    return H("token", token.encode()).hex()


def invite_hash(invite: str) -> str:
    """What is stored of an invite, 64 hex digits."""
    return H("invite", invite.encode()).hex()


def same(left: str, right: str) -> bool:
    """Whether two texts are equal, in constant time."""
    return hmac.compare_digest(left.encode(), right.encode())
