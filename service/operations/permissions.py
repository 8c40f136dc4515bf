"""What the user of a store may not do, as the store says it."""

import re
from typing import Final

_NOPERM: Final = re.compile(r"NOPERM|no permissions", re.IGNORECASE)
_COMMAND: Final = re.compile(r"run the '([^']+)' command", re.IGNORECASE)


def missing_permission(error: Exception) -> tuple[str, str] | None:
    """What the user may not do and what allows it; None where the store refused for another reason."""
    text = str(error)
    if not _NOPERM.search(text):
        return None
    if (found := _COMMAND.search(text)) is not None:
        return f"may not run {found[1]}", f"allow it: ACL SETUSER … +{found[1]}"
    return "may not use a key or channel of Trickbook", "allow them: ACL SETUSER … ~trickbook:* &trickbook:*"
