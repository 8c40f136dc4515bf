"""The forms in which the audits of many games are written: those that are not fine, named, or one entry a game."""

import sys
from typing import Any, Final, Protocol

from cli.bulk.tally import Tally
from cli.bulk.units import UnitOutcome
from cli.output import write_csv_row, write_json, write_json_line
from cli.text import Style, name, say, tell

_SHOWN: Final = 3
_COLUMNS: Final = ("game", "from", "verdict", "findings", "position", "code", "version", "message")


class Form(Protocol):
    """Writes what is found, one game after the other, so that nothing is held."""

    is_its_own_progress: bool
    """Whether lines come to the terminal all the time, so that a bar would only be in their way."""

    def disturbs(self, found: UnitOutcome) -> bool:
        """Whether `one` would write across a bar on the same terminal."""

    def one(self, found: UnitOutcome) -> None:
        """Writes one game."""

    def end(self, tally: Tally, summary: str) -> None:
        """Writes what is left to say."""


def form_of(kind: str) -> Form:
    """The form of ``--format``."""
    forms: dict[str, type[Form]] = {"table": _Table, "json": _Json, "ndjson": _Lines, "csv": _Csv}
    return forms[kind]()


class _Table(Form):
    """For people: whatever is not fine, and a sentence at the end."""

    is_its_own_progress = False

    def __init__(self) -> None:
        self._style = Style()

    def disturbs(self, found: UnitOutcome) -> bool:
        return found.grade != "ok" and sys.stdout.isatty()

    def one(self, found: UnitOutcome) -> None:
        if found.grade == "ok":
            return
        if not found.findings:
            say(f"{self._style.bad(_word(found))}  {name(found.name)}: {name(found.message)}")
            return
        game = found.answer["game"]
        which = f"  game {game}" if game and game not in found.name else ""
        say(f"{self._style.bad('BAD')}  {name(found.name)}{which}")
        for finding in found.findings[:_SHOWN]:
            say(f"     {self._style.bad(_at(finding))}  {finding['message']} ({_place(finding)})")
        more = len(found.findings) - _SHOWN
        if more > 0:
            say(f"     and {more} more finding{'s' if more > 1 else ''}")

    def end(self, tally: Tally, summary: str) -> None:
        say((self._style.good if tally.ok == tally.games else self._style.bad)(summary))


class _Machine:
    """What those for machines have in common: the summary goes to standard error, with the first that are not fine."""

    def __init__(self) -> None:
        self.is_its_own_progress = sys.stdout.isatty()

    def disturbs(self, found: UnitOutcome) -> bool:
        return self.is_its_own_progress

    def end(self, tally: Tally, summary: str) -> None:
        for found in tally.named:
            if found.findings:
                said = f"BAD  {name(found.name)}  {_at(found.findings[0])}"
            else:
                said = f"{_word(found)}  {name(found.name)}: {name(found.message)}"
            tell(said)
        more = tally.games - tally.ok - len(tally.named)
        if more > 0:
            tell(f"and {more} more")
        tell(summary)


class _Lines(_Machine, Form):
    """NDJSON: the whole answer of a game in a line."""

    def one(self, found: UnitOutcome) -> None:
        write_json_line(found.answer)
        sys.stdout.flush()


class _Json(_Machine, Form):
    """One JSON array of the whole answers, written as they come; it is closed on every way out."""

    def __init__(self) -> None:
        super().__init__()
        self._begun = False

    def one(self, found: UnitOutcome) -> None:
        before = "," if self._begun else "["
        self._begun = True
        say(before)
        write_json(found.answer, "  ", "  ")

    def end(self, tally: Tally, summary: str) -> None:
        say("]" if self._begun else "[]")
        super().end(tally, summary)


class _Csv(_Machine, Form):
    """A row a game, with its first finding."""

    def __init__(self) -> None:
        super().__init__()
        write_csv_row(_COLUMNS)

    def one(self, found: UnitOutcome) -> None:
        first: dict[str, Any] = found.findings[0] if found.findings else {"message": found.message}
        version = first.get("version", first.get("line", ""))
        row = [found.answer["game"] or "", found.name, found.answer["verdict"], len(found.findings)]
        row += [first.get("position", ""), first.get("code", ""), version, first["message"]]
        write_csv_row(row)


def _word(found: UnitOutcome) -> str:
    """The word for a game without a finding that is not fine."""
    return "INCOMPLETE" if found.grade == "text_incomplete" else "NOT CHECKED"


def _at(finding: dict[str, Any]) -> str:
    return f"{finding['position']}  {finding['code']}"


def _place(finding: dict[str, Any]) -> str:
    return f"event {finding['version']}" if "version" in finding else f"line {finding['line']}"
