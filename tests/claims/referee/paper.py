"""A sheet as a strict reader takes it from record.md §2. It shares no code with the product."""

from dataclasses import dataclass, field
from typing import Any

SEATS = ("north", "south")
OTHER = {"north": "south", "south": "north"}
RANKS, SUITS = "23456789TJQKA", "CDHS"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]
STANDARD: dict[str, Any] = {
    "target": 500, "nil_value": 100, "double_nil_value": 200, "bag_limit": 10, "bag_penalty": 100, "bag_carry": "remainder",
    "failed_nil": "ignore", "second_card": "hidden", "exchange_max": 3, "floor": None, "max_hands": 100, "turn_seconds": None,
}  # fmt: skip
RANGES = {
    "target": (50, 10000), "nil_value": (0, 1000), "double_nil_value": (0, 1000), "bag_limit": (0, 100),
    "bag_penalty": (0, 1000), "exchange_max": (0, 3), "floor": (-10000, -50), "max_hands": (1, 200),
    "turn_seconds": (5, 1209600),
}  # fmt: skip
WORDS = {
    "bag_carry": ("remainder", "zero"), "failed_nil": ("ignore", "bags", "bags_and_points"), "second_card": ("hidden", "seen"),
}  # fmt: skip


class UnreadableSheet(ValueError):
    """A line that is not what record.md §2 says."""


@dataclass
class Hand:
    """A hand as written; `tricks` holds both seats' counts, `plays` a leader, its card and the other's or None a trick."""

    stock: list[str] | None = None
    held: dict[str, list[str]] = field(default_factory=dict)
    double_nils: list[str] = field(default_factory=list)
    draft: list[str] | None = None
    exchanges: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    bids: dict[str, str] = field(default_factory=dict)
    plays: list[tuple[str, str, str | None]] = field(default_factory=list)
    tricks: dict[str, int] | None = None
    score: dict[str, tuple[int, int, int]] = field(default_factory=dict)


@dataclass
class Sheet:
    """A whole sheet; `result` is the totals and the winner or None, `end` the reason and the seat or None."""

    rules: dict[str, Any]
    first: str = "north"
    hands: list[Hand] = field(default_factory=list)
    result: tuple[dict[str, int], str | None] | None = None
    end: tuple[str, str | None] | None = None


def sheet_of(text: str) -> Sheet:
    """The sheet of a text. Raises `UnreadableSheet`."""
    lines = [words for line in text.split("\n") if (words := line.partition("#")[0].split())]
    if not lines or [word.lower() for word in lines[0]] != ["trickbook-text", "1"]:
        raise UnreadableSheet("first line")
    sheet, seen = Sheet(dict(STANDARD)), set()
    for word, *rest in lines[1:]:
        word, rest = word.lower(), [_plain(each) for each in rest] if word.lower() not in SEATS else rest
        key = f"{word} {rest[0]}" if word in ("held", "double_nil", "exchange") and rest else word
        _need((key not in seen and not (sheet.end or sheet.result)) or word in ("result", "end"))
        _need(key not in seen)
        if word == "hand":
            _need(rest == [str(len(sheet.hands) + 1)])
            sheet.hands.append(Hand())
            seen = {each for each in seen if each in ("north", "south", "rules", "first")}
            continue
        seen.add(key)
        try:
            if word in ("result", "end"):
                _ending(sheet, word, rest)
            elif sheet.hands:
                _part(sheet.hands[-1], word, rest)
            else:
                _header(sheet, word, rest)
        except (IndexError, ValueError) as error:
            raise UnreadableSheet(word) from error
    return sheet


def _plain(word: str) -> str:
    """A word in the case that record.md writes it in."""
    return word.upper() if word.upper() in (*CARDS, "K", "T") else word.lower()


def _need(holds: bool) -> None:
    if not holds:
        raise UnreadableSheet


def _number(text: str) -> int:
    _need(text.lstrip("+-").isdigit() and len(text) - len(text.lstrip("+-")) <= 1 and len(text) < 10)
    return int(text)


