"""A score sheet that is kept hand by hand: what is typed, and how the text of the sheet is changed by it.

The text is edited, never written out again: comments, blank lines, order and spacing stay. What an edit takes away that the
keeper did not write itself is listed, so that somebody can be asked.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from events.cards import HAND_TRICKS, SEATS, Seat, other
from events.ruleset import Ruleset
from events.types import Bid, HandScored, Line
from projections.textaudit.auditing import ToldGame, told
from projections.textrecord.game import Claimed, TextGame, TextHand
from projections.textrecord.handlines import rules_of
from projections.textrecord.reader import read
from projections.textrecord.seat_words import NO_NAMES, Seats
from projections.textrecord.sheet_text import SheetText
from projections.textrecord.spelling import hand_lines, result_line, score_line, spelled
from projections.textrecord.tokens import tokens
from projections.textrecord.words import BadLine, Words, by_seat

BIDS: Final = "both bids, north's first (0 to 13, nil, double_nil), such as 4 nil"
TRICKS: Final = "the tricks north took (0 to 13)"

# What is typed --------------------------------------------------------------------------------------------------------


def bids_of(text: str, names: Mapping[Seat, str] | None = None) -> dict[Seat, Bid]:
    """Both bids: ``4 nil``, or by seat or player, ``south nil north 4``. Raises `BadLine`."""
    words = _words(text, names)
    if not words:
        raise words.refuse(BIDS)
    is_seat = words.is_seat()
    try:
        plain: dict[Seat, Bid] = {seat: words.bid() for seat in SEATS}
        words.end("two bids")
    except BadLine:
        if not is_seat:
            raise
    else:
        return plain
    words = _words(text, names)
    found = by_seat(words, Words.bid)
    if len(found) < len(SEATS):
        raise words.refuse(BIDS)
    return found


def tricks_of(text: str, names: Mapping[Seat, str] | None = None) -> dict[Seat, int]:
    """The tricks: ``7`` for north's, ``7 6``, or ``south 6``; what is not said is what is left of 13. Raises `BadLine`."""
    words = _words(text, names)

    def taken(words: Words) -> int:
        return words.number(TRICKS, 0, 13)

    if words.peek()[:1].isdigit() or not words.is_seat():
        found: dict[Seat, int] = {"north": taken(words)}
        if words:
            found["south"] = words.number("the tricks south took (0 to 13)", 0, 13)
    else:
        found = by_seat(words, taken)
    words.end("tricks that make 13")
    for seat in SEATS:
        found.setdefault(seat, HAND_TRICKS - found.get(other(seat), 0))
    if sum(found.values()) != HAND_TRICKS:
        raise BadLine(1, f"expected tricks that make 13, not {found['north']} and {found['south']}")
    return {seat: found[seat] for seat in SEATS}


def ruleset_of(text: str) -> Ruleset:
    """Rules as ``option=value`` words. Raises `BadLine`."""
    return rules_of(_words(text))


def _words(text: str, names: Mapping[Seat, str] | None = None) -> Words:
    return Words(
        1, [str(word) for word in tokens(text.replace(",", " ").replace("/", " "))], Seats(names) if names else NO_NAMES
    )


# What is kept ---------------------------------------------------------------------------------------------------------


class KeptSheet(msgspec.Struct, frozen=True):
    """The text of a sheet, and the game that it reads to."""

    text: str
    game: TextGame

    def played(self) -> ToldGame:
        """The game, played."""
        return told(self.game)

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.played().facts().result is not None


class Edit(msgspec.Struct, frozen=True):
    """A changed sheet; `lost` are the lines it no longer has, as they were with their numbers, but for the keeper's own."""

    sheet: KeptSheet
    lost: tuple[str, ...] = ()


def fresh(names: Mapping[Seat, str], rules: Ruleset, first: Seat) -> KeptSheet:
    """A sheet without a hand."""
    return kept(spelled(TextGame(dict(names), rules, first=first)))


def kept(text: str) -> KeptSheet:
    """The sheet of a text. Raises `BadLine`."""
    return KeptSheet(text, read(text))


def problem(game: TextGame) -> str | None:
    """Why no hand can be added to this sheet, in one sentence; None where one can."""
    if game.end is not None:
        return f"line {game.end.line} says that play was stopped"
    scored = len(_scores(told(game)))
    if scored < len(game.hands):
        hand = game.hands[scored]
        return f"hand {hand.number} (line {hand.lines['hand']}) has no score yet: {unscored(hand)}"
    return None


