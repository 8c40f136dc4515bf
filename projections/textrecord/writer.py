"""The text record of a finished game (record.md §2), written from its events at the whole depth.

Score and result are those in force; disputes are not written: they are no part of the game.
"""

from collections.abc import Sequence

from events.cards import SEATS, Card, Seat
from events.printable import printable
from events.ruleset import stored
from events.types import (
    Bid,
    BidPlaced,
    CardKept,
    CardPlayed,
    CardsExchanged,
    DoubleNilBid,
    Event,
    Exchanged,
    GameCreated,
    HandStarted,
    PlayerJoined,
    Stock,
)
from projections.fold import fold
from projections.table import Open, Scored, empty
from projections.textrecord.game import Claimed, End, TextGame, TextHand, WrittenExchange, WrittenResult, WrittenTrick
from projections.textrecord.spelling import FORMAT, spelled

__all__ = ["FORMAT", "NotFinished", "write"]


class NotFinished(ValueError):
    """A game that cannot be written whole: it is still played, or sealed parts are missing."""


def write(events: Sequence[Event]) -> str:
    """The text of a finished game. Raises `NotFinished`."""
    o = fold(empty(""), events).open if events else None
    if o is None or o.result is None:
        raise NotFinished("play has not ended: the text record shows every card")
    created = events[0].data
    assert isinstance(created, GameCreated)
    score = {scored.hand: scored for scored in o.scores}
    names: dict[Seat, str] = {}
    hands: list[_Hand] = []
    for event in events:
        data, secret = event.data, event.secret
        match data:
            case PlayerJoined():
                names[data.seat] = printable(data.name)
            case HandStarted():
                if not isinstance(secret, Stock):
                    raise NotFinished(f"the stock of hand {data.hand} is not in this file")
                hands.append(_Hand(data.hand, secret.stock))
            case _ if not hands:
                pass
            case DoubleNilBid():
                hands[-1].double_nils.append(data.seat)
            case CardKept():
                hands[-1].draft += "K" if data.choice == "first" else "T"
            case CardsExchanged():
                if not isinstance(secret, Exchanged):
                    raise NotFinished(f"the exchange of hand {data.hand} is not in this file")
                hands[-1].exchanges.append(WrittenExchange(data.seat, tuple(secret.discarded), tuple(secret.drawn)))
            case BidPlaced():
                hands[-1].bids[data.seat] = data.tricks
            case CardPlayed():
                hands[-1].play(data)
            case _:
                pass
    totals: dict[Seat, int] = dict.fromkeys(SEATS, 0)
    written = tuple(hand.written(score.get(hand.number), totals) for hand in hands)
    result, end = _ended(o)
    return spelled(TextGame(names, stored(created.rules), "", created.first, written, result, end))


class _Hand:
    """One hand as its events come."""

    def __init__(self, number: int, stock: Sequence[Card]) -> None:
        self.number, self.stock = number, tuple(stock)
        self.double_nils: list[Seat] = []
        self.draft = ""
        self.exchanges: list[WrittenExchange] = []
        self.bids: dict[Seat, Bid] = {}
        self.plays: list[WrittenTrick] = []

    def play(self, data: CardPlayed) -> None:
        if len(self.plays) < data.trick:
            self.plays.append(WrittenTrick(data.seat, data.card))
        else:
            led = self.plays[-1]
            self.plays[-1] = WrittenTrick(led.leader, led.led, data.card)

    def written(self, scored: Scored | None, totals: dict[Seat, int]) -> TextHand:
        bids: dict[Seat, Bid] = {**dict.fromkeys(self.double_nils, "double_nil"), **self.bids}
        return TextHand(
            self.number, {}, self.stock, {}, tuple(self.double_nils), self.draft, tuple(self.exchanges), bids,
            tuple(self.plays), score={} if scored is None else _score(scored, totals),
        )  # fmt: skip


def _score(scored: Scored, totals: dict[Seat, int]) -> dict[Seat, Claimed]:
    """The claims of a hand: the net change, the total and the bags of each seat; `totals` go on to those after it."""
    claims: dict[Seat, Claimed] = {}
    for seat in SEATS:
        line = scored.line(seat)
        claims[seat] = Claimed(line.total - totals[seat], line.total, line.bags)
        totals[seat] = line.total
    return claims


def _ended(o: Open) -> tuple[WrittenResult | None, End | None]:
    ended = o.result
    assert ended is not None
    if ended.reason == "abandoned":
        return None, End("abandoned", None, 0)
    result = WrittenResult(o.north.total, o.south.total, ended.winner or "draw", 0)
    return result, End(ended.reason, ended.by, 0) if ended.reason in ("resigned", "timed_out") else None
