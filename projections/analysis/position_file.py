"""A list of positions with both hands open, as JSON: read strictly, and written with what was computed."""

import json
import math
from typing import Any, Final

import msgspec

from events.cards import HAND_TRICKS, ORDER, Card, Seat
from projections.analysis.open_hands import OpenHands, value, values
from projections.analysis.solver import Solver

MOST_BYTES: Final = 16 * 1024 * 1024
_GREATEST: Final = 2**53 - 1
_FIELDS: Final = "north, south, leads, spades_broken and worth"


class BadPositions(ValueError):
    """A list of positions that cannot be read; the message names the position and what was expected."""


class ListedPosition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position before a lead, as it stands in a list. `worth[t]` is what `t` more tricks are worth to north.

    `value` and `leads_worth` may be in the file; they are computed and not read.
    """

    north: tuple[Card, ...]
    south: tuple[Card, ...]
    leads: Seat
    spades_broken: bool
    worth: tuple[int | float, ...]
    value: Any = None
    leads_worth: Any = None

    def open_hands(self) -> OpenHands:
        """The position itself."""
        return OpenHands(self.north, self.south, self.leads, self.spades_broken)


def read_positions(raw: bytes) -> list[ListedPosition]:
    """The positions of a file, all checked. Raises `BadPositions`."""
    if len(raw) > MOST_BYTES:
        raise BadPositions(f"longer than {MOST_BYTES:,} bytes: split it")
    try:
        found = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise BadPositions("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise BadPositions(f"not valid JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise BadPositions(f"not valid JSON: {error}") from None
    if not isinstance(found, list):
        raise BadPositions(f"expected a list of positions, each an object with {_FIELDS}")
    return [_position(number, each) for number, each in enumerate(found, 1)]


def solved(position: ListedPosition, solver: Solver) -> dict[str, Any]:
    """The position as JSON data, with its `value` and the worth of each lead that is legal, in `leads_worth`."""
    hands = position.open_hands()
    worth = position.worth
    return {
        "north": list(position.north),
        "south": list(position.south),
        "leads": position.leads,
        "spades_broken": position.spades_broken,
        "worth": list(worth),
        "value": value(hands, worth, solver),
        "leads_worth": values(hands, worth, solver),
    }


def _position(number: int, found: Any) -> ListedPosition:
    try:
        position = msgspec.convert(found, ListedPosition)
    except msgspec.ValidationError as error:
        raise BadPositions(f"position {number}: {str(error).replace('`', '')}; expected {_FIELDS}") from None
    fault = _fault(position)
    if fault:
        raise BadPositions(f"position {number}: {fault}")
    return position


def _fault(position: ListedPosition) -> str | None:
    """What is wrong with the cards or the worth of a position, None if nothing is."""
    seen: set[str] = set()
    for card in (*position.north, *position.south):
        if card not in ORDER:
            return f"{card!r} is not a card; expected a rank 23456789TJQKA and a suit CDHS, such as QS"
        if card in seen:
            return f"{card} is there twice"
        seen.add(card)
    held = len(position.north)
    if held != len(position.south):
        return f"north holds {held} cards and south {len(position.south)}; expected as many in each hand"
    if not 1 <= held <= HAND_TRICKS:
        return f"{held} cards in each hand; expected 1 to {HAND_TRICKS}"
    if len(position.worth) != held + 1:
        return f"worth has {len(position.worth)} numbers; expected {held + 1}, for 0 to {held} tricks"
    if any(not math.isfinite(each) or abs(each) > _GREATEST for each in position.worth):
        return "worth has a number that is too great"
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"an object has the key {twice!r} twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")
