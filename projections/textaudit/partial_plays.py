"""Judges the plays of a hand whose cards are not all known: what a later card, or one hand alone, proves against them."""

from collections.abc import Iterator

import msgspec

from events.cards import SEATS, SPADES, Card, Seat, other, suit, suit_name
from projections.audit.codes import Code
from projections.play import breaks
from projections.textaudit.hand_facts import taker_of
from projections.textrecord.cards import as_written
from projections.textrecord.game import TextHand, WrittenExchange


class Fault(msgspec.Struct, frozen=True):
    """A play that the cards on record rule out: its code, the position, a sentence."""

    code: Code
    position: str
    message: str


def faults(hand: TextHand, second: Seat) -> Iterator[Fault]:
    """Every play that is proved illegal (rules.md §6); `second` is the second player, who leads first.

    A seat's cards are those of its `held` line, else the cards it plays later. Where the wrong seat leads, the rest cannot
    be followed and the judgement ends.
    """
    plays = list(as_written(hand))
    later: dict[Seat, list[Card]] = {seat: [play.card for play in plays if play.seat == seat] for seat in SEATS}
    held: dict[Seat, list[Card]] = {seat: list(hand.held[seat]) for seat in SEATS if seat in hand.held}
    played: dict[Card, str] = {}
    broken, leader = False, second
    for number, trick in enumerate(hand.plays, 1):
        if trick.leader != leader:
            why = "is the second player" if number == 1 else f"took trick {number - 1}"
            text = f"{trick.leader} leads trick {number}, but {leader} {why} (rules §6.1)"
            yield Fault(Code.NOT_THEIR_TURN, f"{hand.number}.{number}.1", text)
            return
        cards: list[tuple[Seat, Card, Card | None]] = [(trick.leader, trick.led, None)]
        if trick.follow is not None:
            cards.append((other(trick.leader), trick.follow, trick.led))
        for at, (seat, card, led) in enumerate(cards, 1):
            position = f"{hand.number}.{number}.{at}"
            if card in played:
                yield Fault(Code.CARD_TWICE, position, f"{seat} plays {card}, which was played at {played[card]}")
            elif card in held.get(other(seat), ()):
                yield Fault(Code.CARD_NOT_HELD, position, f"{seat} plays {card}, which {other(seat)} held")
            elif seat in held and card not in held[seat]:
                yield Fault(Code.CARD_NOT_HELD, position, f"{seat} plays {card}, which is not among the 13 cards held")
            else:
                known = held.get(seat, later[seat])
                yield from _illegal(hand, seat, card, led, known, position, broken=broken, is_held=seat in held)
            played.setdefault(card, position)
            for cards_left in (later[seat], held.get(seat, [])):
                if card in cards_left:
                    cards_left.remove(card)
            broken = broken or breaks(led, card)
        leader = taker_of(trick) or leader


def _illegal(
    hand: TextHand, seat: Seat, card: Card, led: Card | None, known: list[Card], position: str, *, broken: bool, is_held: bool
) -> Iterator[Fault]:
    """A revoke, or a spade led too early (rules.md §6.2, §6.4)."""
    if led is not None and suit(card) != suit(led):
        followed = next((each for each in known if suit(each) == suit(led)), None)
        if followed is not None:
            shown = f"held {followed}" if is_held else f"plays {followed} later, at {_place(hand, followed)}"
            yield Fault(Code.REVOKE, position, f"{seat} plays {card} on {suit_name(led)}, but {shown} (rules §6.2)")
    if led is None and suit(card) == SPADES and not broken:
        better = next((each for each in known if suit(each) != SPADES), None)
        if better is not None:
            shown = f"held {better}" if is_held else f"plays {better} later, at {_place(hand, better)}"
            text = f"{seat} leads {card} before spades are broken, but {shown} (rules §6.4)"
            yield Fault(Code.SPADES_NOT_BROKEN, position, text)


def _place(hand: TextHand, card: Card) -> str:
    for number, trick in enumerate(hand.plays, 1):
        if card in (trick.led, trick.follow):
            return f"{hand.number}.{number}.{1 if card == trick.led else 2}"
    return f"{hand.number}"


def exchange_faults(hand: TextHand, second: Seat, most: int) -> Iterator[tuple[str, Fault]]:
    """Every exchange that the other lines rule out in a hand whose draft is not known, each with the key of its line.

    `second` is the second player, who exchanges first; `most` is the number of cards that the rules allow (rules.md §4).
    `held` and `plays` show the hands after the exchanges.
    """
    by_seat = {exchange.seat: exchange for exchange in hand.exchanges}
    shown: dict[Seat, set[Card]] = {seat: set(hand.held.get(seat, ())) for seat in SEATS}
    for play in as_written(hand):
        shown[play.seat].add(play.card)
    for at, (seat, exchange) in enumerate(sorted(by_seat.items(), key=lambda item: item[0] != second), 1):
        position = f"{hand.number}.x{at}"
        for code, message in _exchange_problems(hand, exchange, by_seat.get(other(seat)), shown, most, second):
            yield f"exchange {seat}", Fault(code, position, message)
            break


