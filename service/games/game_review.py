"""A game looked at afterwards, folded once: its steps, explanations and score sheet as JSON, with seats in the place of names.

All questions about one version of a game, asked by those who may see the same, are answered from one of these.
"""

import bisect
from collections.abc import Sequence

import msgspec

from events.types import Event
from projections.claims.evidence import explained, grounds
from projections.claims.facts import facts_from
from projections.positions import Index
from projections.replay.step_lookup import last_version, opening_version
from projections.replay.step_view import step_view
from projections.replay.unnamed import unnamed
from projections.replay.walk import index, steps
from projections.sheet import sheet


class ReviewedStep(msgspec.Struct, frozen=True):
    """A step and its explanation as JSON, and the place they have."""

    version: int
    hand: int
    step: bytes
    explanation: bytes


class GameReview(msgspec.Struct, frozen=True):
    """A game up to the version of its last step. `places` finds positions in it, `sheet` is the score sheet as JSON."""

    steps: tuple[ReviewedStep, ...]
    places: Index
    sheet: bytes

    @property
    def size(self) -> int:
        """Bytes of JSON in it."""
        return len(self.sheet) + sum(len(each.step) + len(each.explanation) for each in self.steps)

    def opening(self, position: str) -> ReviewedStep:
        """The step at which a position is shown. Raises `BadPosition`."""
        return self._from(opening_version(self.places, position))

    def at(self, position: str) -> ReviewedStep:
        """The last step of a position. Raises `BadPosition`."""
        return self._from(last_version(self.places, position))

    def _from(self, version: int) -> ReviewedStep:
        return self.steps[bisect.bisect_left(self.steps, version, key=lambda each: each.version)]


def review(game: str, events: Sequence[Event]) -> GameReview:
    """The review of a game by the events that its viewer may see.

    Raises `projections.fold.Impossible` for events that cannot be folded.
    """
    seen = unnamed(events)
    walked = steps(game, seen)
    facts = facts_from((step.before, step.event, step.after) for step in walked)
    last = walked[-1]
    reviewed = tuple(
        ReviewedStep(
            step.version,
            step.hand,
            msgspec.json.encode(step_view(step, grounds(facts, step))),
            msgspec.json.encode(explained(facts, step, last)),
        )
        for step in walked
    )
    return GameReview(reviewed, index(walked), msgspec.json.encode(sheet(seen, last.after)))
