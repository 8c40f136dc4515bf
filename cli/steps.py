"""The steps of a loaded game for the commands that walk through it, also of a log that breaks off or a text record."""

from collections.abc import Sequence

import msgspec

from cli.failures import FOUND_OTHERWISE, NOT_TRUSTED, OK, Failure
from cli.sources import GameInput, TextInput
from cli.text import tell
from projections.fold import Impossible, apply
from projections.positions import Span
from projections.replay.walk import Step, index, steps
from projections.table import empty


class Steps(msgspec.Struct, frozen=True):
    """What can be walked through, and the exit code that follows from whether that is all."""

    steps: list[Step]
    exit_code: int


def steps_of(game: GameInput | TextInput, viewer: str | None) -> Steps:
    """The steps of a game; where the log breaks off, those before it, and a word about it on stderr.

    Raises `Failure` for a log of which nothing can be told.
    """
    if isinstance(game, TextInput):
        return _of_text(game, viewer)
    events = game.seen(viewer)
    whole = len(events) == len(game.source.events) and game.source.broken is None
    table, good = empty(game.source.game), 0
    for event in events:
        try:
            table = apply(table, event)
        except Impossible:
            whole = False
            break
        good += 1
    found = steps(game.source.game, events[:good])
    if not found:
        raise Failure(f"nothing of {game.name} can be replayed: `trickbook audit` says why", NOT_TRUSTED)
    if not whole:
        tell(f"trickbook: the log of {game.name} is damaged after v{good}: `trickbook audit` names the place and the fault")
    return Steps(found, OK if whole else NOT_TRUSTED)


def _of_text(game: TextInput, viewer: str | None) -> Steps:
    wrong = game.told.played.findings
    if wrong:
        tell(f"trickbook: {game.name}, line {wrong[0].line}: {wrong[0].message} (`trickbook audit` says it all)")
    return Steps(game.told.steps(viewer), FOUND_OTHERWISE if wrong else OK)


def between(found: Sequence[Step], first: str | None, last: str | None) -> list[Step]:
    """The steps from one position to another, both included. Raises `BadPosition`."""
    positions = index(found)
    start: Span = positions.span(first) if first else Span(1, 1)
    end: Span = positions.span(last) if last else Span(found[-1].version, found[-1].version)
    return [step for step in found if step.version >= start.first and step.event.seq <= end.last]
