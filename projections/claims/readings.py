"""What a search finds: readings, each a change that makes the claim true, in a sentence; and how like ones are told as one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from events.cards import Seat
from events.types import Line
from projections.claims.comparing import parting
from projections.claims.scoring_mistakes import Sheet, Slip


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change that makes the claim true: its code, its cost, a sentence, the hands it may have been made in, the options it
    changes, the positions it rests on, and where the sheets part (`comparing.parting`)."""

    code: str
    cost: int
    sentence: str
    rests_on: tuple[str, ...] = ()
    hands: tuple[int, ...] = ()
    options: dict[str, Any] = {}
    parts: dict[str, Any] | None = None


class Search(msgspec.Struct, frozen=True):
    """The readings that fit, the simplest first. `tried` is the number of changes tried, `ended_early` that time ran out;
    `not_tried` names each kind of change that was left out, and why."""

    readings: tuple[Reading, ...]
    tried: int
    ended_early: bool
    not_tried: tuple[str, ...] = ()


def clause(slip: Slip) -> str:
    where = f"in hand {slip.hand} " if slip.hand is not None else ""
    return f"{where}{slip.text}"


def reading_of(sheet: Sheet, slip: Slip) -> Reading:
    lines: Mapping[Seat, tuple[Line, ...]] = slip.lines
    how = f": by the plays {slip.really}" if slip.really else ""
    places = f" ({', '.join(slip.rests_on)})" if slip.rests_on else ""
    return Reading(
        slip.code,
        slip.cost,
        f"right if {clause(slip)}{how}{places}",
        slip.rests_on,
        () if slip.hand is None else (slip.hand,),
        parts=parting(sheet.rules, sheet.lines, lines, sheet.rules),
    )


def merged(found: Sequence[Reading]) -> Iterator[Reading]:
    """The same slip in several hands is one reading, and so are the values of the same options."""
    groups: dict[tuple[str, int, str], list[Reading]] = {}
    by_option: dict[str, list[Reading]] = {}
    for reading in found:
        if reading.options:
            by_option.setdefault(reading.code, []).append(reading)
            groups.setdefault((reading.code, 0, ""), by_option[reading.code])
            continue
        text = reading.sentence.split(": ")[0].split(" (")[0]
        key = text.replace(f"in hand {reading.hands[0]} ", "in hand N ") if len(reading.hands) == 1 else reading.sentence
        groups.setdefault((reading.code, reading.cost, key), []).append(reading)
    for (code, _, key), group in groups.items():
        if len(group) == 1:
            yield group[0]
            continue
        if code in by_option:
            others = (", ".join(f"{name}={value}" for name, value in reading.options.items()) for reading in group[1:])
            yield msgspec.structs.replace(group[0], sentence=f"{group[0].sentence}; so it is with {' or with '.join(others)}")
            continue
        hands = tuple(reading.hands[0] for reading in group)
        places = tuple(place for reading in group for place in reading.rests_on)
        shown = f" ({', '.join(places)})" if len(places) <= _FEW else ""
        sentence = key.replace("in hand N ", f"in one of hands {_listed(hands)} ") + shown
        yield msgspec.structs.replace(group[0], sentence=sentence, rests_on=places, hands=hands)


_FEW: Final = 6


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
