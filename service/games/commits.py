"""Commits as a decision makes them and as the log gives them back: whose request, which events, the heads, the table after.

Each event of a decision is encoded, sealed and chained once, and the last head is signed once (fairness.md).
"""

from hashlib import sha256
from typing import Literal

import msgspec

from events.canonical import decode, encode
from events.log import Commit, heads_after, store
from events.receipts import Signer
from events.store import LogHead
from events.types import Event
from projections.table import Table
from service.games.consequences import Decision

Asker = Literal["north", "south", "house"]


class RequestHashes(msgspec.Struct, frozen=True):
    """Who asked for a commit: the hashes of the idempotency key and of the canonical request, 64 hex digits each."""

    seat: Asker
    key: str
    request: str

    def stored(self) -> bytes:
        """The canonical bytes that stand in the commit's ``by``."""
        return encode({"key": self.key, "request": self.request, "seat": self.seat})


def request_of(seat: Asker, key: bytes, canonical: bytes) -> RequestHashes:
    """The request of a seat with this key and these canonical bytes."""
    return RequestHashes(seat, sha256(key).hexdigest(), sha256(canonical).hexdigest())


def requester(commit: Commit) -> RequestHashes:
    """Who asked for a commit, as it says itself."""
    return msgspec.convert(decode(commit.by), RequestHashes)


class Committed(msgspec.Struct, frozen=True):
    """A commit in the log with whose request made it, the place before it, its events, the raw head after each of them, and
    the table after it; `replayed` if it was in the log before it was requested."""

    asker: Asker
    before: LogHead
    commit: Commit
    events: tuple[Event, ...]
    heads: tuple[bytes, ...]
    after: Table
    replayed: bool = False

    @property
    def at(self) -> LogHead:
        """The place after the commit."""
        return LogHead(self.commit.seq, self.commit.head)


def sealed(game: str, at: LogHead, decision: Decision, request: RequestHashes, signer: Signer) -> Committed:
    """The commit of a decision made at a place of a game, as it goes into the log."""
    events = decision.events
    stored = tuple(store(event) for event in events)
    heads = heads_after(at.head, stored)
    last = events[-1]
    receipt = signer.sign(last.at, game, heads[-1], last.seq)
    commit = Commit(last.seq, stored, heads[-1], receipt, request.stored())
    return Committed(request.seat, at, commit, events, heads, decision.table)
