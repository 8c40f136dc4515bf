"""What a player keeps of a game: the key they pinned, their own bytes, every receipt they got and the events that lead from
one to the next. Canonical NDJSON (docs/spec/additions.md, What a player keeps).

The file proves what the service vouched for; it is written line by line as the game goes on and never rewritten.
"""

from collections.abc import Iterable
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from events.canonical import NotCanonical, decode, encode
from events.cards import Seat
from events.log import next_head
from events.receipts import Receipt
from events.types import BadEvent, CardField, Data, Hex32, Positive, data_of

MAX_LINE: Final = 64 * 1024
MAX_LINES: Final = 100_000
MAX_ANSWER: Final = 16_000
"""Characters of an answer that are kept as evidence: escaped once more, they still fit in a line."""


class Pinned(Data, frozen=True):
    """Which game this is, whose seat, and the id of the signing key as it was known before any answer was believed."""

    game: str
    key: Hex32
    seat: Seat


class OwnBytes(Data, frozen=True):
    """The player's own 32 bytes, for one game."""

    bytes: Hex32
    game: str
    seat: Seat


class PublicEvent(Data, frozen=True):
    """The public bytes of event `seq`, as text, and the head before it. Kept for the last event of each commit, and for those
    between its first and its last: a receipt signs only the head after the last, and from there these lead back event by event.
    """

    before: Hex32
    game: str
    public: str
    seq: Positive

    @property
    def head(self) -> str:
        """The head after it, 64 hex digits (fairness.md, The chain)."""
        return next_head(bytes.fromhex(self.before), self.public.encode()).hex()


class Drawn(Data, frozen=True):
    """A first card the player was shown at a draft turn, and its head: the sealed part that follows must be it."""

    card: CardField
    game: str
    version: Positive


class Evidence(Data, frozen=True):
    """Something that did not fit: what, and the answer it stood in, as text."""

    answer: str
    code: str
    game: str
    message: Annotated[str, Meta(max_length=1000)]


Line = Pinned | OwnBytes | Receipt | PublicEvent | Drawn | Evidence
_NAMES: Final[dict[str, type[Data]]] = {
    "pinned": Pinned,
    "own": OwnBytes,
    "receipt": Receipt,
    "event": PublicEvent,
    "drawn": Drawn,
    "evidence": Evidence,
}
_BY_TYPE: Final = {kind: name for name, kind in _NAMES.items()}


class UnreadableKept(ValueError):
    """A file that is none of these; `line` (from 1) is the first that was not accepted."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


def write(line: Line) -> bytes:
    """One line, with its LF."""
    return encode({_BY_TYPE[type(line)]: msgspec.to_builtins(line)}) + b"\n"


def read(lines: Iterable[bytes]) -> list[Line]:
    """The lines of a file. Raises `UnreadableKept` for the first that is none; an unfinished last line is left out."""
    found: list[Line] = []
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE or number > MAX_LINES:
            raise UnreadableKept(number, "too long")
        if not line.endswith(b"\n"):
            break  # the power went while it was written: what it would have said is not known
        try:
            value = decode(line[:-1])
            if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in _NAMES:
                raise UnreadableKept(number, f"expected one of {', '.join(_NAMES)}")
            ((name, data),) = value.items()
            found.append(data_of(_NAMES[name], data))  # type: ignore[arg-type]
        except (NotCanonical, BadEvent) as error:
            raise UnreadableKept(number, str(error)) from None
    return found
