"""A score sheet that is kept hand by hand: a text record of bids and tricks that grows, and how it is written down."""

from collections.abc import Mapping
from typing import Final

import msgspec

from events.cards import SEATS, Seat, other
from events.ruleset import OPTIONS, Ruleset
from events.types import Bid, HandScored, Line
from projections.textrecord.auditing import ToldGame, told
from projections.textrecord.game import TextGame, TextHand
from projections.textrecord.handlines import rules_of
from projections.textrecord.words import BadLine, Words, by_seat
from projections.textrecord.writer import FORMAT

BIDS: Final = "both bids, north's first (0 to 13, nil, double_nil), such as 4 nil"
TRICKS: Final = "the tricks north took (0 to 13)"


def bids_of(text: str) -> dict[Seat, Bid]:
    """Both bids: ``4 nil``, or ``south nil north 4``. Raises `BadLine`."""
    words = _words(text)
    if not words:
        raise words.refuse(BIDS)
    found = by_seat(words, Words.bid) if words.peek() in SEATS else {seat: words.bid() for seat in SEATS}
    words.end("two bids")
    if len(found) < len(SEATS):
        raise words.refuse(BIDS)
    return found


def tricks_of(text: str) -> dict[Seat, int]:
    """The tricks: ``7`` for north's, ``7 6``, or ``south 6``; what is not said is what is left of 13. Raises `BadLine`."""
    words = _words(text)

    def taken(words: Words) -> int:
        return words.number(TRICKS, 0, 13)

    if words.peek() in SEATS:
        found = by_seat(words, taken)
    else:
        found = {"north": taken(words)}
        if words:
            found["south"] = words.number("the tricks south took (0 to 13)", 0, 13)
    words.end("tricks that make 13")
    for seat in SEATS:
        found.setdefault(seat, 13 - found.get(other(seat), 0))
    if sum(found.values()) != 13:
        raise BadLine(1, f"expected tricks that make 13, not {found['north']} and {found['south']}")
    return {seat: found[seat] for seat in SEATS}


def ruleset_of(text: str) -> Ruleset:
    """Rules as ``option=value`` words. Raises `BadLine`."""
    return rules_of(_words(text))


def _words(text: str) -> Words:
    return Words(1, text.replace(",", " ").replace("/", " ").lower().split())


def with_hand(game: TextGame, bids: Mapping[Seat, Bid], tricks: Mapping[Seat, int]) -> TextGame:
    """The sheet with one more hand."""
    number = len(game.hands) + 1
    lines = {"hand": number, "bids": number, "tricks": number}
    hand = TextHand(number, lines, bids=dict(bids), tricks=dict(tricks))
    return msgspec.structs.replace(game, hands=(*game.hands, hand))


def without_last(game: TextGame) -> TextGame:
    """The sheet without its last hand."""
    return msgspec.structs.replace(game, hands=game.hands[:-1])


def kept(game: TextGame) -> bool:
    """Whether this is a sheet of whole hands at the depth of scores, so that it can be gone on with and written again."""
    whole = all(hand.depth == "score" and hand.tricks is not None and len(hand.bids) == len(SEATS) for hand in game.hands)
    return whole and game.end is None and set(game.names) == set(SEATS)


def over(sheet: ToldGame) -> bool:
    """Whether the game has ended."""
    return sheet.facts().result is not None


def written(game: TextGame) -> str:
    """The sheet as a text record at the depth of scores (record.md §2)."""
    lines = [FORMAT, *(f"{seat}  {game.names[seat]}" for seat in SEATS if seat in game.names)]
    changes = game.rules.changes()
    options = " ".join(f"{name}={'none' if changes[name] is None else changes[name]}" for name in OPTIONS if name in changes)
    lines += [f"rules  {options}"] if options else []
    lines.append(f"first  {game.first}")
    sheet = told(game)
    scores = [event.data for event in sheet.events if isinstance(event.data, HandScored)]
    before: dict[Seat, int] = dict.fromkeys(SEATS, 0)
    for hand, score in zip(game.hands, scores, strict=False):
        assert hand.tricks is not None
        parts = []
        for seat in SEATS:
            line: Line = score.north if seat == "north" else score.south
            parts.append(f"{seat} {line.total - before[seat]:+} {line.total} {line.bags}")
            before[seat] = line.total
        lines += ["", f"hand {hand.number}", "bids   " + " ".join(f"{seat} {hand.bids[seat]}" for seat in SEATS)]
        lines += ["tricks " + " ".join(f"{seat} {hand.tricks[seat]}" for seat in SEATS), "score  " + " ".join(parts)]
    result = sheet.facts().result
    if result is not None and scores:
        lines += ["", f"result north {before['north']} south {before['south']} winner {result.winner or 'draw'}"]
    return "\n".join(lines) + "\n"
