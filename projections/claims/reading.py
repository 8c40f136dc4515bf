"""Reads claims: ``north=104,south=55``, a file of lines in the manner of a text record, JSON, or a whole text record.

A line that cannot be read is refused with its number and what was expected.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from events.cards import SEATS, Seat
from events.types import Bid
from projections.claims.claim import FIGURES, WINNERS, BadClaim, Claim, ClaimedFigure, Figure, check_hand
from projections.textrecord.game import TextGame
from projections.textrecord.handlines import score_of, winner_of
from projections.textrecord.reader import decode, read
from projections.textrecord.seat_words import Seats
from projections.textrecord.tokens import tokens
from projections.textrecord.words import BadLine, Words
from projections.textrecord.writer import FORMAT

MOST_BYTES: Final = 1024 * 1024
_FORM: Final = "SEAT=TOTAL, SEAT.FIGURE=VALUE, HAND.SEAT.FIGURE=VALUE or winner=SEAT, separated by commas"
_HAND: Final = re.compile(r"[+-]?[0-9]{1,9}")
_FIGURE_NAMES: Final = " or ".join(FIGURES)


def from_words(text: str, names: Mapping[Seat, str]) -> Claim:
    """The claim of ``--claim``: figures separated by commas. A seat may be called by its player's name. Raises `BadClaim`."""
    found = []
    for part in text.split(","):
        key, is_, value = (piece.strip() for piece in part.partition("="))
        if not is_ or not key:
            raise BadClaim(f"expected {_FORM}, not '{part.strip()[:40]}'")
        found.append(_part(key, value, names))
    return single(found)


def _part(key: str, value: str, names: Mapping[Seat, str]) -> ClaimedFigure:
    if key == "winner":
        return ClaimedFigure(None, None, "winner", _winner(value, names))
    hand, rest = None, key
    number, dot, behind = key.partition(".")
    if dot and _HAND.fullmatch(number):
        hand, rest = int(number), behind
    who, dot, name = rest.rpartition(".")
    if dot and name not in FIGURES and _is_seat(who, names) and not _is_seat(rest, names):
        raise BadClaim(f"{key}: '{name[:40]}' is no figure: expected {_FIGURE_NAMES}")
    if not dot or name not in FIGURES:
        who, name = rest, "total"
    figure: Figure = name  # type: ignore[assignment]
    words = Words(1, [value] if value else [])
    try:
        return ClaimedFigure(hand, _seat(who, names), figure, _value(words, figure))
    except BadLine as error:
        raise BadClaim(f"{key}: {str(error).removeprefix('line 1: ')}") from None


def _seat(who: str, names: Mapping[Seat, str]) -> Seat:
    for seat in SEATS:
        if who.lower() == seat:
            return seat
    meant = [seat for seat in SEATS if names.get(seat, "").lower() == who.lower()]
    if len(meant) == 1:
        return meant[0]
    known = " or ".join((*SEATS, *(names[seat] for seat in SEATS if seat in names)))
    raise BadClaim(f"'{who[:40]}' is no seat and no player of this game: expected {known}")


def _is_seat(who: str, names: Mapping[Seat, str]) -> bool:
    try:
        _seat(who, names)
    except BadClaim:
        return False
    return True


def _winner(value: str, names: Mapping[Seat, str]) -> str:
    return value if value in WINNERS else _seat(value, names)


def _value(words: Words, figure: Figure) -> Bid:
    if figure == "bid":
        found = words.bid()
    elif figure == "tricks":
        found = words.number("tricks (0 to 13)", 0, 13)
    else:
        found = words.number(f"a number of {figure}")
    return found


def from_file(raw: bytes, *, json: bool = False, names: Mapping[Seat, str] | None = None) -> Claim:
    """The claim of a file: JSON, a text record, or lines that may call the seats by `names`. Raises `BadClaim`."""
    if len(raw) > MOST_BYTES:
        raise BadClaim(f"a claim is at most {MOST_BYTES} bytes long")
    try:
        if json or raw.strip()[:1] in (b"{", b"["):
            return single(_from_json(raw))
        text = decode(raw).text
        first = next((found for line in text.splitlines() if (found := tokens(line.partition("#")[0]))), [])
        if [word.lower() for word in first] == FORMAT.split():
            return single(_from_record(read(raw)))
        return single(_from_lines(text, names or {}))
    except BadLine as error:
        raise BadClaim(str(error)) from None


def single(found: list[ClaimedFigure] | Iterator[ClaimedFigure]) -> Claim:
    """The claim, each figure said once. Raises `BadClaim`."""
    claim: dict[tuple[Any, ...], ClaimedFigure] = {}
    for said in found:
        check_hand(said)
        key = (said.hand, said.seat, said.figure)
        if claim.setdefault(key, said).value != said.value:
            where = "the end" if said.hand is None else f"hand {said.hand}"
            raise BadClaim(f"{said.at + ': ' if said.at else ''}{said.seat or ''} {said.figure} of {where} is claimed twice")
    return tuple(claim.values())


# Lines ----------------------------------------------------------------------------------------------------------------


