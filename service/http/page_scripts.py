"""The script of each page: its modules in one file, so that a page needs one request for them and no build step.

Joined, the modules share one scope, so their top-level names differ. `verify.mjs`, the second verifier, stays a file of its
own, with the bytes that its readers know.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ALONE: Final = "verify.mjs"
_IMPORT: Final = re.compile(r'^import \{ ([^}]+) \} from "\./([a-z-]+\.mjs)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?function\b|class |const )", re.MULTILINE)
_DECLARED: Final = re.compile(
    r"^(?:async )?(?:function\*? |class |const |let )(?:\{ ([^}]*) \}|\[([^\]]*)\]|([\w$]+))", re.MULTILINE
)
_LEFT: Final = re.compile(r"^(?:import\b(?!\()|export\b).*", re.MULTILINE)


class CannotJoin(Exception):
    """Modules that have no common scope, with the names of both."""


def joined(root: Path, entry: str) -> str:
    """The module `entry` of the directory `root` with all that it imports, each after what it imports itself.

    Raises `CannotJoin` if two of them declare one name at their top level, or if one imports or exports otherwise than by name.
    """
    declared: dict[str, str] = {}
    kept_apart: set[str] = set()
    parts: list[str] = []
    for name in _ordered(root, entry, []):
        text = (root / name).read_text(encoding="utf-8")
        for names, source in _IMPORT.findall(text):
            if source == ALONE:
                kept_apart.update(names.split(", "))
        text = _EXPORT.sub("", _IMPORT.sub("", text))
        if wrong := _LEFT.search(text):
            raise CannotJoin(f"{name} has a line that cannot be joined: {wrong[0]}")
        for top in _names(text):
            if declared.setdefault(top, name) != name:
                raise CannotJoin(f"{declared[top]} and {name} both declare {top}")
        parts.append(f"// {name}\n{text}")
    first = f'import {{ {", ".join(sorted(kept_apart))} }} from "./{ALONE}";\n' if kept_apart else ""
    return first + "\n".join(parts)


def _names(text: str) -> Iterator[str]:
    for match in _DECLARED.finditer(text):
        yield from re.findall(r"[\w$]+", match[1] or match[2] or match[3])


def _ordered(root: Path, name: str, seen: list[str]) -> Iterator[str]:
    """The modules below `name`, then `name`; of a cycle, which functions alone may close, each once."""
    seen.append(name)
    for _, source in _IMPORT.findall((root / name).read_text(encoding="utf-8")):
        if source != ALONE and source not in seen:
            yield from _ordered(root, source, seen)
    yield name
