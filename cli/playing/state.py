"""What the loop knows and a screen shows: the last view, its story and score sheet, and what is going on with our input."""

import re
import time
from typing import Any

import msgspec

from cli.text import name
from events.cards import SEATS

Json = dict[str, Any]
_SEATS = re.compile(r"\b(north|south)\b", re.IGNORECASE)


class State(msgspec.Struct, kw_only=True):
    """Shown as it is at any moment. `notice` is good news or a question, `refusal` why something was not done;
    `sending` while a move is on its way, `lost` why the service cannot be reached; `asking` a move to be confirmed;
    `here` whether the service is our own."""

    seat: str
    house: bool
    link: str | None = None
    here: bool = False
    view: Json = msgspec.field(default_factory=dict)
    steps: list[Json] = msgspec.field(default_factory=list)
    sheet: Json = msgspec.field(default_factory=dict)
    notice: str = ""
    refusal: str = ""
    sending: bool = False
    lost: str = ""
    asking: Json | None = None

    @property
    def other(self) -> str:
        """The seat across."""
        return next(seat for seat in SEATS if seat != self.seat)

    @property
    def legal(self) -> Json:
        """What may be done now, by type."""
        return {option["type"]: option for option in self.view.get("you", {}).get("legal", [])}

    @property
    def version(self) -> int:
        return int(self.view.get("version", 0))

    @property
    def ended(self) -> bool:
        return bool(self.view.get("phase") == "ended")

    def seconds_left(self) -> float | None:
        """Until the one on turn runs out of time, as far as our clock knows; negative once it has; None without a limit."""
        deadline = self.view.get("deadline")
        return None if deadline is None or self.ended else float(deadline) / 1000 - time.time()

    def player(self, seat: str) -> Json:
        """What the view says of a seat; nothing where nobody sits."""
        found: Json = self.view.get("seats", {}).get(seat, {})
        return found

    def who(self, seat: str | None) -> str:
        """A seat's name for this reader."""
        if seat == self.seat:
            return "you"
        return name(self.player(seat or "").get("name", "")) or "your friend"

    def called(self, seat: str) -> str:
        """A seat's name as everybody calls it."""
        return name(self.player(seat).get("name", "")) or seat

    def named(self, text: str) -> str:
        """A sentence of the service with the names in place of the seats."""
        return _SEATS.sub(lambda found: self.called(found[0].lower()), text)

    def last_scored(self) -> Json | None:
        """The last hand of the sheet."""
        hands = self.sheet.get("hands", [])
        return hands[-1] if hands else None
