"""Why: the sentences that say what an event was, why it was possible, and what came of it. They decide nothing.

They are made of the table and the event as one viewer sees them, so they cannot tell what that viewer may not know.
"""

from collections.abc import Mapping
from typing import Final

from events.cards import SEATS, SPADES, Card, Seat, other, suit, suit_name
from events.printable import printable
from events.types import (
    BidPlaced,
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardsExchanged,
    ContributionRevealed,
    DisputeOpened,
    DisputeSettled,
    DoubleNilBid,
    Event,
    Exchanged,
    GameCreated,
    GameEnded,
    HandScored,
    HandStarted,
    Line,
    Looked,
    LossAccepted,
    OneCard,
    PlayerJoined,
    ScoreCorrected,
)
from projections.play import breaks, playable, winner
from projections.sheet import arithmetic, minus
from projections.table import Open, Table, Trick

_SEAT_NAMES: Final[Mapping[Seat, str]] = {seat: seat for seat in SEATS}


def what(table: Table, event: Event) -> str:
    """What happened, in one clause without the seat's name; `table` is the one before the event."""
    data, secret = event.data, event.secret
    match data:
        case GameCreated():
            return "the game is created"
        case PlayerJoined():
            return f"{printable(data.name)} sits down as {data.seat}"
        case ContributionRevealed():
            return f"{data.seat} reveals the bytes committed to"
        case HandStarted():
            return f"hand {data.hand} begins: {data.first} drafts first, {other(data.first)} leads first"
        case Looked():
            return f"{data.seat} looks: no double nil in this hand"
        case DoubleNilBid():
            return f"{data.seat} bids double nil"
        case CardKept():
            return f"{data.seat} " + (_kept(data, secret.card) if isinstance(secret, OneCard) else _kept_unseen(data))
        case CardDiscarded():
            thrown = secret.card if isinstance(secret, OneCard) else "a card"
            return f"{data.seat} puts {thrown} on the pile"
        case CardsExchanged():
            return f"{data.seat} " + _exchanged(data.count, secret)
        case BidPlaced():
            return f"{data.seat} bids {'nil' if data.tricks == 0 else data.tricks}"
        case CardPlayed():
            return f"{data.seat} plays {data.card}"
        case HandScored():
            return f"hand {data.hand} is scored: north {minus(str(data.north.total))}, south {minus(str(data.south.total))}"
        case GameEnded():
            return ending(data)
        case DisputeOpened():
            return f"{data.seat} disputes the score: dispute {data.n}, about v{data.version}"
        case DisputeSettled():
            return f"dispute {data.n} is {data.verdict}: {printable(data.reason).removesuffix('.')}"
        case ScoreCorrected():
            return correction(data)
        case LossAccepted():
            return f"the operator accepts that history was lost (event {data.version} and what led to it): {_plain(data.why)}"
    return event.type.name


def _plain(text: str) -> str:
    return printable(text).removesuffix(".")


def correction(data: ScoreCorrected) -> str:
    """What a correction changes: the figures of the line that differ, and the totals from then on."""
    figures = ("bid", "tricks", "points", "new_bags", "penalty", "total", "bags")
    changed = [name for name in figures if getattr(data.old, name) != getattr(data.new, name)]
    told = ", ".join(f"{name.replace('_', ' ')} {getattr(data.old, name)} → {getattr(data.new, name)}" for name in changed)
    totals = f"north {data.totals.north}, south {data.totals.south}"
    return minus(f"the score of hand {data.hand} is corrected for {data.seat}: {told}; from now on {totals}")


def _kept(data: CardKept, card: Card) -> str:
    return f"keeps {card}" if data.choice == "first" else f"passes and takes {card}"


def _kept_unseen(data: CardKept) -> str:
    return "keeps the first card" if data.choice == "first" else "passes and takes the second card"


def _exchanged(count: int, secret: object) -> str:
    if not count:
        return "exchanges nothing"
    if isinstance(secret, Exchanged):
        return f"throws {' '.join(secret.discarded)} and draws {' '.join(secret.drawn)}"
    return f"exchanges {count} card{'s' if count > 1 else ''}"


def ending(data: GameEnded, names: Mapping[Seat, str] = _SEAT_NAMES) -> str:
    """How play ended, in one sentence that calls the players by `names`."""
    score = ", ".join(f"{names[seat]} {minus(str(getattr(data.totals, seat)))}" for seat in SEATS)
    won = f"{names[data.winner]} wins" if data.winner else "nobody wins"
    by = names[data.by] if data.by else ""
    reasons = {
        "target": "the target is reached",
        "floor": "a score is at or under the floor",
        "hand_limit": "the last hand is played",
        "resigned": f"{by} resigns",
        "timed_out": f"{by}'s time ran out",
        "abandoned": "the game is abandoned" + (f" by {by}" if by else ""),
    }
    return f"{reasons[data.reason]}: {won} ({score})"