def _count(text: str) -> int:
    _need(0 <= _number(text) <= 13)
    return _number(text)


def _bid(text: str) -> str:
    if text in ("nil", "double_nil"):
        return text
    return "nil" if _count(text) == 0 else str(_count(text))


def _cards(words: list[str], count: int | None = None) -> list[str]:
    _need(all(word in CARDS for word in words) and count in (None, len(words)))
    return words


def _by_seat(words: list[str], size: int, value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    _need(bool(words) and len(words) % (size + 1) == 0)
    for at in range(0, len(words), size + 1):
        _need(words[at] in SEATS and words[at] not in found)
        found[words[at]] = value(*words[at + 1 : at + 1 + size])
    return found


def _header(sheet: Sheet, word: str, rest: list[str]) -> None:
    if word in SEATS:
        _need(bool(rest))
    elif word == "first":
        _need(len(rest) == 1 and rest[0] in SEATS)
        sheet.first = rest[0]
    else:
        _need(word == "rules")
        for each in rest:
            name, _, value = each.partition("=")
            if name in WORDS:
                _need(value in WORDS[name])
                sheet.rules[name] = value
            elif value == "none":
                _need(name in ("floor", "turn_seconds"))
                sheet.rules[name] = None
            else:
                low, high = RANGES.get(name, (1, 0))
                _need(low <= _number(value) <= high)
                sheet.rules[name] = int(value)
        _need(len({each.partition("=")[0] for each in rest}) == len(rest))


def _part(hand: Hand, word: str, rest: list[str]) -> None:
    if word == "stock":
        hand.stock = _cards(rest, 52)
    elif word == "held":
        _need(rest[0] in SEATS)
        hand.held[rest[0]] = _cards(rest[1:], 13)
    elif word == "double_nil":
        _need(len(rest) == 1 and rest[0] in SEATS)
        hand.double_nils.append(rest[0])
    elif word == "draft":
        _need(len(rest) <= 26 and set(rest) <= {"K", "T"})
        hand.draft = rest
    elif word == "exchange":
        at = rest.index(">")
        thrown, drawn = _cards(rest[1:at]), _cards(rest[at + 1 :])
        _need(rest[0] in SEATS and at > 0 and len(thrown) <= 3 and len(drawn) <= 3)
        hand.exchanges[rest[0]] = (thrown, drawn)
    elif word == "bids":
        hand.bids = _by_seat(rest, 1, _bid)
    elif word == "tricks":
        counts = _by_seat(rest, 1, _count)
        hand.tricks = {seat: counts[seat] if seat in counts else 13 - counts[OTHER[seat]] for seat in SEATS}
    elif word == "score":
        hand.score = _by_seat(rest, 3, lambda *three: tuple(_number(each) for each in three))
    else:
        _need(word == "plays")
        tricks = [trick.split() for trick in " ".join(rest).removesuffix("/").split("/")]
        _need(len(tricks) <= 13)
        for at, (leader, *cards) in enumerate(tricks):
            _need(leader in SEATS and len(cards) in ((1, 2) if at == len(tricks) - 1 else (2,)))
            _cards(cards)
            hand.plays.append((leader, cards[0], cards[1] if len(cards) == 2 else None))


def _ending(sheet: Sheet, word: str, rest: list[str]) -> None:
    if word == "end":
        _need(rest == ["abandoned"] or (len(rest) == 2 and rest[0] in ("resigned", "timed_out") and rest[1] in SEATS))
        sheet.end = (rest[0], rest[1] if len(rest) == 2 else None)
        return
    winner = None
    if "winner" in rest:
        _need(rest[-2] == "winner" and rest[-1] in (*SEATS, "draw"))
        rest, winner = rest[:-2], rest[-1]
    totals = _by_seat(rest, 1, _number)
    _need(len(totals) == 2)
    sheet.result = (totals, winner)