def _from_lines(text: str, names: Mapping[Seat, str]) -> Iterator[ClaimedFigure]:
    hand: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        words = Words(number, tokens(line.partition("#")[0]), Seats(names))
        if not words:
            continue
        if words.keyword("hand"):
            hand = words.number("the number of a hand, counted from 1", 1, 1000)
            words.take(":")
            if words:
                yield from _figures(words, hand)
        elif words.keyword("score"):
            if hand is None:
                raise BadLine(number, "expected a hand line before score")
            yield from _score(words, hand)
        elif words.keyword("result"):
            yield from _result(words)
        else:
            raise words.refuse("hand, score or result")


def _figures(words: Words, hand: int) -> Iterator[ClaimedFigure]:
    """``north total 104 bags 4  south …``."""
    seat: Seat | None = None
    while words:
        if seat is None or words.is_seat():
            seat = words.seat()
        name = words.peek().lower()
        if name not in FIGURES:
            raise words.refuse(_FIGURE_NAMES)
        words.word("")
        figure: Figure = name
        yield ClaimedFigure(hand, seat, figure, _value(words, figure), f"line {words.line}")


def _score(words: Words, hand: int) -> Iterator[ClaimedFigure]:
    """As in a text record: ``score north +63 63 3 south …``."""
    at = f"line {words.line}"
    while words:
        seat = words.seat()
        claimed = score_of(words)
        yield ClaimedFigure(hand, seat, "points", claimed.change, at)
        yield ClaimedFigure(hand, seat, "bags", claimed.bags, at)
        yield ClaimedFigure(hand, seat, "total", claimed.total, at)


def _result(words: Words) -> Iterator[ClaimedFigure]:
    """``result north 104 south 55 winner north``, any part of it."""
    at = f"line {words.line}"
    if not words:
        raise words.refuse("a seat with its total, or winner")
    while words:
        if words.keyword("winner"):
            none = words.take("none")
            winner = "none" if none else winner_of(words, "north, south, draw or none")
            yield ClaimedFigure(None, None, "winner", winner, at)
        else:
            yield ClaimedFigure(None, words.seat("a seat with its total, or winner"), "total", words.number("a total"), at)


# JSON and text records ------------------------------------------------------------------------------------------------


class _Figures(msgspec.Struct, forbid_unknown_fields=True):
    bid: int | str | None = None
    tricks: int | None = None
    points: int | None = None
    bags: int | None = None
    total: int | None = None


class _Hand(msgspec.Struct, forbid_unknown_fields=True):
    hand: int
    north: _Figures | None = None
    south: _Figures | None = None


class _End(msgspec.Struct, forbid_unknown_fields=True):
    north: int | None = None
    south: int | None = None
    winner: str | None = None


class _Json(msgspec.Struct, forbid_unknown_fields=True):
    hands: list[_Hand] = []
    result: _End | None = None


def _from_json(raw: bytes) -> Iterator[ClaimedFigure]:
    """``{"hands": [{"hand": 3, "north": {"total": 104}}], "result": {"north": 104, "south": 55, "winner": "north"}}``."""
    try:
        found = msgspec.json.decode(raw, type=_Json)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadClaim(f"expected JSON with hands and result: {error}") from None
    for hand in found.hands:
        for seat in SEATS:
            figures: _Figures | None = getattr(hand, seat)
            for figure in FIGURES if figures is not None else ():
                value = getattr(figures, figure)
                if value is not None:
                    at = f"hands, hand {hand.hand}"
                    try:
                        yield ClaimedFigure(hand.hand, seat, figure, _value(Words(1, [str(value)]), figure), at)
                    except BadLine as error:
                        raise BadClaim(f"{at}, {seat}: {str(error).removeprefix('line 1: ')}") from None
    if found.result is not None:
        for seat in SEATS:
            total: int | None = getattr(found.result, seat)
            if total is not None:
                yield ClaimedFigure(None, seat, "total", total, "result")
        if found.result.winner is not None:
            if found.result.winner not in WINNERS:
                raise BadClaim(f"result: expected {', '.join(WINNERS)} as the winner")
            yield ClaimedFigure(None, None, "winner", found.result.winner, "result")


def _from_record(game: TextGame) -> Iterator[ClaimedFigure]:
    """Everything a text record says of bids, tricks and scores: somebody's own sheet of the game."""
    for hand in game.hands:
        for seat in SEATS:
            bid = hand.bid(seat)
            if bid is not None:
                word = f"double_nil {seat}" if seat in hand.double_nils else "bids"
                yield ClaimedFigure(hand.number, seat, "bid", bid, f"line {hand.lines[word]}")
            if hand.tricks is not None:
                yield ClaimedFigure(hand.number, seat, "tricks", hand.tricks[seat], f"line {hand.lines['tricks']}")
    yield from scores_of(game, len(game.hands))


def scores_of(game: TextGame, hands: int) -> Iterator[ClaimedFigure]:
    """What the ``score`` lines of the first hands and the ``result`` line of a text record claim."""
    for hand in game.hands[:hands]:
        for seat, claimed in hand.score.items():
            at = f"line {hand.lines['score']}"
            yield ClaimedFigure(hand.number, seat, "points", claimed.change, at)
            yield ClaimedFigure(hand.number, seat, "bags", claimed.bags, at)
            yield ClaimedFigure(hand.number, seat, "total", claimed.total, at)
    if game.result is not None:
        at = f"line {game.result.line}"
        yield ClaimedFigure(None, "north", "total", game.result.north, at)
        yield ClaimedFigure(None, "south", "total", game.result.south, at)
        if game.result.winner is not None:
            yield ClaimedFigure(None, None, "winner", game.result.winner, at)
