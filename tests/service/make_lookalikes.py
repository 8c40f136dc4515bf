"""Makes `service/base/lookalikes.txt` from Unicode's confusables.txt (UTS 39): `python -m tests.service.make_lookalikes FILE`.

It keeps the rows of characters that a name may have and NFKC leaves alone.
"""

import re
import sys
import unicodedata
from pathlib import Path

from service.base import names

_HEAD = """\
# Characters of names that look alike, each with what it looks like (UTS 39, confusables.txt {version}), made by
# tests/service/make_lookalikes.py. {copyright}
# Unicode License V3: https://www.unicode.org/license.txt
"""
_TARGET = Path(names.__file__).with_name("lookalikes.txt")


def rows(text: str) -> list[tuple[str, str]]:
    """Pairs of a character and what it looks like, in the order of the characters."""
    found = re.findall(r"^([0-9A-F]+) ;\t([0-9A-F ]+) ;\tMA", text, re.MULTILINE)
    pairs = {chr(int(one, 16)): "".join(chr(int(each, 16)) for each in other.split()) for one, other in found}
    return sorted(
        (one, other) for one, other in pairs.items() if names.allowed(one) and unicodedata.normalize("NFKC", one) == one
    )


def main(source: str) -> None:
    """Writes the file."""
    text = Path(source).read_text(encoding="utf-8-sig")
    version, owner = re.search(r"^# Version: (\S+)", text, re.MULTILINE), re.search(r"^# (©.*)", text, re.MULTILINE)
    assert version is not None
    assert owner is not None
    lines = [f"{one} {other}\n" for one, other in rows(text)]
    _TARGET.write_text(_HEAD.format(version=version[1], copyright=owner[1]) + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
