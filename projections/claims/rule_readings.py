"""Other readings of a scoring rule than rules.md §7 has: in one hand only, or of a rule that no option switches.

Each is a `Slip`, as a mistake of arithmetic is: the lines it leads to, under the game's own rules in all other hands.
"""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from events.cards import SEATS, Seat
from events.ruleset import Ruleset
from events.types import Line
from projections.claims.options import VALUES, told
from projections.claims.scoring_mistakes import Sheet, Slip
from projections.scoring import score_hand
from projections.sheet import arithmetic, minus

_IN_ONE_HAND: Final[dict[str, Callable[[Line], bool]]] = {
    "nil_value": lambda line: line.bid == 0,
    "double_nil_value": lambda line: line.bid == "double_nil",
    "bag_penalty": lambda line: line.penalty > 0,
}
"""The options that can be read in another way in one hand, and the lines they touch."""

_COST: Final = 42
_COMMON: Final = 3
"""How many values of an option are tried in one hand: those of `options.VALUES` that most tables use."""


def rule_readings(sheet: Sheet) -> Iterator[Slip]:
    """Every reading of a rule that is tried beside the options of the whole game."""
    for option, touches in _IN_ONE_HAND.items():
        touched = [(at, seat) for at in range(len(sheet.facts.hands)) for seat in SEATS if touches(sheet.lines[seat][at])]
        if len(touched) > 1:  # in a single hand it is the option of the whole game
            for at, seat in touched:
                yield from _one_hand(sheet, option, at, seat)
    for at in range(len(sheet.facts.hands)):
        for seat in SEATS:
            yield from _penalty_once(sheet, at, seat)
    yield from _unswitched(sheet)


def _one_hand(sheet: Sheet, option: str, at: int, seat: Seat) -> Iterator[Slip]:
    line = sheet.lines[seat][at]
    for rank, value in enumerate(VALUES[option][:_COMMON]):
        if value == getattr(sheet.rules, option):
            continue
        rules = msgspec.structs.replace(sheet.rules, **{option: value})
        other = score_hand(rules, *sheet.before(seat, at), line.bid, line.tricks)
        if other != line:
            text = f"for {sheet.who[seat]} {told(option, value)}, in that hand only ({option}={value})"
            yield _slip(sheet, f"{option}_in_one_hand", _COST + rank, text, at, seat, other, rules)


def _penalty_once(sheet: Sheet, at: int, seat: Seat) -> Iterator[Slip]:
    """One penalty where the count passes two multiples of the limit at once (rules.md §7.5)."""
    line, single = sheet.lines[seat][at], sheet.rules.bag_penalty
    if single and line.penalty > single:
        once = msgspec.structs.replace(line, penalty=single, total=line.total + line.penalty - single)
        text = f"{sheet.who[seat]}'s bags bring one penalty, though they pass the limit {line.penalty // single} times"
        yield _slip(sheet, "penalty_once", 26, text, at, seat, once)


def _slip(sheet: Sheet, code: str, cost: int, text: str, at: int, seat: Seat, line: Line, rules: Ruleset | None = None) -> Slip:
    hand = sheet.facts.hands[at]
    really = "; ".join(arithmetic(sheet.rules, sheet.before(seat, at)[1], sheet.lines[seat][at]))
    places = tuple(place for place in (hand.of(seat).bid_at, hand.scored_at) if place)
    return Slip(code, cost, text, {seat: sheet.other_line(seat, at, line)}, hand.number, places, really, rules)


# Rules that no option switches ----------------------------------------------------------------------------------------


def _by_missing_tricks(line: Line) -> int:
    """The points where a set bid loses 10 for each trick short (rules.md §7.2 has 10 for each trick bid)."""
    made = not isinstance(line.bid, int) or not line.bid or line.tricks >= line.bid
    return line.points if made or not isinstance(line.bid, int) else -10 * (line.bid - line.tricks)


def _ten_for_each(line: Line) -> int:
    """The points where each trick of a made bid scores 10 (rules.md §7.1 has 1 for each trick over the bid)."""
    made = isinstance(line.bid, int) and 0 < line.bid <= line.tricks
    return 10 * line.tricks if made else line.points


_RULES: Final[tuple[tuple[str, Callable[[Line], int], str], ...]] = (
    ("set_by_missing_tricks", _by_missing_tricks, "a set bid {of} loses 10 for each trick short, not for each trick bid"),
    ("ten_for_each_trick", _ten_for_each, "each trick over a made bid {of} scores 10, not 1"),
)


def own_sum(code: str, before: int, line: Line) -> str | None:
    """How a line of one of these readings comes about from the total `before`; None for another code."""
    if code not in {known for known, *_ in _RULES} or not isinstance(line.bid, int):
        return None
    short = line.bid - line.tricks
    how = f"{short} short: -{short}×10" if short > 0 else f"{line.tricks}×10"
    fine = f" -{line.penalty}" if line.penalty else ""
    return minus(f"{how} = {line.points:+}; {before} {line.points:+}{fine} = {line.total}")


def _unswitched(sheet: Sheet) -> Iterator[Slip]:
    for code, points, text in _RULES:
        changed = {seat: [at for at, line in enumerate(sheet.lines[seat]) if points(line) != line.points] for seat in SEATS}
        throughout = {seat: _throughout(sheet, seat, points) for seat in SEATS}
        if all(changed.values()):
            yield Slip(code, 36, f"{text.format(of='of either player')}, throughout", throughout)
        for seat in SEATS:
            of = f"of {sheet.who[seat]}'s"
            if len(changed[seat]) > 1:
                yield Slip(code, 38, f"{text.format(of=of)}, throughout", {seat: throughout[seat]})
            for at in changed[seat]:
                line = sheet.lines[seat][at]
                yield _slip(sheet, code, 43, text.format(of=of), at, seat, _with(line, points(line), line.total))


def _with(line: Line, points: int, total: int) -> Line:
    return msgspec.structs.replace(line, points=points, total=total + points - line.points)


def _throughout(sheet: Sheet, seat: Seat, points: Callable[[Line], int]) -> tuple[Line, ...]:
    more, lines = 0, []
    for line in sheet.lines[seat]:
        lines.append(_with(line, points(line), line.total + more))
        more = lines[-1].total - line.total
    return tuple(lines)