def trick_reason(trick: Trick) -> str:
    """Why a complete trick went where it did, and whether it broke spades (rules.md §6.3, §6.5)."""
    (_, led), (follower, card) = trick.cards
    taker = winner(trick)
    if suit(card) == suit(led):
        high, low = (card, led) if taker == follower else (led, card)
        text = f"{high} beats {low}"
    elif suit(card) == SPADES:
        text = f"{card} trumps: {follower} is out of {suit_name(led)}"
    else:
        text = f"{led} stands: {follower} is out of {suit_name(led)} and throws {card}"
    broke = not trick.broken and (breaks(None, led) or breaks(led, card))
    return text + ("; spades broken" if broke else "")


def card_reason(o: Open, seat: Seat, card: Card, hand: tuple[Card, ...] | None) -> list[str]:
    """Why a card was legal, or the only one, in sentences; `hand` is what the seat held, None where it is not to be told."""
    assert o.trick is not None
    led = o.trick.led
    if hand is None:
        what_led = f"{seat.capitalize()} was on lead." if led is None else f"{suit_name(led).capitalize()} were led."
        return [what_led, f"What {seat} held is not shown yet."]
    legal = playable(hand, led, o.broken)
    could = f"Legal were {' '.join(legal)}." if len(legal) > 1 else f"{card} was the only legal card."
    if led is None:
        if not any(suit(held) == SPADES for held in hand):
            why = "No spades were held, so any card could be led."
        elif o.broken:
            why = "Spades were broken, so any card could be led."
        elif all(suit(held) == SPADES for held in hand):
            why = "Only spades were held, so one had to be led (rules §6.4)."
        else:
            why = "Spades were not broken, so none could be led (rules §6.4)."
        return [f"{seat.capitalize()} was on lead.", why, could]
    follows = suit(legal[0]) == suit(led)
    so = "held some, so one had to be played" if follows else "held none, so any card could be played"
    return [f"{suit_name(led).capitalize()} were led and {seat} {so} (rules §6.2).", could]


def sentences(table: Table, after: Table, event: Event) -> list[str]:
    """Everything there is to say about one event; `table` is before it, `after` after it, both as the viewer sees them."""
    data, o = event.data, table.open
    said = [what(table, event)[0].upper() + what(table, event)[1:] + "."]
    match data:
        case Looked():
            said.append("Looking gives up double nil for this hand and shows the first card (rules §3.2).")
        case DoubleNilBid():
            said.append("It was bid before any card of the hand was seen, so it was possible (rules §3.1).")
        case CardKept():
            said.append(f"It is draft turn {o.turns + 1} of 26. {_other_card(o, data)}")
        case CardsExchanged():
            said.append("A double nil bidder may exchange with the pile before the first bid or lead (rules §4).")
        case CardPlayed():
            own = table.own(data.seat)
            said += card_reason(o, data.seat, data.card, own.hand if own.known else None)
            last = after.open.last_trick
            if last is not None and after.open.trick != o.trick and len(o.trick.cards if o.trick else ()) == 1:
                said.append(f"{str(last.winner).capitalize()} takes the trick: {trick_reason(last)}.")
        case HandScored():
            for seat in SEATS:
                line: Line = data.north if seat == "north" else data.south
                said.append(score_sentence(o, seat, line))
        case ScoreCorrected():
            said.append(f"Why: {printable(data.why).removesuffix('.')}.")
            said.append("It is in force from here on; what was recorded before stays in the log as it was.")
        case DisputeOpened():
            said.append("A dispute changes neither the score nor whose turn it is, and no deadline.")
        case GameEnded():
            said.append("After the end the root and all sealed parts are open to everybody.")
    return said


def _other_card(o: Open, data: CardKept) -> str:
    if data.choice == "second":
        return "Who passes the first card must take the next (rules §2.2)."
    seen = "seen by its drawer alone" if o.rules.second_card == "seen" else "unseen by anybody"
    return f"The next card of the stock goes face down on the pile, {seen} (rules §2.5)."


def score_sentence(o: Open, seat: Seat, line: Line) -> str:
    """Where a score line comes from; `o` is the table before the score."""
    player = o.player(seat)
    bid = {0: "nil", "double_nil": "double nil"}.get(line.bid, line.bid)
    sums = "; ".join(arithmetic(o.rules, player.bags, line))
    total = minus(f"{player.total} → {line.total}")
    bags = f"bags {player.bags} → {line.bags}"
    return f"{seat.capitalize()} bid {bid} and took {line.tricks}: {sums}; total {total}, {bags} (rules §7)."
