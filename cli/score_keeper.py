"""The score keeper at a terminal: it asks hand by hand, shows the running sheet, and keeps it in a file."""

import re
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from cli.audit import sheet_lines
from cli.failures import FOUND_OTHERWISE, OK, USAGE, Failure
from cli.sheet_file import SheetFile
from cli.text import Style, ask_line, name, say, tell
from events.cards import SEATS, Seat
from events.ruleset import STANDARD, Ruleset
from events.types import GameEnded
from projections.replay.sentences import ending
from projections.sheet_keeping import Edit, KeptSheet, bids_of, fresh, problem, tricks_of, with_hand, without_last
from projections.textaudit.auditing import ToldGame, audit
from projections.textrecord import BadLine

T = TypeVar("T")
_LONGEST_NAME: Final = 64
_LOST_SHOWN: Final = 8


class Keeper:
    """Asks hand by hand, and keeps the sheet in a file where one is named."""

    def __init__(self, save: Path | None) -> None:
        self._file = SheetFile(save) if save is not None else None
        self._refused = False

    def keep(self, names: Mapping[Seat, str], rules: Ruleset | None, first: Seat | None) -> int:
        """Asks until nothing is entered, or the input ends."""
        sheet_ = self._file.open() if self._file is not None else None
        pending = ""
        if sheet_ is not None:
            self._check_open(sheet_, names, rules, first)
            for note in sheet_.game.notes:
                tell(f"note: {note}")
            print_sheet(sheet_.played())
            for finding in audit(sheet_.played(), time.process_time).findings:
                tell(f"trickbook: line {finding.line}: {finding.message}")
        else:
            players, pending = (dict(names), "") if names else _asked_names()
            players = {seat: players.get(seat, seat.capitalize()) for seat in SEATS}
            sheet_ = fresh({seat: said.strip() for seat, said in players.items()}, rules or STANDARD, first or "north")
        say("Bids are 0 to 13, nil or dn (double nil). Enter alone ends, undo takes the last hand back.")
        while (edit := self._next(sheet_, pending)) is not None:
            pending = ""
            if edit.sheet is sheet_ or not self._kept(edit):
                continue
            sheet_ = edit.sheet
            print_sheet(sheet_.played())
        if self._file is not None:
            tell(
                f"the sheet is in {self._file.path}" if self._file.path.exists() else "no hand was entered: no file was written"
            )
        return FOUND_OTHERWISE if self._refused else OK

    def _check_open(self, sheet_: KeptSheet, names: Mapping[Seat, str], rules: Ruleset | None, first: Seat | None) -> None:
        """Raises `Failure` where the sheet in the file cannot be continued, or says something else than the options."""
        assert self._file is not None
        path, game = self._file.path, sheet_.game
        if why := problem(game):
            raise Failure(f"{path} is there already and cannot be continued: {why}; name another file", USAGE)
        for seat, said in names.items():
            if game.names.get(seat, said) != said:
                raise Failure(f"in {path}, {seat} is {name(game.names[seat])}: leave out --{seat}, or name another file", USAGE)
        if rules is not None and rules != game.rules:
            raise Failure(f"{path} has other rules ({game.rules_at}): leave out --rules, or name another file", USAGE)
        if first is not None and first != game.first:
            raise Failure(f"in {path}, {game.first} is the first player: leave out --first, or name another file", USAGE)

    def _next(self, sheet_: KeptSheet, pending: str) -> Edit | None:
        """What comes of the next answer: a changed sheet, the same one where nothing came of it, None at the end."""
        names, number = called(sheet_.played()), len(sheet_.game.hands) + 1
        over = sheet_.is_over()
        asked = "The game is over; undo takes the last hand back, Enter ends: "
        question = asked if over else f"Hand {number}, bids of {names['north']} and {names['south']}: "
        answer = pending or _answer(question)
        if answer.lower() in ("", "q", "quit"):
            return None
        if answer.lower() == "undo":
            if not sheet_.game.hands:
                say("there is no hand to take back")
                return Edit(sheet_)
            return without_last(sheet_)
        if over:
            return Edit(sheet_)
        bids = _read(lambda text: bids_of(text, sheet_.game.names), answer)
        while bids is not None:
            taken = _answer(f"Hand {number}, tricks {names['north']} took: ")
            if taken.lower() in ("", "undo"):
                break
            tricks = _read(lambda text: tricks_of(text, sheet_.game.names), taken)
            if tricks is not None:
                return with_hand(sheet_, bids, tricks)
        return Edit(sheet_)

    def _kept(self, edit: Edit) -> bool:
        """Whether a changed sheet is kept: what would be lost is asked for, and the file is written."""
        if self._file is None:
            return True
        self._refused = not agreed(edit.lost, "remove")
        if self._refused:
            tell(f"nothing was written to {self._file.path}")
            return False
        self._file.write(edit.sheet.text)
        return True


