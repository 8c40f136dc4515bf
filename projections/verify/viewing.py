"""A view that was shown, against the one that follows from the log."""

from collections.abc import Mapping
from typing import Any, Final

from projections.hiding import HIDDEN

_VIEW: Final = frozenset(
    {"game", "version", "head", "phase", "hand", "first", "turn", "deadline", "rules", "spades_broken", "seats", "draft",
     "trick", "last_trick", "result", "disputes", "you"}
)  # fmt: skip
"""What a view says that follows from the log; a key that is new to us is left alone."""


def differs(shown: Mapping[str, Any], right: Mapping[str, Any]) -> str | None:
    """The first key of a view that does not say what it should, or None."""
    wrong = (key for key in sorted(_VIEW) if (key in right) != (key in shown) or not _holds(shown.get(key), right.get(key)))
    return next(wrong, None)


def _holds(shown: Any, right: Any) -> bool:
    """Whether a value of a view holds everything it should; an object may hold more."""
    if isinstance(right, dict):
        return isinstance(shown, dict) and all(
            key in shown and (_holds(shown[key], value) or (key == "name" and shown[key] == HIDDEN))
            for key, value in right.items()
        )
    if isinstance(right, list | tuple):
        return isinstance(shown, list) and len(shown) == len(right) and all(map(_holds, shown, right))
    return type(shown) is type(right) and shown == right
