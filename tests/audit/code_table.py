"""The table of all finding codes as it stands in docs/audit.md: ``python -m tests.audit.code_table docs/audit.md``."""

import sys
from pathlib import Path
from typing import Final

from projections.audit.codes import STAGES, About, Code, Judge

BEGIN: Final = "<!-- codes: made from projections/audit/codes.py -->"
END: Final = "<!-- end of codes -->"
INPUT: Final[dict[Judge, str]] = {
    "log": "a log",
    "store": "a log in a store",
    "text": "a text record",
    "verify": "`verify`",
    "client": "a client that plays",
}
SUBJECT: Final[dict[About, str]] = {
    "signer": "the service or the file",
    "nobody": "nobody",
    "store": "the store",
    "sheet": "the sheet",
}


def table() -> str:
    """The table in Markdown, a row a code in the order of the stages."""
    rows = ["| code | stage | found in | about | what it says |", "|---|---|---|---|---|"]
    for stage in STAGES:
        for code in (code for code in Code if code.stage == stage):
            said = code.sentence + {"wrong": "", "missing": " (missing)", "note": " (a note)"}[code.grade]
            rows.append(f"| `{code}` | {stage} | {INPUT[code.judge]} | {SUBJECT[code.about]} | {said} |")
    return "\n".join([BEGIN, *rows, ""])


if __name__ == "__main__":
    path = Path(sys.argv[1])
    text = path.read_text()
    path.write_text(text[: text.index(BEGIN)] + table() + text[text.index(END) :])
