"""What the wire tells the loop."""

from typing import Any

import msgspec

Json = dict[str, Any]


class News(msgspec.Struct, frozen=True):
    """A view that is newer, the steps of its hand and the score sheet as they are then."""

    view: Json
    steps: list[Json]
    sheet: Json


class Moved(msgspec.Struct, frozen=True):
    """A move was accepted, this is the view after it; or it was refused, and this is the reason."""

    view: Json | None
    refused: str | None = None


class Lost(msgspec.Struct, frozen=True):
    """The service cannot be reached just now; nobody has given up."""

    reason: str


class Back(msgspec.Struct, frozen=True):
    """It can be reached again."""


class Over(msgspec.Struct, frozen=True):
    """The service will not let us go on; the sentence says why."""

    reason: str


class MustReveal(msgspec.Struct, frozen=True):
    """Our own bytes are asked for at this version, and everything before them is in order."""

    own: str
    version: int


class Doubt(msgspec.Struct, frozen=True):
    """What was shown does not fit; the evidence is kept. `exit_code` is that of the command."""

    reason: str
    exit_code: int


Message = MustReveal | Doubt | News | Moved | Lost | Back | Over
