"""The operator's journal: what whoever runs the service did to games and names, and why. It is only ever added to.

It changes no event: a name that is hidden stays in the bytes, and a game that was ended says so itself.
"""

from typing import Literal

import msgspec

Kind = Literal["end", "end_refused", "hide", "unhide", "accept_loss"]
"""``end`` is noted before the game is ended, so that no end is without its note; ``end_refused`` when it was not to be."""


class Note(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One act, at the store's time (ms since 1970 UTC), with the reason the operator gave; of a game or of a name."""

    kind: Kind | str
    at: int
    why: str
    game: str | None = None
    name: str | None = None


def write(note: Note) -> bytes:
    """The note as it is stored."""
    return msgspec.json.encode(note)


def read(raw: bytes) -> Note:
    """The note of stored bytes. Raises `ValueError` where no Trickbook wrote them."""
    return msgspec.json.decode(raw, type=Note)
