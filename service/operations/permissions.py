"""What the user of a store may not do, as the store says it."""

import re
from typing import Final

_REFUSED: Final = re.compile(r"has no permissions to (?P<what>.+?)(?: command)?[.;]?$", re.IGNORECASE | re.MULTILINE)
_NOPERM: Final = re.compile(r"NOPERM|no permissions", re.IGNORECASE)


def missing_permission(error: Exception) -> str | None:
    """The permission that is missing, as the end of a sentence; None where the store refused for another reason."""
    text = str(error)
    if not _NOPERM.search(text):
        return None
    found = _REFUSED.search(text)
    return f"may not {found['what'].strip()}" if found else "lacks a permission"
