"""What a comparison of the store with the high-water file showed, as lines for the operator."""

from collections.abc import Iterator
from typing import Final

from events.store import LostHead
from service.games.history_check import Comparison

_MOST_NAMED: Final = 20


def lost_history(comparison: Comparison | None) -> Iterator[str]:
    """The games that are frozen, each with what is missing; nothing where no history was lost."""
    if comparison is None or not comparison.lost:
        return
    lost = comparison.lost
    yield (
        f"HISTORY LOST: the store is an older copy. {len(lost)} of {comparison.games} games had gone further; they are frozen, "
        "all others go on:"
    )
    for found in lost[:_MOST_NAMED]:
        yield f"  game {found.game}: version {found.place.version} was acknowledged, {_left(found)}"
    if len(lost) > _MOST_NAMED:
        yield f"  and {len(lost) - _MOST_NAMED} more: `trickbook history list` names all"
    yield (
        "Put the newest copy of the store back and start again, and they go on. Where there is none, "
        "`trickbook history accept-loss GAME` ends a game"
    )


def _left(found: LostHead) -> str:
    """What the store has of the game."""
    if not found.left:
        return "its log is missing"
    return f"its log ends at {found.left}" if found.left < found.place.version else "its log has another event there"
