"""Names of the two players for sentences: their own where the game has them and they differ, else the seats."""

from collections.abc import Mapping

from events.cards import SEATS, Seat
from events.printable import printable
from projections.hiding import HIDDEN


def people(names: Mapping[Seat, str]) -> dict[Seat, str]:
    """How a sentence calls each seat. A name that is hidden, that both have, or that is the name of a seat is not used."""
    shown: dict[Seat, str] = {seat: printable(names.get(seat, "")).strip() for seat in SEATS}
    plain = {name.casefold() for name in shown.values()}
    if len(plain) < len(SEATS) or plain & {"", HIDDEN, *SEATS}:
        return {seat: seat for seat in SEATS}
    return shown
