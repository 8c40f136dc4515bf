"""What a claim is given with on the command line, and how its answer is printed."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from cli.failures import UNREACHABLE, USAGE, Failure
from cli.text import Style, say, wrapped
from events.cards import Seat
from projections.claims import BadClaim, Claim, ClaimAnswer, Clock, Difference
from projections.claims.reading import MOST_BYTES, from_file, from_words, single
from projections.sheet import minus

F = TypeVar("F", bound=Callable[..., Any])
_SHOWN: Final = 5
"""The readings that are printed unless all are requested."""


def claim_options(function: F) -> F:
    """``--claim`` and ``--claim-file``."""
    function = click.option(
        "--claim-file",
        type=click.Path(path_type=Path),
        help="A file of what somebody claims, hand by hand: lines, JSON or a text record",
    )(function)
    return click.option(
        "--claim", metavar="SEAT=TOTAL,…", help="What somebody claims the score is; also 3.north.bags=4, winner=south"
    )(function)


all_readings_option = click.option(
    "--all-readings", is_flag=True, help=f"Print every reading that would make the claim true, not the first {_SHOWN}"
)


def read_claim(words: str | None, file: Path | None, names: Mapping[Seat, str]) -> Claim | None:
    """The claim that is made, None if there is none. Raises `Failure`."""
    if words is None and file is None:
        return None
    try:
        said = [*(from_words(words, names) if words is not None else ())]
        if file is not None:
            said += _from_file(file, names)
        return single(said)
    except BadClaim as error:
        raise Failure(f"the claim cannot be read: {error}", USAGE) from None


def _from_file(file: Path, names: Mapping[Seat, str]) -> Claim:
    try:
        with file.open("rb") as opened:
            raw = opened.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise Failure(f"there is no file {file}", UNREACHABLE) from None
    except OSError as error:
        raise Failure(f"{file} cannot be read: {error.strerror}", USAGE) from None
    try:
        return from_file(raw, json=file.suffix == ".json", names=names)
    except BadClaim as error:
        raise Failure(f"{file}: {error}", USAGE) from None


def answered(answer: Callable[[Claim, Clock], ClaimAnswer], claim: Claim) -> ClaimAnswer:
    """The answer to a claim. Raises `Failure` where the claim names a hand that is not there."""
    try:
        return answer(claim, time.process_time)
    except BadClaim as error:
        raise Failure(f"the claim cannot be compared: {error}", USAGE) from None


def print_answer(found: ClaimAnswer, style: Style, *, told: bool = False, all_readings: bool = False) -> None:
    """The answer as text: the first figure that differs, both sides' arithmetic, what would make the claim true.

    `told` says that the finding above has named the figure already; `all_readings` prints every reading, not the first five.
    """
    count = len(found.claim)
    if found.holds:
        figures = f"all {count} figures are" if count > 1 else "the figure is"
        if not told:
            say(style.good("claim: holds") + f", {figures} what the plays make")
        return
    if not found.differences:
        if not told:
            _print_unchecked(found, style)
            _print_search(found, all_readings=all_readings)
        return
    first, *more = found.differences
    if not told:
        places = f" ({', '.join(first.rests_on)})" if first.rests_on else ""
        wrapped(f"claim: wrong  {first.headline}{places}{_at(first)}", style=style, bad="claim: wrong")
    wrapped(f"  you:       {first.theirs}")
    wrapped(f"  the plays: {first.ours}")
    for difference in more[:_FEW]:
        wrapped(f"  also:      {_short(difference)}{_at(difference)}")
    if count > 1:
        say(f"  {len(found.differences)} of {count} figures claimed differ{'' if more else 's'}")
    if not told:
        for text in found.unchecked:
            wrapped(f"  not checked: {text}", indent="  ")
    _print_search(found, all_readings=all_readings)


def _print_unchecked(found: ClaimAnswer, style: Style) -> None:
    """A claim of which no figure is wrong, but not every one could be computed."""
    wrapped("claim: not checked in full", style=style, bad="claim: not checked in full")
    for text in found.unchecked:
        wrapped(f"  not checked: {text}", indent="  ")


_FEW: Final = 3


def _at(difference: Difference) -> str:
    return f" [{difference.at}]" if difference.at else ""


def _short(difference: Difference) -> str:
    where = "the end" if difference.hand is None else f"hand {difference.hand}"
    who = f", {difference.seat}" if difference.seat else ""
    return minus(f"{where}{who}: {difference.figure} {difference.claimed}, the plays make it {difference.right}")


def _print_search(found: ClaimAnswer, *, all_readings: bool) -> None:
    search = found.search
    if search is None:
        return
    fitting = len(search.readings)
    tried = f"{search.tried} changes of rules, facts and sums tried"
    if not fitting:
        wrapped(f"no single mistake and no one or two options make it true ({tried})", indent="  ")
    else:
        wrapped(f"what would make it true, the simplest first ({tried}):", indent="  ")
    shown = search.readings if all_readings else search.readings[:_SHOWN]
    for number, reading in enumerate(shown, 1):
        wrapped(f"  {number}. {minus(reading.sentence)}", indent="     ")
        if reading.parts is not None and number == 1:
            parts = reading.parts
            wrapped(f"     the sheets part in hand {parts.hand}, {parts.seat} ({parts.position}):", indent="     ")
            wrapped(f"       the plays: {parts.ours}", indent=" " * 18)
            wrapped(f"       read so:   {parts.theirs}", indent=" " * 18)
    if fitting > len(shown):
        say(f"  and {fitting - len(shown)} more with --all-readings")
    if search.not_tried:
        wrapped(f"  not tried: {'; '.join(search.not_tried)}", indent=" " * 13)
