"""The names people sit down with (design §4): what may be one, checked where it enters and nowhere else."""

import unicodedata
from functools import cache
from pathlib import Path
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
    if all(character == " " or allowed(character) for character in name):
        return name
    return None


def allowed(character: str) -> bool:
    """Whether a name may have this character; a space may be inside only."""
    category = unicodedata.category(character)
    return character in _MARKS or category.startswith("L") or category == "Nd"


def objection(name: str) -> str | None:
    """Why a person cannot sit down with this name, as a sentence; None where they can."""
    if alike(name, HOUSE):
        return f"{HOUSE} is the name of the service's own player: choose a name that does not look like it."
    return None


def same(one: str, other: str) -> bool:
    """Whether two names differ by their case at most."""
    return _folded(one) == _folded(other)


def alike(one: str, other: str) -> bool:
    """Whether two names look alike: the same but for their case, or for characters that look the same (UTS 39 §4)."""
    return not _looks(one).isdisjoint(_looks(other))


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _looks(name: str) -> set[str]:
    """What a name looks like as it is written, and in small letters: a capital I looks like an l, a small i does not."""
    return {_skeleton(name).casefold(), _skeleton(_folded(name)).casefold()}


def _skeleton(name: str) -> str:
    """The skeleton of UTS 39 §4, of the name in NFKC."""
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name))
    return unicodedata.normalize("NFD", "".join(_lookalikes().get(character, character) for character in decomposed))


@cache
def _lookalikes() -> dict[str, str]:
    """What each of these characters looks like, from Unicode's table of confusable characters."""
    text = Path(__file__).with_name("lookalikes.txt").read_text(encoding="utf-8")
    return {line[0]: line[2:] for line in text.splitlines() if line[:1] != "#"}
