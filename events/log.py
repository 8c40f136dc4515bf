"""Events as bytes and back: public and sealed parts, seals, the chain (fairness.md, Public and sealed; The chain).

Whether an event was legal, or a commit whole, is for ``projections`` to say.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Final

import msgspec

from events import typed_reader
from events.canonical import NotCanonical, decode, encode
from events.hashing import H
from events.types import TYPES, BadEvent, Event, data_of


class Stored(msgspec.Struct, frozen=True):
    """The bytes of one event: its public part, and its sealed part where there is one and the reader has it."""

    public: bytes
    sealed: bytes | None = None


_PUBLIC: Final = {"at", "data", "seq", "type", "v"}
_SEALED: Final = {"data", "owner", "salt"}


def seal_of(sealed: bytes) -> str:
    """The seal over the canonical bytes of a sealed part, 64 hex digits."""
    return H("seal", sealed).hex()


def store(event: Event) -> Stored:
    """The bytes of an event; where it has a sealed part, `salt` must be 16 fresh random bytes as hex."""
    row = event.type
    public: dict[str, Any] = {
        "at": event.at,
        "data": msgspec.to_builtins(event.data),
        "seq": event.seq,
        "type": row.name,
        "v": event.data.v,
    }
    sealed = None
    if event.secret is not None:
        sealed = encode({"data": msgspec.to_builtins(event.secret), "owner": event.owner, "salt": event.salt})
        public["seal"] = seal_of(sealed)
    return Stored(encode(public), sealed)


def load(stored: Stored) -> Event:
    """The event of the bytes. The seal is not compared here.

    Raises `NotCanonical` for bytes outside the profile, `BadEvent` for an unknown type, version or shape.
    """
    event = typed_reader.read(stored.public, stored.sealed)
    return explained(stored) if event is None else event


def explained(stored: Stored) -> Event:
    """The event of the bytes, step by step. Raises `NotCanonical` and `BadEvent` as `load` does, with what is wrong."""
    public = decode(stored.public)
    if not isinstance(public, dict) or public.keys() - {"seal"} != _PUBLIC:
        raise BadEvent("a public part has exactly the keys at, data, seq, type, v and, where something is sealed, seal")
    seq, at, name, v, seal = (public.get(key) for key in ("seq", "at", "type", "v", "seal"))
    if type(seq) is not int or type(at) is not int or seq < 1 or at < 0:
        raise BadEvent("seq and at are whole numbers, seq from 1")
    row = TYPES.get(name) if isinstance(name, str) else None
    if row is None:
        raise BadEvent(f"the event type {str(name)[:40]!r} is not known here")
    if type(v) is not int or not 1 <= v <= row.version:
        raise BadEvent(f"version {v!s:.20} of {row.name} is not known here: this reads up to version {row.version}")
    if row.secret is None and (seal is not None or stored.sealed is not None):
        raise BadEvent(f"{row.name} has no sealed part")
    if row.secret is not None and (type(seal) is not str or len(seal) != 64 or set(seal) - set("0123456789abcdef")):
        raise BadEvent(f"{row.name} needs a seal of 64 hex digits")
    data = data_of(row.data, public["data"])
    if data.v != v:
        raise BadEvent(f"{row.name} with this data is version {data.v}, not {v}")
    if stored.sealed is None or row.secret is None:
        return Event(seq, at, data, seal=seal)
    sealed = decode(stored.sealed)
    if not isinstance(sealed, dict) or sealed.keys() != _SEALED:
        raise BadEvent("a sealed part has exactly the keys data, owner, salt")
    owner, salt = sealed["owner"], sealed["salt"]
    if owner not in ("north", "south", "house"):
        raise BadEvent("the owner of a sealed part is north, south or house")
    if type(salt) is not str or len(salt) != 32 or set(salt) - set("0123456789abcdef"):
        raise BadEvent("a salt is 32 hex digits")
    return Event(seq, at, data, data_of(row.secret, sealed["data"]), owner, salt, seal)


def ends_play(public: bytes) -> bool:
    """Whether these are the public bytes of a `game_ended`: in canonical JSON no text of a player looks like its type."""
    return b'"type":"game_ended"' in public


def genesis(game: str) -> bytes:
    """The head before event 1."""
    return H("genesis", game.encode())


def next_head(head: bytes, public: bytes) -> bytes:
    """The head after an event whose public bytes these are."""
    return H("event", head + public)


def heads(game: str, publics: Iterable[bytes]) -> list[bytes]:
    """The heads after each event, from event 1."""
    head, found = genesis(game), []
    for public in publics:
        head = next_head(head, public)
        found.append(head)
    return found


_BY: Final = re.compile(rb'\{("key":"[0-9a-f]{64}","request":"[0-9a-f]{64}","seat":"(north|south|house)")?\}')


class Commit(msgspec.Struct, frozen=True):
    """All events of one accepted move, as they are stored in one entry.

    `head` is the raw head after the last event, `receipt` its canonical receipt, `by` the canonical
    ``{"key", "request", "seat"}`` of who asked for it (SHA-256 of the idempotency key and of the canonical request).
    """

    seq: int
    events: tuple[Stored, ...]
    head: bytes
    receipt: bytes
    by: bytes

    @property
    def first(self) -> int:
        """The seq of its first event."""
        return self.seq - len(self.events) + 1

    @property
    def is_requested(self) -> bool:
        """Whether `by` has the form of a request, or is ``{}`` where there was none."""
        return _BY.fullmatch(self.by) is not None


def heads_after(head: bytes, events: Sequence[Stored]) -> tuple[bytes, ...]:
    """The raw head after each of `events`, following `head`."""
    return tuple(accumulate((event.public for event in events), next_head, initial=head))[1:]


def head_after(head: bytes, events: Sequence[Stored]) -> bytes:
    """The head after `events`, following `head`."""
    return heads_after(head, events)[-1] if events else head


__all__ = [
    "BadEvent",
    "Commit",
    "NotCanonical",
    "Stored",
    "ends_play",
    "genesis",
    "head_after",
    "heads",
    "heads_after",
    "load",
    "next_head",
    "seal_of",
    "store",
]
