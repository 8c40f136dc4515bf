"""Judges of the events that bring cards: joins, reveals, the draft, the exchange (rules.md §2 to §4)."""

from collections.abc import Iterator

import msgspec

from events import shuffle
from events.cards import SEATS, Seat, other
from events.types import (
    CardDiscarded,
    CardKept,
    CardsExchanged,
    ContributionRevealed,
    DoubleNilBid,
    Event,
    Exchanged,
    GameCreated,
    GameSecrets,
    HandStarted,
    Looked,
    OneCard,
    PlayerJoined,
)
from projections.audit import tally
from projections.audit.codes import Code
from projections.audit.dealing import deck_problem, stock_of
from projections.audit.judging import HandState, Problem, Stop, owner, same_hand, whose
from projections.legal import discard_owner, exchange_objection
from projections.table import Table


def created(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """The owner of the sealed part, and the root against its commitment (fairness.md, The shuffle)."""
    data, secret = event.data, event.secret
    assert isinstance(data, GameCreated)
    yield from owner(event, "house")
    if isinstance(secret, GameSecrets) and shuffle.root_commitment(bytes.fromhex(secret.root)) != data.root_commitment:
        yield Code.ROOT_MISMATCH, "the root sealed in event 1 is not the one its root_commitment was made of"


def joined(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """The seat that was free, and the name that event 1 keeps for it. Raises `Stop`."""
    data = event.data
    assert isinstance(data, PlayerJoined)
    yield from owner(event, "house")
    right = "south" if table.open.north.seated else "north"
    if data.seat != right or table.open.phase != "waiting":
        raise Stop(Code.WRONG_SEAT, f"{data.seat} joined, but {right} was to come")
    names = table.open.names
    kept_for = None if names is None else names.north if data.seat == "north" else names.south
    if kept_for not in (None, data.name):
        yield Code.WRONG_NAME, f"{data.name} joined as {data.seat}, but event 1 keeps that seat for {kept_for}"


def revealed(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """The turn to reveal, and the bytes against the contribution of the join (fairness.md, The shuffle). Raises `Stop`."""
    data = event.data
    assert isinstance(data, ContributionRevealed)
    whose(table, event, data.seat, "reveal")
    if shuffle.contribution(bytes.fromhex(data.bytes)) != table.open.player(data.seat).contribution:
        yield Code.CONTRIBUTION_MISMATCH, f"{data.seat}'s revealed bytes are not the ones committed to at the join"


def hand_started(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """The number of the hand, its first player, and the deck. Raises `Stop`."""
    data, o = event.data, table.open
    assert isinstance(data, HandStarted)
    yield from owner(event, "house")
    if data.hand != o.hand + 1:
        raise Stop(Code.WRONG_HAND, f"hand {data.hand} begins after hand {o.hand}")
    if o.due == "verdict":
        totals: dict[Seat, int] = {seat: o.player(seat).total for seat in SEATS}
        over = tally.ending(o.rules, o.hand, totals)
        if over is not None:
            yield (
                Code.GAME_NOT_ENDED,
                f"hand {data.hand} begins although the game was over by {over[0]} after hand {o.hand}",
            )
    right = o.first if o.hand == 0 else other(o.hand_first)
    if data.first != right:
        yield (
            Code.WRONG_FIRST_PLAYER,
            f"{data.first} is first player of hand {data.hand}, but it was {right}'s turn to be (rules §1.4)",
        )
    stock = stock_of(event.secret)
    if stock is not None and (problem := deck_problem(stock)):
        raise Stop(Code.BAD_DECK, problem)


def looked(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """A look or a double nil: whose turn it was (rules.md §3). Raises `Stop`."""
    data = event.data
    assert isinstance(data, Looked | DoubleNilBid)
    same_hand(table, data.hand)
    whose(table, event, data.seat, "look" if isinstance(data, Looked) else "double_nil")
    yield from ()


def kept(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """The card kept in a draft turn: whose turn it was, and that it lay in the stock (rules.md §2.2). Raises `Stop`."""
    data = event.data
    assert isinstance(data, CardKept)
    same_hand(table, data.hand)
    whose(table, event, data.seat, "keep" if data.choice == "first" else "pass")
    yield from owner(event, data.seat)
    _from_stock(table, event, data.seat, 0 if data.choice == "first" else 1, f"{data.choice} card")


def _from_stock(table: Table, event: Event, seat: Seat, offset: int, what: str) -> None:
    """Raises `Stop` unless the card of a draft turn is the one that lay there; where the stock is not seen, a new one."""
    stock, secret = table.house.stock, event.secret
    if not isinstance(secret, OneCard):
        return
    if stock is None:
        own = table.own(seat)
        if secret.card in own.hand or secret.card in own.discarded:
            raise Stop(Code.CARD_TWICE, f"{secret.card} is written as the {what} of this turn, but {seat} had drawn it before")
        return
    right = stock[2 * table.open.turns + offset]
    if secret.card != right:
        raise Stop(Code.CARD_NOT_FROM_STOCK, f"{secret.card} is written as the {what} of this turn, but {right} lay there")


def discarded(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """The card thrown in a draft turn: whose it is, and that it lay in the stock (rules.md §2.2). Raises `Stop`."""
    data, o = event.data, table.open
    assert isinstance(data, CardDiscarded)
    same_hand(table, data.hand)
    if data.seat != o.turn:
        raise Stop(Code.NOT_THEIR_TURN, f"{data.seat} discards in {o.turn}'s turn")
    _from_stock(table, event, data.seat, 1 if hand.choice == "first" else 0, "card thrown")
    yield from owner(event, discard_owner(o.rules, data.seat, hand.choice))


def exchanged(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """An exchange: whose turn it was, how many cards, and that they were held and drawn (rules.md §4). Raises `Stop`."""
    data, secret, o = event.data, event.secret, table.open
    assert isinstance(data, CardsExchanged)
    same_hand(table, data.hand)
    whose(table, event, data.seat, "exchange")
    yield from owner(event, data.seat)
    if data.count > o.rules.exchange_max:
        yield Code.TOO_MANY_CARDS, f"{data.seat} exchanged {data.count} cards, at most {o.rules.exchange_max} were allowed"
    if not isinstance(secret, Exchanged):
        return
    if not len(secret.discarded) == len(secret.drawn) == data.count:
        raise Stop(
            Code.WRONG_COUNT,
            f"{data.count} cards were exchanged, but {len(secret.discarded)} thrown and {len(secret.drawn)} drawn",
        )
    own = table.own(data.seat)
    as_many = o.but(rules=msgspec.structs.replace(o.rules, exchange_max=data.count))  # that they are too many is told already
    objection = exchange_objection(as_many, own, secret.discarded, f"{data.seat}'s") if own.known else None
    if objection is not None:
        raise Stop(Code[objection.code.upper()], f"{data.seat} threw {' '.join(secret.discarded)}: {objection.message}")
    if len(set(secret.drawn)) < data.count:
        raise Stop(Code.CARD_TWICE, f"{data.seat} drew {' '.join(secret.drawn)}: a card twice")
    pile = table.house.pile
    strange = [card for card in secret.drawn if card in own.hand or (pile is not None and card not in pile)]
    if strange:
        raise Stop(Code.CARD_NOT_IN_PILE, f"{data.seat} drew {strange[0]}, which was not in the pile")
