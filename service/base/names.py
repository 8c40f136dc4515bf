"""The names people sit down with (design §4): what may be one, checked where it enters and nowhere else."""

import unicodedata
from typing import Final

MAX_LENGTH: Final = 24
HOUSE: Final = "House"
"""The name our own bot sits down with."""
_MARKS: Final = "-_.'"
ALLOWED: Final = "1 to 24 letters, digits, single spaces inside, and - _ . '"

PATTERN: Final = r"^(?! )(?!.*  )(?!.* $)[^\x00-\x1f!-&(-,/:-@\[-\^`{-\xa0]{1,24}$"
"""What `entered` lets pass, as far as a regular expression can say it: which characters are letters it leaves open."""


def entered(text: str) -> str | None:
    """The name as it is stored (NFC), or None where the text is no name."""
    name = unicodedata.normalize("NFC", text)
    if not 1 <= len(name) <= MAX_LENGTH or name != name.strip() or "  " in name:
        return None
    if all(character in _MARKS or character == " " or _letter_or_digit(character) for character in name):
        return name
    return None


def _letter_or_digit(character: str) -> bool:
    category = unicodedata.category(character)
    return category.startswith("L") or category == "Nd"
