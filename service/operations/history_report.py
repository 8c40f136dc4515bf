"""What a comparison of the store with the high-water file showed, as lines for the operator."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from events.store import LostHead
from service.games.history_check import Comparison
from service.operations.open_store import OpenStore

_MOST_NAMED: Final = 20
_LOG_BYTES: Final = 64 * 1024
_TRUNCATED: Final = re.compile(r"truncat|short read|unexpected end of file", re.IGNORECASE)


def truncation(opened: OpenStore, data: Path) -> Iterator[str]:
    """What the embedded store cut off from its append-only file when it was started last, if anything."""
    if opened.embedded is None:
        return
    try:
        with opened.embedded.directory.log.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _LOG_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return
    cut = [line.strip() for line in text.rpartition("starting")[2].splitlines() if _TRUNCATED.search(line)]
    if cut:
        yield f"the append-only file of the store in {data} ended in the middle of a write, and its end was cut off:"
        yield from (f"  {line}" for line in cut[:3])


def lost_history(comparison: Comparison | None) -> Iterator[str]:
    """The games that are frozen, each with what is missing, and damage of the file; nothing where all is in order."""
    if comparison is not None and comparison.unreadable:
        yield f"Warning: {comparison.unreadable} lines of the file high-water are damaged and were not compared"
    if comparison is None or not comparison.lost:
        return
    lost = comparison.lost
    yield (
        f"HISTORY LOST: the store is an older copy. {len(lost)} of {comparison.games} games had gone further and are frozen; "
        "all others continue:"
    )
    for found in lost[:_MOST_NAMED]:
        yield f"  game {found.game}: version {found.place.version} was acknowledged, {_left(found)}"
    if len(lost) > _MOST_NAMED:
        yield f"  and {len(lost) - _MOST_NAMED} more: `trickbook history list` names all"
    yield (
        "Put the newest copy of the store back and start again, and they continue. Without one, end each with "
        "`trickbook history accept-loss GAME --why TEXT`"
    )


def _left(found: LostHead) -> str:
    """What the store has of the game."""
    if not found.left:
        return "its log is missing"
    return f"its log ends at {found.left}" if found.left < found.place.version else "its log has another event there"
