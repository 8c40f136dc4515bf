"""What a search finds: readings, each a change that makes the claim true, in a sentence; and how like ones are merged."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from events.cards import Seat
from events.types import Line
from projections.claims.comparing import Parting, parting
from projections.claims.rule_readings import own_sum
from projections.claims.scoring_mistakes import Sheet, Slip


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change that makes the claim true: its code, its cost, a sentence, the hands it may have been made in, the options it
    changes, the positions it rests on, and where the sheets part."""

    code: str
    cost: int
    sentence: str
    rests_on: tuple[str, ...] = ()
    hands: tuple[int, ...] = ()
    options: dict[str, Any] = {}
    parts: Parting | None = None


class Search(msgspec.Struct, frozen=True):
    """The readings that fit, the simplest first. `tried` is the number of changes tried, `ended_early` that time ran out;
    `not_tried` names each kind of change that was left out, and why."""

    readings: tuple[Reading, ...]
    tried: int
    ended_early: bool
    not_tried: tuple[str, ...] = ()


class Fit(msgspec.Struct, frozen=True):
    """A reading with its `clause`, which is the same for like mistakes of other hands and for other values of an option."""

    reading: Reading
    clause: str


_RULES: Final = {
    "penalty_forgotten": "7.5", "penalty_twice": "7.5", "penalty_late": "7.5", "penalty_once": "7.5", "bags_not_reset": "7.5",
    "bags_reset": "7.5", "bag_points_left_out": "7.1", "hand_points_left_out": "7.1", "ones_digit": "7.5",
    "trick_missing": "6.7", "set_by_missing_tricks": "7.2", "ten_for_each_trick": "7.1",
    "failed_nil_once": "7.4", "nil_value_in_one_hand": "7.3", "double_nil_value_in_one_hand": "7.3",
    "bag_penalty_in_one_hand": "7.5",
}  # fmt: skip
"""The rule of rules.md that a mistake is about, by its code; a slip of the pen has none."""


def clause(slip: Slip) -> str:
    """What was done, and in which hand."""
    where = f"in hand {slip.hand} " if slip.hand is not None else ""
    return f"{where}{slip.text}"


def reading_of(sheet: Sheet, slip: Slip) -> Fit:
    """The reading in which a slip was made."""
    lines: Mapping[Seat, tuple[Line, ...]] = slip.lines
    how = f": by the plays {slip.really}" if slip.really else ""
    grounds = (*_rule_of(slip.code), *slip.rests_on)
    reading = Reading(
        slip.code,
        slip.cost,
        f"right if {clause(slip)}{how}{_in_brackets(grounds)}",
        slip.rests_on,
        () if slip.hand is None else (slip.hand,),
        parts=_parts(sheet, slip, lines),
    )
    return Fit(reading, slip.text)


def _parts(sheet: Sheet, slip: Slip, lines: Mapping[Seat, tuple[Line, ...]]) -> Parting | None:
    """Where the sheets part (`comparing.parting`), with the sum as the reading makes it."""
    parts = parting(sheet.rules, sheet.lines, lines, slip.rules or sheet.rules)
    if parts is None:
        return None
    line, at = lines[parts.seat], parts.hand - 1
    before = line[at - 1].total if at else 0
    return msgspec.structs.replace(parts, theirs=own_sum(slip.code, before, line[at]) or parts.theirs)


def merged(found: Sequence[Fit]) -> Iterator[Reading]:
    """The readings, where the same slip in several hands is one, and so are the values of the same options."""
    groups: dict[tuple[str, int, str], list[Fit]] = {}
    for fit in found:
        reading = fit.reading
        one_hand = len(reading.hands) == 1 and not reading.options
        key = (reading.code, 0, "") if reading.options else (reading.code, reading.cost if one_hand else -1, fit.clause)
        groups.setdefault(key, []).append(fit)
    for group in groups.values():
        first = group[0].reading
        if len(group) == 1:
            yield first
        elif first.options:
            others = _other_values([fit.reading for fit in group[1:]])
            yield msgspec.structs.replace(first, sentence=f"{first.sentence}; {others}")
        else:
            yield _in_several_hands(group)


def _other_values(others: Sequence[Reading]) -> str:
    """``the same fits with …``: the other values of the same options, runs of numbers as runs."""
    names = list(others[0].options)
    if len(names) == 1 and len(others) > _VALUES and all(type(reading.options[names[0]]) is int for reading in others):
        return f"the same fits with {names[0]}={_listed(sorted(reading.options[names[0]] for reading in others))}"
    shown = [", ".join(f"{name}={_value(value)}" for name, value in reading.options.items()) for reading in others[:_VALUES]]
    more = len(others) - len(shown)
    return f"the same fits with {' or with '.join(shown)}" + (f" and with {more} more" if more else "")


def _value(value: Any) -> str:
    return "none" if value is None else str(value)


def _in_several_hands(group: Sequence[Fit]) -> Reading:
    first = group[0].reading
    hands = tuple(hand for fit in group for hand in fit.reading.hands)
    places = tuple(place for fit in group for place in fit.reading.rests_on)
    grounds = (*_rule_of(first.code), *(places if len(places) <= _FEW else ()))
    sentence = f"right if in one of hands {_listed(hands)} {group[0].clause}{_in_brackets(grounds)}"
    return msgspec.structs.replace(first, sentence=sentence, rests_on=places, hands=hands)


def _rule_of(code: str) -> tuple[str, ...]:
    return (f"rules §{_RULES[code]}",) if code in _RULES else ()


def _in_brackets(grounds: Sequence[str]) -> str:
    return f" ({', '.join(grounds)})" if grounds else ""


_FEW: Final = 6
_VALUES: Final = 3


def _listed(hands: Sequence[int]) -> str:
    """Numbers as people list them: ``2, 5 or 7 to 9``."""
    runs: list[list[int]] = []
    for hand in hands:
        if runs and hand == runs[-1][-1] + 1:
            runs[-1].append(hand)
        else:
            runs.append([hand])
    names = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    flat = ", ".join(names).split(", ")
    return flat[0] if len(flat) == 1 else f"{', '.join(flat[:-1])} or {flat[-1]}"
