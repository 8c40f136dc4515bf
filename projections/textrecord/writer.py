"""The text record of a finished game (record.md §2), written from its events at the whole depth.

Score and result are those in force; disputes are not written: they are no part of the game.
"""

from collections.abc import Sequence

from events.cards import SEATS, Seat
from events.printable import printable
from events.ruleset import OPTIONS, stored
from events.types import (
    BidPlaced,
    CardKept,
    CardPlayed,
    CardsExchanged,
    DoubleNilBid,
    Event,
    Exchanged,
    GameCreated,
    HandScored,
    HandStarted,
    PlayerJoined,
    Stock,
)
from projections.fold import fold
from projections.table import Open, Scored, empty

FORMAT = "trickbook-text 1"


class NotFinished(ValueError):
    """A game that cannot be written whole: it is still played, or sealed parts are missing."""


def write(events: Sequence[Event]) -> str:
    """The text of a finished game. Raises `NotFinished`."""
    o = fold(empty(""), events).open if events else None
    if o is None or o.result is None:
        raise NotFinished("play has not ended: the text record shows every card")
    score = {scored.hand: scored for scored in o.scores}
    lines = [FORMAT]
    hand: _Hand | None = None
    totals = {"north": 0, "south": 0}
    for event in events:
        data, secret = event.data, event.secret
        match data:
            case PlayerJoined():
                lines.append(f"{data.seat}  {printable(data.name)}")
            case HandStarted():
                if not isinstance(secret, Stock):
                    raise NotFinished(f"the stock of hand {data.hand} is not in this file")
                hand = _Hand(data.hand, secret.stock)
            case _ if hand is None:
                pass
            case DoubleNilBid():
                hand.double_nils.append(data.seat)
            case CardKept():
                hand.draft.append("K" if data.choice == "first" else "T")
            case CardsExchanged():
                if not isinstance(secret, Exchanged):
                    raise NotFinished(f"the exchange of hand {hand.number} is not in this file")
                drawn = " ".join(secret.drawn)
                hand.exchanges.append(f"exchange {data.seat} {' '.join((*secret.discarded, '>'))} {drawn}".rstrip())
            case BidPlaced():
                hand.bids.append(f"{data.seat} {data.tricks}")
            case CardPlayed():
                hand.play(data)
            case HandScored():
                lines += hand.lines(_score(score[data.hand], totals))
                hand = None
            case _:
                pass
    if hand is not None:
        lines += hand.lines(None)
    _header(lines, events)
    return "\n".join([*lines, *_end(o)]) + "\n"


class _Hand:
    """The lines of one hand as they come."""

    def __init__(self, number: int, stock: Sequence[str]) -> None:
        self.number, self.stock = number, stock
        self.double_nils: list[Seat] = []
        self.draft: list[str] = []
        self.exchanges: list[str] = []
        self.bids: list[str] = []
        self.plays: list[str] = []

    def play(self, data: CardPlayed) -> None:
        if len(self.plays) < data.trick:
            self.plays.append(f"{data.seat} {data.card}")
        else:
            self.plays[-1] += f" {data.card}"

    def lines(self, score: str | None) -> list[str]:
        bids = [f"{seat} double_nil" for seat in self.double_nils] + self.bids
        parts = ["", f"hand {self.number}", f"stock  {' '.join(self.stock)}"]
        parts += [f"double_nil {seat}" for seat in self.double_nils]
        parts += [f"draft  {' '.join(self.draft)}"] if self.draft else []
        parts += self.exchanges
        parts += [f"bids   {' '.join(bids)}"] if bids else []
        parts += [f"plays  {' / '.join(self.plays)}"] if self.plays else []
        return [*parts, *([f"score  {score}"] if score else [])]


def _score(scored: Scored, totals: dict[str, int]) -> str:
    """The claims of a hand: the net change, the total and the bags of each seat."""
    parts = []
    for seat in SEATS:
        line = scored.line(seat)
        parts.append(f"{seat} {line.total - totals[seat]:+} {line.total} {line.bags}")
        totals[seat] = line.total
    return " ".join(parts)


def _header(lines: list[str], events: Sequence[Event]) -> None:
    """Puts the rules and the first player where they belong: after the names."""
    created = events[0].data
    assert isinstance(created, GameCreated)
    changes = stored(created.rules).changes()
    at = 1 + sum(line.startswith(("north  ", "south  ")) for line in lines)
    options = " ".join(f"{name}={'none' if changes[name] is None else changes[name]}" for name in OPTIONS if name in changes)
    lines[at:at] = [*([f"rules  {options}"] if options else []), f"first  {created.first}"]


def _end(o: Open) -> list[str]:
    ended = o.result
    assert ended is not None
    winner = ended.winner or "draw"
    result = f"result north {o.north.total} south {o.south.total} winner {winner}"
    if ended.reason in ("resigned", "timed_out"):
        return ["", f"end    {ended.reason} {ended.by}", result]
    if ended.reason == "abandoned":
        return ["", "end    abandoned"]
    return ["", result]