def _asked_names() -> tuple[dict[Seat, str], str]:
    """The names of the players as they are typed, and what was typed in their place: the bids of hand 1."""
    while True:
        answer = _answer("Players, north first, such as Ann, Bo (Enter: North, South): ")
        if not answer:
            return {}, ""
        try:
            bids_of(answer)
        except BadLine:
            pass
        else:
            return {}, answer
        parts = [part.strip() for part in re.split(r"\s*,\s*|\s+and\s+|\s*/\s*", answer) if part.strip()]
        parts = parts if len(parts) != 1 else parts[0].split()
        try:
            for part in parts:
                check_name(part)
        except Failure as error:
            say(f"{error}; once more")
            continue
        if len(parts) == len(SEATS):
            return dict(zip(SEATS, parts, strict=True)), ""
        say("expected two names, with a comma between them; once more")


def _read(reading: Callable[[str], T], answer: str) -> T | None:
    """What was typed; None, with a word about it, where it cannot be read."""
    try:
        return reading(answer)
    except BadLine as error:
        say(f"{error.message}; once more")
        return None


def _answer(question: str) -> str:
    try:
        return ask_line(question).strip()
    except EOFError:
        say()
        return ""


def check_name(said: str) -> None:
    """Raises `Failure` unless the text can be a name on a sheet."""
    if not 0 < len(said.strip()) <= _LONGEST_NAME or "#" in said or not said.isprintable() or said.strip().startswith(":"):
        text = f"'{name(said)}' cannot be a name on a sheet: use 1 to {_LONGEST_NAME} printable characters without #"
        raise Failure(text, USAGE)


# What is shown and asked ------------------------------------------------------------------------------------------------


def print_sheet(game: ToldGame) -> None:
    """The running sheet, the players' names first."""
    style = Style()
    names = called(game)
    if game.game.names:
        say(style.heading(" and ".join(f"{name(game.game.names[seat])} ({seat})" for seat in SEATS if seat in game.game.names)))
    for text in sheet_lines(game.events, style, names):
        say(text)
    ended = next((event.data for event in game.events if isinstance(event.data, GameEnded)), None)
    if ended is not None:
        say(style.good(ending(ended, names)))


def called(game: ToldGame) -> dict[Seat, str]:
    """What the players are called on the sheet: by name, and by seat where there is none or both have one."""
    names: dict[Seat, str] = {seat: name(game.game.names.get(seat, seat)) for seat in SEATS}
    if names["north"].lower() == names["south"].lower():
        return {seat: f"{names[seat]} ({seat})" for seat in SEATS}
    return names


def agreed(lost: list[str] | tuple[str, ...], verb: str) -> bool:
    """Whether somebody at the terminal agrees that these lines go; True where there are none."""
    if not lost:
        return True
    tell(f"This would {verb}:")
    for line in lost[:_LOST_SHOWN]:
        tell(f"  {name(line)}")
    if len(lost) > _LOST_SHOWN:
        tell(f"  and {len(lost) - _LOST_SHOWN} more")
    if not sys.stdin.isatty():
        tell("trickbook: that is not done without asking, and there is no terminal to ask at")
        return False
    return _answer("Do it? [y/N] ").lower() in ("y", "yes")