def unscored(hand: TextHand) -> str:
    """Why a hand has no score, in a few words."""
    lacking = [seat for seat in SEATS if hand.bid(seat) is None]
    if len(lacking) == len(SEATS):
        return "it has no bids"
    if lacking:
        return f"the bid of {lacking[0]} is missing"
    if hand.tricks is None and (len(hand.plays) < HAND_TRICKS or hand.plays[-1].follow is None):
        tricks = f"{len(hand.plays)} of 13 tricks are played" if hand.plays else "there are no tricks"
        return f"{tricks}, and no line counts them"
    return "a hand before it has none"


def with_hand(sheet: KeptSheet, bids: Mapping[Seat, Bid], tricks: Mapping[Seat, int]) -> Edit:
    """The sheet with one more hand, and the result where the hand ends the game."""
    bare = _without_result(sheet)
    number = len(sheet.game.hands) + 1
    hand = TextHand(number, {"hand": 1, "bids": 1, "tricks": 1}, bids=dict(bids), tricks=dict(tricks))
    game = told(msgspec.structs.replace(bare.sheet.game, hands=(*bare.sheet.game.hands, hand)))
    lines = [*hand_lines(hand), score_line(_scores(game)[-1])]
    text = SheetText(bare.sheet.text)
    at = len(text.lines)
    if sheet.game.result is not None:
        at = min(at, sheet.game.result.line - 1)
    text.insert(at, ["", *lines])
    return Edit(_with_result(kept(text.joined())), bare.lost)


def without_last(sheet: KeptSheet) -> Edit:
    """The sheet without its last hand, and without the result that followed from it; comments on lines of their own stay."""
    bare = _without_result(sheet)
    hand = bare.sheet.game.hands[-1]
    scores = _scores(bare.sheet.played())
    own = set(hand_lines(TextHand(hand.number, {}, bids=hand.bids, tricks=hand.tricks)))
    if len(scores) == len(bare.sheet.game.hands):
        own.add(score_line(scores[-1]))
    text = SheetText(bare.sheet.text)
    lost = text.remove(hand.lines.values(), own)
    return Edit(kept(text.joined()), (*bare.lost, *lost))


def completed(sheet: KeptSheet) -> Edit:
    """The sheet with the scores and the result that its hands make: what is missing added, what is wrong replaced."""
    played = sheet.played()
    text = SheetText(sheet.text)
    lost: list[str] = []
    for hand, score in reversed([*zip(sheet.game.hands, _scores(played), strict=False)]):
        if not hand.score:
            text.insert(max(hand.lines.values()), [score_line(score)])
        elif any(score[seat] != said for seat, said in hand.score.items()):
            lost = [*text.replace(hand.lines["score"], score_line(score)), *lost]
    stated, right = sheet.game.result, _result(played)
    if stated is not None and right and not _agrees(stated.north, stated.south, stated.winner, right):
        line = stated.line + sum(not hand.score for hand in sheet.game.hands[: len(_scores(played))])
        lost += [f"line {stated.line}: {text.lines[line - 1].strip()}"]
        text.replace(line, right)
    return Edit(_with_result(kept(text.joined())), tuple(lost))


def _agrees(north: int, south: int, winner: str | None, right: str) -> bool:
    """Whether a stated result is the right one, with or without its winner."""
    return right in (result_line(north, south, winner), result_line(north, south, right.rpartition(" ")[2]))


def _without_result(sheet: KeptSheet) -> Edit:
    if sheet.game.result is None:
        return Edit(sheet)
    text = SheetText(sheet.text)
    lost = text.remove([sheet.game.result.line], {_result(sheet.played())})
    return Edit(kept(text.joined()), lost)


def _with_result(sheet: KeptSheet) -> KeptSheet:
    right = _result(sheet.played())
    if not right or sheet.game.result is not None or sheet.game.end is not None:
        return sheet
    text = SheetText(sheet.text)
    text.insert(len(text.lines), ["", right])
    return kept(text.joined())


def _result(game: ToldGame) -> str:
    """The ``result`` line of a game that is over, else nothing."""
    result, facts = game.facts().result, _scores(game)
    if result is None or not facts:
        return ""
    return result_line(facts[-1]["north"].total, facts[-1]["south"].total, result.winner or "draw")


def _scores(game: ToldGame) -> list[dict[Seat, Claimed]]:
    """The score line of each hand that has a score."""
    totals: dict[Seat, int] = dict.fromkeys(SEATS, 0)
    found = []
    for event in game.events:
        if isinstance(event.data, HandScored):
            lines: dict[Seat, Line] = {"north": event.data.north, "south": event.data.south}
            found.append({seat: Claimed(line.total - totals[seat], line.total, line.bags) for seat, line in lines.items()})
            totals = {seat: line.total for seat, line in lines.items()}
    return found
