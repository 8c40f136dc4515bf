"""The fold of a game: `apply(table, event) -> table`, pure and total over logs that were legally made.

`game_ended` ends play, not the log: disputes and corrections (`projections.review`) may follow it.

It judges nothing but what it needs to go on: an event it cannot fold raises `Impossible`. Sealed parts may be missing;
then the table says what is not known (`Own.known`, `House.stock`, …).
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from events.cards import HAND_TRICKS, SEATS, Card, Seat, in_order, other
from events.ruleset import BadRule, stored
from events.types import (
    REVIEW,
    BidPlaced,
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardsExchanged,
    ContributionRevealed,
    Data,
    DisputeOpened,
    DisputeSettled,
    DoubleNilBid,
    Event,
    Exchanged,
    GameCreated,
    GameEnded,
    GameSecrets,
    HandScored,
    HandStarted,
    Looked,
    LossAccepted,
    OneCard,
    PlayerJoined,
    PlayerSecrets,
    ScoreCorrected,
    Stock,
)
from projections import review
from projections.errors import Impossible
from projections.play import breaks, winner
from projections.table import TURNS, House, Open, Own, Result, Scored, Table, Trick


def fold(table: Table, events: Iterable[Event]) -> Table:
    """The table after `events`. Raises `Impossible`."""
    for event in events:
        table = apply(table, event)
    return table


def apply(table: Table, event: Event) -> Table:
    """The table after one event. Raises `Impossible` where the event has no place at all."""
    if event.seq != table.open.version + 1:
        raise Impossible(f"event {event.seq} cannot follow event {table.open.version}")
    if isinstance(event.data, REVIEW):
        return table.but(open=_REVIEW[type(event.data)](table.open, event).but(version=event.seq, at=event.at))
    if table.open.ended:
        raise Impossible("play has ended")
    # The seat that was deciding is not any more, whatever happened: its drawn card is gone from view.
    table = _APPLY[type(event.data)](table, event)
    table = table.but(open=table.open.but(version=event.seq, at=event.at, played_at=event.at))
    return _draw(table)


def _draw(table: Table) -> Table:
    """Shows the first card of a draft turn to the seat that is deciding, and to nobody else (rules.md §2.2)."""
    o = table.open
    for seat in SEATS:
        drawn = None
        if o.deciding and seat == o.turn and o.due is None and table.house.stock is not None:
            drawn = table.house.stock[2 * o.turns]
        if table.own(seat).drawn != drawn:
            table = table.with_own(seat, drawn=drawn)
    return table


def _game_created(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, GameCreated)
    try:
        rules = stored(data.rules)
    except BadRule as error:
        raise Impossible(str(error)) from None
    if isinstance(event.secret, GameSecrets):
        table = table.but(house=House(root=event.secret.root, invite_hash=event.secret.invite_hash))
    o = table.open.but(rules=rules, server_key=data.server_key, first=data.first, hand_first=data.first, names=data.names)
    return table.but(open=o.but(due="player_joined"))


def _player_joined(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, PlayerJoined)
    if table.open.player(data.seat).seated:
        raise Impossible(f"{data.seat} is taken")
    if isinstance(event.secret, PlayerSecrets):
        hashes = (*table.house.token_hashes, (data.seat, event.secret.token_hash))
        table = table.but(house=House(table.house.root, None, None, hashes, table.house.invite_hash))
    o = table.open.with_player(data.seat, name=data.name, contribution=data.contribution).but(due=None)
    if o.north.seated and o.south.seated:
        o = _next_reveal(o)
    return table.but(open=o)


def _next_reveal(o: Open) -> Open:
    """Who must reveal next, south first; the first hand when nothing is owed (fairness.md, The shuffle, 2)."""
    order: tuple[Seat, ...] = ("south", "north")
    for seat in order:
        if o.player(seat).contribution and not o.player(seat).revealed:
            return o.but(phase="reveal", turn=seat)
    return o.but(due="hand_started", turn=None)


def _contribution_revealed(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, ContributionRevealed)
    return table.but(open=_next_reveal(table.open.with_player(data.seat, revealed=data.bytes)))


def _hand_started(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, HandStarted)
    o = table.open
    for seat in SEATS:
        o = o.with_player(seat, looked=False, bid=None, exchanged=None, cards=0, tricks=0, played=())
    o = o.but(
        phase="draft", hand=data.hand, hand_first=data.first, turn=data.first, turns=0, due=None, broken=False,
        trick=None, last_trick=None,
    )  # fmt: skip
    secret = event.secret
    stock = secret.stock if isinstance(secret, Stock) else None
    h = table.house
    return Table(o, Own(), Own(), House(h.root, stock, (), h.token_hashes, h.invite_hash))


def _looked(table: Table, event: Event) -> Table:
    assert isinstance(event.data, Looked)
    return table.but(open=table.open.with_player(event.data.seat, looked=True))


def _double_nil_bid(table: Table, event: Event) -> Table:
    assert isinstance(event.data, DoubleNilBid)
    return table.but(open=table.open.with_player(event.data.seat, looked=True, bid="double_nil"))


def _card_kept(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, CardKept)
    o = table.open
    o = o.with_player(data.seat, cards=o.player(data.seat).cards + 1).but(due="card_discarded")
    own = table.own(data.seat)
    if not isinstance(event.secret, OneCard):
        return table.but(open=o).with_own(data.seat, known=False)
    return table.but(open=o).with_own(data.seat, hand=in_order([*own.hand, event.secret.card]))


def _card_discarded(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, CardDiscarded)
    secret = event.secret
    card = secret.card if isinstance(secret, OneCard) else None
    if card is not None and event.owner == data.seat:
        table = table.with_own(data.seat, discarded=(*table.own(data.seat).discarded, card))
    table = _to_pile(table, () if card is None else (card,), known=card is not None)
    o = table.open
    o = o.but(turns=o.turns + 1, turn=other(data.seat), due=None)
    return table.but(open=_after_draft(o) if o.turns == TURNS else o)


def _to_pile(table: Table, thrown: tuple[Card, ...], *, known: bool, drawn: tuple[Card, ...] = ()) -> Table:
    h = table.house
    pile = None
    if known and h.pile is not None:
        pile = tuple(card for card in h.pile if card not in drawn) + thrown
    return table.but(house=House(h.root, h.stock, pile, h.token_hashes, h.invite_hash))


def _after_draft(o: Open) -> Open:
    """The exchange, the bids or the play: whatever comes next once the draft is over (rules.md §4.1, §5.1, §6.1)."""
    order = (o.hand_second, o.hand_first)
    for seat in order:
        player = o.player(seat)
        if o.rules.exchange_max and player.bid == "double_nil" and player.exchanged is None:
            return o.but(phase="exchange", turn=seat)
    for seat in order:
        if o.player(seat).bid is None:
            return o.but(phase="bidding", turn=seat)
    return o.but(phase="play", turn=o.hand_second, trick=Trick(1, o.hand_second))


def _cards_exchanged(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, CardsExchanged)
    o = _after_draft(table.open.with_player(data.seat, exchanged=data.count))
    secret = event.secret
    if not isinstance(secret, Exchanged):
        known = data.count == 0 and table.own(data.seat).known
        return _to_pile(table, (), known=data.count == 0).with_own(data.seat, known=known).but(open=o)
    own = table.own(data.seat)
    if own.known and not set(secret.discarded) <= set(own.hand):
        raise Impossible("a card was thrown that is not in the hand")
    kept = [card for card in own.hand if card not in secret.discarded]
    table = _to_pile(table, secret.discarded, known=True, drawn=secret.drawn)
    return table.with_own(data.seat, hand=in_order([*kept, *secret.drawn]), discarded=(*own.discarded, *secret.discarded)).but(
        open=o
    )


def _bid_placed(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, BidPlaced)
    return table.but(open=_after_draft(table.open.with_player(data.seat, bid=data.tricks)))


def _card_played(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, CardPlayed)
    o = table.open
    if o.phase != "play" or o.trick is None or o.turn != data.seat:
        raise Impossible(f"{data.seat} is not to play a card")
    own = table.own(data.seat)
    if data.card in own.hand:
        table = table.with_own(data.seat, hand=tuple(card for card in own.hand if card != data.card))
    elif own.known:
        raise Impossible(f"{data.card} is not in {data.seat}'s hand")
    trick = msgspec.structs.replace(o.trick, cards=(*o.trick.cards, (data.seat, data.card)))
    changes: dict[str, Any] = {"broken": o.broken or breaks(o.trick.led, data.card)}
    if len(trick.cards) == 1:
        changes |= {"trick": trick, "turn": other(data.seat)}
    else:
        taker = winner(trick)
        o = o.with_player(taker, tricks=o.player(taker).tricks + 1)
        last = trick.number == HAND_TRICKS
        changes["last_trick"] = msgspec.structs.replace(trick, winner=taker)
        changes |= {"trick": None, "turn": None, "due": "hand_scored"} if last else {
            "trick": Trick(trick.number + 1, taker, broken=changes["broken"]), "turn": taker
        }  # fmt: skip
    player = o.player(data.seat)
    o = o.with_player(data.seat, cards=player.cards - 1, played=(*player.played, data.card))
    return table.but(open=o.but(**changes))


def _hand_scored(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, HandScored)
    o = table.open
    north, south = o.north, o.south
    counted = north.tricks + south.tricks == HAND_TRICKS  # else it is known from the line alone, as in a text record
    played = (
        (data.north.bid if north.bid is None else north.bid, north.tricks if counted else data.north.tricks),
        (data.south.bid if south.bid is None else south.bid, south.tricks if counted else data.south.tricks),
    )
    scored = Scored(data.hand, event.seq, data.north, data.south, played)
    o = o.but(due="verdict", turn=None, scores=(*o.scores, scored))
    o = o.with_player("north", total=data.north.total, bags=data.north.bags)
    return table.but(open=o.with_player("south", total=data.south.total, bags=data.south.bags))


def _game_ended(table: Table, event: Event) -> Table:
    data = event.data
    assert isinstance(data, GameEnded)
    result = Result(data.reason, data.winner, data.by)
    return table.but(open=table.open.but(phase="ended", turn=None, due=None, result=result))


_APPLY: dict[type[Data], Callable[[Table, Event], Table]] = {
    GameCreated: _game_created,
    PlayerJoined: _player_joined,
    ContributionRevealed: _contribution_revealed,
    HandStarted: _hand_started,
    Looked: _looked,
    DoubleNilBid: _double_nil_bid,
    CardKept: _card_kept,
    CardDiscarded: _card_discarded,
    CardsExchanged: _cards_exchanged,
    BidPlaced: _bid_placed,
    CardPlayed: _card_played,
    HandScored: _hand_scored,
    GameEnded: _game_ended,
}
_REVIEW: dict[type[Data], Callable[[Open, Event], Open]] = {
    DisputeOpened: review.opened,
    DisputeSettled: review.settled,
    ScoreCorrected: review.corrected,
    LossAccepted: review.loss_accepted,
}

__all__ = ["Impossible", "apply", "fold"]
