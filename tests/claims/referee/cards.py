"""What the cards of a written hand prove: faults, the tricks taken, and the counts a seat can end with (rules.md §2 to §6)."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.claims.referee.paper import CARDS, OTHER, RANKS, SEATS, Hand

Cards = frozenset[str]


@dataclass
class CardFacts:
    """`faults` are contradictions; `doubts` are what may be called one; `north` the counts north can end with."""

    faults: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=lambda: {"north": 0, "south": 0})
    north: frozenset[int] = frozenset(range(14))
    drafted: bool = False


def takes(leader: str, led: str, reply: str) -> str:
    """The seat that takes a trick (rules §6.3)."""
    if reply[1] == led[1]:
        return OTHER[leader] if RANKS.index(reply[0]) > RANKS.index(led[0]) else leader
    return OTHER[leader] if reply[1] == "S" else leader


def facts_of(hand: Hand, first: str, rules: dict[str, Any]) -> CardFacts:
    """What the cards of a hand prove."""
    found = CardFacts()
    hands = _hands(hand, first, rules, found)
    complete = [trick for trick in hand.plays if trick[2]]
    for leader, led, reply in complete:
        found.taken[takes(leader, led, reply or "")] += 1
    left = 13 - len(complete)
    found.north = frozenset(range(found.taken["north"], found.taken["north"] + left + 1))
    broken = _plays(hand, OTHER[first], hands, found)
    if found.faults or found.doubts or len(hands) < 2 or left > 5:
        return found
    gone = {card for _, *pair in complete for card in pair}
    rest = {seat: frozenset(hands[seat] - gone) for seat in SEATS}
    leader, led, reply = complete[-1]
    half = hand.plays[-1][1] if hand.plays[-1][2] is None else None
    more = _more(rest["north"], rest["south"], takes(leader, led, reply or ""), broken, half)
    found.north = frozenset(found.taken["north"] + each for each in more)
    return found


def _hands(hand: Hand, first: str, rules: dict[str, Any], found: CardFacts) -> dict[str, set[str]]:
    """The hands at the first lead, of the seats where they are known."""
    held = {seat: set(cards) for seat, cards in hand.held.items()}
    written = [card for cards in hand.held.values() for card in cards]
    if len(set(written)) < len(written):
        found.faults.append("a card is held twice")
    if hand.stock is not None and sorted(hand.stock) != sorted(CARDS):
        found.faults.append("the stock is no deck")
        return {}
    if hand.stock is not None and hand.draft is not None and len(hand.draft) == 26:
        drafted = _drafted(hand, first, rules, found)
        for seat, cards in held.items():
            if cards != drafted[seat]:
                (found.doubts if _exchange_unwritten(hand, seat, rules) else found.faults).append(
                    "held is not what was drafted"
                )
        return drafted
    if hand.stock is not None and hand.draft is not None and hand.plays:
        found.faults.append("cards are played before the draft is over")
    _exchanged(hand, first, rules, found)
    if hand.stock is not None and not hand.draft:
        _from_stock(hand, first, rules, found)
    if len(hand.plays) == 13 and hand.plays[-1][2]:
        for at, seat in enumerate(SEATS):
            held.setdefault(seat, {card for leader, *pair in hand.plays for card in (pair[SEATS.index(leader) ^ at],) if card})
    return {seat: cards for seat, cards in held.items() if len(cards) == 13}


def bid_double(hand: Hand, seat: str) -> bool:
    """Whether a seat bid double nil, on either line."""
    return seat in hand.double_nils or hand.bids.get(seat) == "double_nil"


def _exchange_unwritten(hand: Hand, seat: str, rules: dict[str, Any]) -> bool:
    return bid_double(hand, seat) and bool(rules["exchange_max"]) and seat not in hand.exchanges


def _drafted(hand: Hand, first: str, rules: dict[str, Any], found: CardFacts) -> dict[str, set[str]]:
    assert hand.stock is not None
    assert hand.draft is not None
    hands: dict[str, set[str]] = {"north": set(), "south": set()}
    pile: set[str] = set()
    for turn, letter in enumerate(hand.draft):
        top, under = hand.stock[2 * turn], hand.stock[2 * turn + 1]
        hands[first if turn % 2 == 0 else OTHER[first]].add(top if letter == "K" else under)
        pile.add(under if letter == "K" else top)
    found.drafted = True
    for seat in (OTHER[first], first):
        if seat not in hand.exchanges:
            continue
        thrown, drawn = hand.exchanges[seat]
        fits = len(set(thrown)) == len(thrown) == len(drawn) == len(set(drawn)) <= rules["exchange_max"]
        if not (
            fits and bid_double(hand, seat) and set(thrown) <= hands[seat] and set(drawn) <= pile and rules["exchange_max"]
        ):
            found.faults.append(f"an exchange of {seat} that cannot be")
            continue
        hands[seat] = hands[seat] - set(thrown) | set(drawn)
        pile = pile - set(drawn) | set(thrown)
    return hands


def _from_stock(hand: Hand, first: str, rules: dict[str, Any], found: CardFacts) -> None:
    """A turn of the draft takes two cards of the stock and gives its seat one of them, whichever was kept (rules §2.3)."""
    assert hand.stock is not None
    for seat in SEATS:
        thrown, drawn = hand.exchanges.get(seat, ([], []))
        known_bid = seat in hand.bids or bid_double(hand, seat)
        if seat not in hand.exchanges and rules["exchange_max"] and (bid_double(hand, seat) or not known_bid):
            continue
        cards = {*hand.held.get(seat, ())} | {c for t in hand.plays for c in [t[1] if t[0] == seat else t[2]] if c}
        turns = [hand.stock.index(card) // 2 for card in (cards - set(drawn)) | set(thrown)]
        if len(set(turns)) < len(turns) or any(turn % 2 != (seat != first) for turn in turns):
            found.faults.append(f"the stock cannot give {seat} those cards")


def _exchanged(hand: Hand, first: str, rules: dict[str, Any], found: CardFacts) -> None:
    """Exchanges of hands whose draft is not known (rules §4): `held` and `plays` are of the hands after them."""
    if hand.exchanges and hand.draft is not None and len(hand.draft) < 26:
        found.faults.append("an exchange before the draft is over")
    shown = {seat: set(hand.held.get(seat, ())) for seat in SEATS}
    for leader, led, reply in hand.plays:
        shown[leader].add(led)
        shown[OTHER[leader]] |= {reply} if reply else set()
    for seat, (thrown, drawn) in hand.exchanges.items():
        other, bid = OTHER[seat], "double_nil" if bid_double(hand, seat) else hand.bids.get(seat)
        cards = [*thrown, *drawn]
        full = set(hand.held.get(seat, ())) if seat in hand.held else None
        after = hand.exchanges.get(other, ([], []))[1] if seat != first else ()
        later = set(after) if other in hand.exchanges else set(thrown) if seat != first and bid_double(hand, other) else set()
        wrong = (
            bid not in (None, "double_nil"), len(thrown) != len(drawn) or len(thrown) > rules["exchange_max"],
            len(set(cards)) < len(cards), bool(set(thrown) & shown[seat]), full is not None and not set(drawn) <= full,
            bool(set(drawn) & shown[other]), bool(set(thrown) & shown[other] - later), rules["exchange_max"] == 0,
        )  # fmt: skip
        if any(wrong):
            found.faults.append(f"an exchange of {seat} that cannot be")
    if len(hand.exchanges) == 2:
        (second_thrown, second_drawn), (first_thrown, first_drawn) = hand.exchanges[OTHER[first]], hand.exchanges[first]
        if set(first_thrown) & {*second_thrown, *second_drawn} or set(first_drawn) & set(second_drawn):
            found.faults.append("two exchanges that cannot both be")


def _plays(hand: Hand, leader: str, hands: dict[str, set[str]], found: CardFacts) -> bool:
    """Judges every play; whether spades are broken after them."""
    broken, gone = False, set()
    unsure = {seat for seat in hands if seat not in hand.held and _unsure(hand, seat)}
    for number, (leads, led, reply) in enumerate(hand.plays):
        if leads != leader:
            found.faults.append(f"{leads} leads trick {number + 1}")
            return broken
        for seat, card in ((leads, led), (OTHER[leads], reply)):
            if card is None:
                continue
            faults = found.doubts if seat in unsure else found.faults
            if card in gone:
                found.faults.append(f"{card} is played twice")
            if card not in hands.get(seat, {card}) or card in hands.get(OTHER[seat], ()):
                faults.append(f"{seat} has no {card}")
            gone.add(card)
            later = [c for after in hand.plays[number:] for c in (after[1] if after[0] == seat else after[2],) if c]
            known = (hands.get(seat, set(later)) | set(later)) - gone
            if seat != leads and card[1] != led[1] and any(c[1] == led[1] for c in known):
                faults.append(f"{seat} revokes")
            if seat == leads and card[1] == "S" and not broken and any(c[1] != "S" for c in known):
                faults.append(f"{seat} leads spades")
        if reply:  # a card that waits for its answer breaks nothing yet: `_more` plays that trick
            broken = broken or "S" in (led[1], reply[1])
            leader = takes(leads, led, reply)
    return broken


def _unsure(hand: Hand, seat: str) -> bool:
    """Whether a hand rests on an exchange that nobody wrote down."""
    return hand.stock is not None and bid_double(hand, seat) and seat not in hand.exchanges


@cache
def _more(north: Cards, south: Cards, leader: str, broken: bool, half: str | None = None) -> frozenset[int]:
    """How many of the remaining tricks north can take, over every legal play; `half` is a card that is led already."""
    hands = {"north": north, "south": south}
    if not hands[leader]:
        return frozenset({0})
    plain = [card for card in hands[leader] if card[1] != "S"]
    found: set[int] = set()
    for led in [half] if half else hands[leader] if broken or not plain else plain:
        same = [card for card in hands[OTHER[leader]] if card[1] == led[1]]
        for reply in same or hands[OTHER[leader]]:
            taker = takes(leader, led, reply)
            gone = {led, reply}
            more = _more(north - gone, south - gone, taker, broken or led[1] == "S" or reply[1] == "S")
            found |= {each + (taker == "north") for each in more}
    return frozenset(found)