def _exchange_problems(
    hand: TextHand,
    exchange: WrittenExchange,
    opposite: WrittenExchange | None,
    shown: dict[Seat, set[Card]],
    most: int,
    second: Seat,
) -> Iterator[tuple[Code, str]]:
    """What is wrong with one exchange; `opposite` is the other seat's, `shown` the cards each seat has after both."""
    seat, thrown, drawn = exchange.seat, exchange.thrown, exchange.drawn
    rival = other(seat)
    if 0 < len(hand.draft) < 26:
        yield Code.WRONG_COUNT, f"the draft has {len(hand.draft)} of 26 turns, but {seat} exchanges cards"
    if not most:
        yield Code.WRONG_PHASE, "cards are exchanged, but these rules have no exchange (rules §4.1)"
    if hand.bid(seat) not in (None, "double_nil"):
        yield Code.WRONG_PHASE, f"{seat} exchanges cards, but did not bid double nil (rules §4.1)"
    if len(thrown) != len(drawn):
        yield Code.WRONG_COUNT, f"{seat} throws {len(thrown)} cards and draws {len(drawn)} (rules §4.2)"
    if len(thrown) > most:
        yield Code.TOO_MANY_CARDS, f"{seat} exchanges {len(thrown)} cards, at most {most} are allowed"
    cards = (*thrown, *drawn)
    for card in cards:
        if cards.count(card) > 1:
            yield Code.CARD_TWICE, f"{card} is exchanged twice by {seat} (rules §4.2)"
    passed = _passed_on(hand, exchange, opposite, second)
    for card in thrown:
        if card in shown[seat]:
            yield Code.CARD_NOT_HELD, f"{seat} throws {card}, but has it after the exchange"
        if card in shown[rival] and card not in passed:
            yield Code.CARD_NOT_HELD, f"{seat} throws {card}, but {rival} has it"
    for card in drawn:
        if card in shown[rival]:
            yield Code.CARD_NOT_IN_PILE, f"{seat} draws {card}, but {rival} has it"
        if seat in hand.held and card not in hand.held[seat]:
            yield Code.WRONG_HELD, f"{seat} draws {card}, but held {seat} does not have it"
    if opposite is not None and seat != second:
        for card in cards:
            if card in opposite.drawn:
                yield Code.CARD_TWICE, f"{card} is drawn by {rival} and exchanged by {seat}"
        for card in thrown:
            if card in opposite.thrown:
                yield Code.CARD_TWICE, f"{card} is thrown by {rival} and by {seat}"


def _passed_on(hand: TextHand, exchange: WrittenExchange, opposite: WrittenExchange | None, second: Seat) -> tuple[Card, ...]:
    """The thrown cards that the other seat can have drawn: the first player exchanges later, from a pile that has them."""
    if exchange.seat != second:
        return ()
    if opposite is not None:
        return opposite.drawn
    return exchange.thrown if hand.bid(other(second)) == "double_nil" else ()


def stock_faults(hand: TextHand, second: Seat, most: int) -> Iterator[tuple[str, Fault]]:
    """Cards that a stock without a draft cannot have given, each with the key of the line that shows them.

    Whatever was kept and passed, a turn gives its seat one of two cards (rules.md §2.3). A seat that may have exchanged cards,
    as no line shows, is not judged. `second` is the second player, `most` the number of cards an exchange may have.
    """
    turn_of = {card: at // 2 for at, card in enumerate(hand.stock)}
    by_seat = {exchange.seat: exchange for exchange in hand.exchanges}
    for seat in SEATS:
        exchange = by_seat.get(seat)
        if exchange is None and most and hand.bid(seat) in (None, "double_nil"):
            continue
        drawn = exchange.drawn if exchange is not None else ()
        given = [(f"held {seat}", card) for card in hand.held.get(seat, ())]
        given += [(f"exchange {seat}", card) for card in (exchange.thrown if exchange is not None else ())]
        given += [("plays", play.card) for play in as_written(hand) if play.seat == seat]
        by_turn: dict[int, Card] = {}
        for word, card in given:
            if card in drawn:
                continue
            turn = turn_of[card]
            drafter = second if turn % 2 else other(second)
            twin = by_turn.setdefault(turn, card)
            if drafter != seat:
                text = f"{seat} has {card}, which the stock gives {drafter} or nobody, in turn {turn + 1} of the draft"
            elif twin != card:
                text = f"{seat} has {twin} and {card}, of which turn {turn + 1} of the draft gives one (rules §2.3)"
            else:
                continue
            yield word, Fault(Code.CARD_NOT_FROM_STOCK, f"{hand.number}.d{turn + 1}", text)
            break
