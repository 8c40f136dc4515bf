"""Commits as a service writes them: numbered, sealed, chained and signed, whatever they say."""

from collections.abc import Iterable, Sequence

import msgspec

from events.canonical import encode
from events.log import Commit, Stored, head_after, store
from events.receipts import Signer
from events.store import start
from events.types import Event

GAME = "0k7f3x9q2m5v8w1c"
SIGNER = Signer(b"\x07" * 32)
OTHER_SIGNER = Signer(b"\x08" * 32)
START = 1_790_000_000_000


def chained(groups: Iterable[Sequence[Event]], signer: Signer = SIGNER, *, game: str = GAME) -> list[Commit]:
    """Commits of these events as a service writes them: numbered from 1, sealed, chained and signed, whatever they say."""
    head, seq, found = start(game).head, 0, []
    for group in groups:
        numbered = [msgspec.structs.replace(event, seq=seq + i) for i, event in enumerate(group, 1)]
        seq += len(numbered)
        events = tuple(_stored(event) for event in numbered)
        head = head_after(head, events)
        by = encode({"key": "0" * 64, "request": "0" * 64, "seat": "house"})
        found.append(Commit(seq, events, head, signer.sign(numbered[-1].at, game, head, seq), by))
    return found


def _stored(event: Event) -> Stored:
    return store(msgspec.structs.replace(event, seal=None))


def rechained(groups: Iterable[Sequence[Stored]], signer: Signer = SIGNER, *, game: str = GAME) -> list[Commit]:
    """Commits of bytes as they are, chained and signed again; `at` and `seq` are read from the last event's bytes."""
    head, found = start(game).head, []
    for group in groups:
        head = head_after(head, group)
        last = msgspec.json.decode(group[-1].public)
        receipt = signer.sign(last["at"], game, head, last["seq"])
        found.append(Commit(last["seq"], tuple(group), head, receipt, b"{}"))
    return found
