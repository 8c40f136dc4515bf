"""The lines of a text record, each read into what a `TextHand` or a `TextGame` is made of. Raises `BadLine`."""

from collections.abc import Callable
from typing import Any, Final, cast

from events.cards import HAND_TRICKS, Card
from events.ruleset import OPTIONS, BadRule, Ruleset, with_options
from events.types import EARLY_ENDS
from projections.textrecord.game import Claimed, End, WrittenExchange, WrittenResult, WrittenTrick
from projections.textrecord.words import BadLine, Words, by_seat, number_of


def rules_of(words: Words) -> Ruleset:
    """The rules of ``option=value`` words; ``none`` switches an optional one off. Raises `BadLine`."""
    chosen: dict[str, Any] = {}
    while words:
        name, is_, value = words.peek().lower().partition("=")
        if not is_ or name not in OPTIONS or name in chosen:
            raise words.refuse(f"option=value once for each of {', '.join(OPTIONS)}", () if name in chosen else _options(value))
        if value == "none" and OPTIONS[name].optional:
            chosen[name] = None
        else:
            number = number_of(value)
            chosen[name] = value if number is None else number
            if not OPTIONS[name].accepts(chosen[name]):
                raise words.refuse(f"{name} to be {OPTIONS[name].allowed()}")
        words.word("")
    try:
        return with_options({name: value for name, value in chosen.items() if value is not None})
    except BadRule as error:
        raise BadLine(words.line, f"expected rules: {error}") from None


def _options(value: str) -> list[str]:
    return [f"{option}={value}" for option in OPTIONS]


def _stock(hand: dict[str, Any], words: Words) -> None:
    hand["stock"] = _cards(words, 52, "52 cards in drawing order")


def _cards(words: Words, count: int, expected: str) -> tuple[Card, ...]:
    return tuple(words.card(f"{expected} (here card {number + 1})") for number in range(count))


def _held(hand: dict[str, Any], words: Words) -> None:
    seat = words.seat()
    hand.setdefault("held", {})[seat] = _cards(words, 13, "13 cards")


def _double_nil(hand: dict[str, Any], words: Words) -> None:
    hand["double_nils"] = (*hand.get("double_nils", ()), words.seat())


def _draft(hand: dict[str, Any], words: Words) -> None:
    letters = ""
    while words:
        letter = _DRAFT.get(words.peek().upper())
        if len(letters) == 26 or letter is None:
            raise words.refuse("K or T for each of 26 draft turns")
        letters += letter
        words.word("")
    hand["draft"] = letters


_DRAFT: Final = {"K": "K", "T": "T", "P": "T"}
"""Kept the first card; took the second, having passed the first."""


def _exchange(hand: dict[str, Any], words: Words) -> None:
    seat = words.seat()
    thrown, drawn = [], []
    while not words.take(">"):
        thrown.append(words.card("a card thrown, or > before the cards drawn"))
    while words:
        drawn.append(words.card("a card drawn"))
    if len(thrown) > 3 or len(drawn) > 3:
        raise BadLine(words.line, "expected at most 3 cards thrown and 3 drawn")
    hand["exchanges"] = (*hand.get("exchanges", ()), WrittenExchange(seat, tuple(thrown), tuple(drawn)))


def _bids(hand: dict[str, Any], words: Words) -> None:
    hand["bids"] = by_seat(words, Words.bid)


def _plays(hand: dict[str, Any], words: Words) -> None:
    tricks: list[WrittenTrick] = []
    while words or not tricks:
        if len(tricks) == HAND_TRICKS:
            raise words.refuse("at most 13 tricks")
        leader, led = words.seat(f"the leader of trick {len(tricks) + 1} (north or south)"), words.card()
        follow = words.card() if words and not words.is_next("/") else None
        tricks.append(WrittenTrick(leader, led, follow))
        if words and follow is None:
            raise words.refuse("the other card of the trick")
        if words and not words.take("/"):
            raise words.refuse("/ between tricks")
    hand["plays"] = tuple(tricks)


def _tricks(hand: dict[str, Any], words: Words) -> None:
    found = by_seat(words, lambda words: words.number("tricks (0 to 13)", 0, 13))
    if len(found) == 1:
        ((seat, taken),) = found.items()
        found["south" if seat == "north" else "north"] = HAND_TRICKS - taken
    hand["tricks"] = found


def _score(hand: dict[str, Any], words: Words) -> None:
    hand["score"] = by_seat(words, score_of)


def score_of(words: Words) -> Claimed:
    """The three figures of a ``score`` line."""
    change = words.number("the hand's net change, such as +63")
    return Claimed(change, words.number("the total after the hand"), words.number("the bags after the hand"))


def _result(game: dict[str, Any], words: Words) -> None:
    totals: dict[str, int] = {}
    while words and not words.is_next("winner"):
        ahead = words.seat_ahead("north and south with their totals, then winner")
        if ahead in totals:
            raise BadLine(words.line, f"expected each seat once, and {ahead} stands here twice{words.column()}")
        seat = words.seat()
        totals[seat] = words.number("a total")
    if len(totals) < 2:
        raise words.refuse("north and south with their totals")
    winner = winner_of(words) if words.keyword("winner") else None
    words.end()
    game["result"] = WrittenResult(totals["north"], totals["south"], winner, words.line)


def winner_of(words: Words, expected: str = "north, south or draw as the winner") -> str:
    """A winner: a seat, its player's name, or ``draw``. Raises `BadLine`."""
    if words.take_exactly("draw"):
        return "draw"
    if words.is_next("draw") and not words.is_seat():
        words.word("")
        return "draw"
    if words.is_next("draw"):
        raise words.refuse(f"{expected}: a player has this name")
    return words.seat(expected)


def _end(game: dict[str, Any], words: Words) -> None:
    reason = words.peek().lower()
    if reason not in EARLY_ENDS:
        raise words.refuse("resigned, timed_out or abandoned", EARLY_ENDS)
    words.word("")
    by = None if reason == "abandoned" else words.seat(f"who {reason} (north or south)")
    words.end()
    game["end"] = End(cast("Any", reason), by, words.line)


BY_SEAT: Final = ("held", "double_nil", "exchange")
HAND: Final[dict[str, Callable[[dict[str, Any], Words], None]]] = {
    "stock": _stock,
    "held": _held,
    "double_nil": _double_nil,
    "draft": _draft,
    "exchange": _exchange,
    "bids": _bids,
    "plays": _plays,
    "tricks": _tricks,
    "score": _score,
}
ENDINGS: Final[dict[str, Callable[[dict[str, Any], Words], None]]] = {"result": _result, "end": _end}
