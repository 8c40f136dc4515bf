"""An independent judgement of sheets that break off inside a hand: every way to finish it is tried (rules.md §6).

It shares no code with the product. Hands are known from `stock`, `draft` and `exchange`, or from two `held` lines; else, and
with more than six tricks to play, every count that the tricks on record allow is tried.
"""

from itertools import pairwise, product

from tests.claims.sheet_oracle import RANKS, sound

OTHER = {"north": "south", "south": "north"}
Hands = dict[str, frozenset[str]]


def sound_however_finished(text: str) -> bool:
    """Whether every stated figure follows, in whichever way the broken-off hands are finished."""
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line.split()[:1] == ["hand"]] + [len(lines)]
    first = next((line.split()[1] for line in lines if line.startswith("first")), "north")
    open_hands = []
    for number, (start, end) in enumerate(pairwise(starts)):
        hand = lines[start:end]
        if not any(line.startswith("tricks") for line in hand):
            open_hands += _finishes(hand, start, first if number % 2 == 0 else OTHER[first])
    for finish in product(*open_hands):
        whole = list(lines)
        for at, north in finish:
            whole[at] = f"tricks north {north} south {13 - north}"
        if not sound("\n".join(whole)):
            return False
    return True


def _finishes(hand: list[str], start: int, first: str) -> list[list[tuple[int, int]]]:
    """The line of the plays with each count north can end with; empty where the hand is finished or has no plays."""
    at = next((at for at, line in enumerate(hand) if line.startswith("plays")), None)
    if at is None:
        return []
    held = _held(hand, first)
    leader, led, broken, north, full = OTHER[first], "", False, 0, 0
    for trick in (each.split() for each in hand[at].removeprefix("plays").split("/") if each.split()):
        leader, led = trick[:2]
        held = {seat: cards - set(trick[1:]) for seat, cards in held.items()}
        broken = broken or any(card[1] == "S" for card in trick[1:])
        if len(trick) == 3:
            leader, led, full = _taker(leader, led, trick[2]), "", full + 1
            north += leader == "north"
    if full == 13:
        return []
    left = 13 - full
    few = left <= 6 and len(held["north"]) + len(held["south"]) == 2 * left - bool(led)
    return [[(start + at, north + more) for more in (_ways(held, leader, led, broken) if few else range(left + 1))]]


def _held(hand: list[str], first: str) -> Hands:
    lines = {" ".join(words[: 2 if words[0] in ("held", "exchange") else 1]): words for line in hand if (words := line.split())}
    held: dict[str, set[str]] = {"north": set(), "south": set()}
    for turn, move in enumerate(lines.get("draft", [])[1:] if "stock" in lines else []):
        held[first if turn % 2 == 0 else OTHER[first]].add(lines["stock"][1 + 2 * turn + (move != "K")])
    for seat, cards in held.items():
        thrown, _, drawn = " ".join(lines.get(f"exchange {seat}", [])[2:]).partition(">")
        held[seat] = set(lines.get(f"held {seat}", [])[2:]) or (cards - set(thrown.split())) | set(drawn.split())
    return {seat: frozenset(cards) for seat, cards in held.items()}


def _taker(leader: str, led: str, reply: str) -> str:
    higher = RANKS.index(reply[0]) > RANKS.index(led[0])
    return OTHER[leader] if (higher if led[1] == reply[1] else reply[1] == "S") else leader


def _ways(held: Hands, leader: str, led: str, broken: bool) -> set[int]:
    """How many more tricks north can take."""
    seat = OTHER[leader] if led else leader
    if not held[seat]:
        return {0}
    if led:
        playable = [card for card in held[seat] if card[1] == led[1]] or list(held[seat])
    else:
        playable = [card for card in held[seat] if broken or card[1] != "S"] or list(held[seat])
    found: set[int] = set()
    for card in playable:
        left, spades = {**held, seat: held[seat] - {card}}, broken or card[1] == "S"
        if led:
            taker = _taker(leader, led, card)
            found |= {more + (taker == "north") for more in _ways(left, taker, "", spades)}
        else:
            found |= _ways(left, leader, card, spades)
    return found
