"""Judges of the events of play: bids, cards, scores, the end (rules.md §5 to §8)."""

from collections.abc import Iterator

from events.cards import SEATS, Seat, other, suit, suit_name
from events.types import EARLY_ENDS, SCORE_ENDS, BidPlaced, CardPlayed, Event, GameEnded, HandScored, Line
from projections.audit import tally
from projections.audit.codes import Code
from projections.audit.judging import HandState, Problem, Stop, WrongScore, same_hand, whose
from projections.play import playable
from projections.table import Table
from projections.view import deadline


def bid(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """A bid: the hand it names, and whose turn it was (rules.md §5). Raises `Stop`."""
    data = event.data
    assert isinstance(data, BidPlaced)
    same_hand(table, data.hand)
    whose(table, event, data.seat, "bid")
    yield from ()


def played(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """A card: whose turn it was, that it was held, and that it was legal (rules.md §6). Raises `Stop`."""
    data, o = event.data, table.open
    assert isinstance(data, CardPlayed)
    same_hand(table, data.hand)
    whose(table, event, data.seat, "play")
    assert o.trick is not None
    if data.trick != o.trick.number:
        raise Stop(Code.WRONG_TRICK, f"trick {data.trick} is named, but trick {o.trick.number} was being played")
    before = next((play for play in hand.plays if play.card == data.card), None)
    if before is not None:
        raise Stop(Code.CARD_TWICE, f"{data.card} was played before, in trick {before.trick}")
    own = table.own(data.seat)
    if not own.known:
        theirs = table.own(other(data.seat))
        if theirs.known and data.card in theirs.hand:
            raise Stop(Code.CARD_NOT_HELD, f"{data.seat} played {data.card}, which {other(data.seat)} held")
        yield from _revoke_shown(hand, data)
        return
    held = " ".join(own.hand)
    if data.card not in own.hand:
        raise Stop(Code.CARD_NOT_HELD, f"{data.seat} played {data.card}, which was not in the hand: {held}")
    if data.card in playable(own.hand, o.trick.led, o.broken):
        return
    if o.trick.led is not None:
        name = suit_name(o.trick.led)
        could = ", ".join(card for card in own.hand if suit(card) == suit(o.trick.led))
        yield (
            Code.REVOKE,
            f"{data.seat} played {data.card} although {name} were led and {data.seat} held {could}; the hand: {held}",
        )
    else:
        yield Code.SPADES_NOT_BROKEN, f"{data.seat} led {data.card} although spades were not broken; the hand: {held}"


def _revoke_shown(hand: HandState, data: CardPlayed) -> Iterator[Problem]:
    """A revoke that shows although the hand does not: a card of a suit that its player did not follow earlier in the hand."""
    led: dict[int, CardPlayed] = {}
    for play in hand.plays:
        first = led.setdefault(play.trick, play)
        if play.seat == data.seat and suit(first.card) == suit(data.card) != suit(play.card):
            name = suit_name(first.card)
            yield (
                Code.REVOKE,
                f"{data.seat} plays {data.card}, but played {play.card} when {name} were led in trick {play.trick}",
            )
            return


def scored(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """Both lines of a score against the audit's own arithmetic (rules.md §7); a wrong line is kept as a `WrongScore`."""
    data, o = event.data, table.open
    assert isinstance(data, HandScored)
    same_hand(table, data.hand)
    tricks = tally.taken(hand.plays)
    for seat in SEATS:
        line: Line = data.north if seat == "north" else data.south
        player = o.player(seat)
        assert player.bid is not None
        right = tally.add_up(o.rules, player.total, player.bags, player.bid, tricks[seat])
        facts = {"bid": player.bid, "tricks": tricks[seat]}
        sums = {name: getattr(right, name) for name in ("points", "new_bags", "penalty", "total", "bags")}
        wrong = [name for name, value in {**facts, **sums}.items() if getattr(line, name) != value]
        if wrong:
            said = ", ".join(f"{name} {getattr(line, name)}" for name in wrong)
            is_ = ", ".join(f"{name} {({**facts, **sums})[name]}" for name in wrong)
            sum_ = f"{player.total} → {right.total}".replace("-", "−")
            how = f"bid {facts['bid']}, {tricks[seat]} tricks: {'; '.join(right.steps)}; {sum_}"
            message = f"{seat} in hand {data.hand}: recorded {said}; the plays make it {is_} ({how})"
            hand.game.wrong.append(WrongScore(data.hand, seat, event.seq, f"{data.hand}.s", message))
    yield from ()


def ended(table: Table, hand: HandState, event: Event) -> Iterator[Problem]:
    """The totals, the reason and the winner of an end (rules.md §8)."""
    data, o = event.data, table.open
    assert isinstance(data, GameEnded)
    totals: dict[Seat, int] = {seat: o.player(seat).total for seat in SEATS}
    if (data.totals.north, data.totals.south) != (totals["north"], totals["south"]):
        yield (
            Code.WRONG_TOTALS,
            f"the end says {data.totals.north} to {data.totals.south}, the hands {totals['north']} to {totals['south']}",
        )
    yield from _reason(table, event, data, totals)


def _reason(table: Table, event: Event, data: GameEnded, totals: dict[Seat, int]) -> Iterator[Problem]:
    """Whether the game was over for the reason given, and who won."""
    o = table.open
    winner = data.winner or "nobody"
    if data.by is not None and data.reason not in EARLY_ENDS:
        yield Code.WRONG_END, f"{data.by} is named as who ended a game that is given as ended by {data.reason}"
    if o.due == "verdict":
        over = tally.ending(o.rules, o.hand, totals)
        if over is None or over[0] != data.reason:
            right = "the game goes on" if over is None else f"it ends by {over[0]}"
            score = f"{totals['north']} to {totals['south']}"
            yield Code.WRONG_END, f"the end is given as {data.reason} after hand {o.hand}, but with {score} {right}"
        if over is not None and over[1] != data.winner:
            yield (
                Code.WRONG_WINNER,
                f"{winner} is given as the winner, but {over[1] or 'nobody'} won with {totals['north']} to {totals['south']}",
            )
        return
    if data.reason in SCORE_ENDS:
        yield Code.WRONG_END, f"the game cannot end by {data.reason} inside a hand"
    elif data.reason == "abandoned":
        if data.winner is not None:
            yield Code.WRONG_WINNER, "an abandoned game has no winner"
        stayed_away = o.turn if o.south.seated else "north"
        if data.by not in (None, stayed_away):
            yield Code.WRONG_END, f"{data.by} is said to have left the game, but it was not for {data.by} to move"
    elif data.by is None or data.winner != other(data.by) or not o.south.seated:
        yield (
            Code.WRONG_WINNER,
            f"{winner} is given as the winner of a game that {data.by or 'nobody'} {data.reason.replace('_', ' ')}",
        )
    elif data.reason == "timed_out":
        limit = deadline(o)
        if limit is None or data.by != o.turn:
            yield Code.WRONG_END, f"{data.by} is said to have run out of time, but no time was running for {data.by}"
        elif event.at < limit:
            yield Code.WRONG_END, f"{data.by} is said to have run out of time {limit - event.at} ms too early"
