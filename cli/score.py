"""``trickbook score``: the running sheet of a text record, with its scores worked out, and the score keeper at a terminal."""

import sys
import time
from pathlib import Path

import click

from cli.commands import Command
from cli.failures import FOUND_OTHERWISE, OK, USAGE, Failure
from cli.output import format_option, write_json, write_rows
from cli.score_keeper import Keeper, agreed, check_name, print_sheet
from cli.sheet_file import SheetFile, opened
from cli.sheet_rows import COLUMNS, sheet_rows
from cli.sources import TextInput, load_any_one
from cli.text import name, tell
from events.cards import SEATS, Seat
from events.ruleset import Ruleset
from projections.sheet import sheet
from projections.sheet_keeping import Edit, completed, ruleset_of, unscored
from projections.textaudit.auditing import ToldGame, audit
from projections.textrecord import BadLine
from projections.textrecord.reader import MOST_BYTES


@click.command(
    cls=Command,
    examples=(
        "trickbook score paper.txt",
        "trickbook score paper.txt --format csv > paper.csv",
        "trickbook score paper.txt --save paper.txt",
        "trickbook score --north Ann --south Bo --save friday.txt",
        "trickbook score --rules 'failed_nil=bags target=300'",
    ),
)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--north", help="Name of the player who sits north [default: you are asked]")
@click.option("--south", help="Name of the player who sits south")
@click.option("--first", type=click.Choice(SEATS), help="First player of hand 1 [default: north]")
@click.option("--rules", metavar="OPTIONS", default="", help="What differs from the standard ruleset: option=value …")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the sheet in this file, or continue the sheet in it; with FILE, write its scores there",
)
@format_option("table", "json", "csv")
def score(
    file: str | None, north: str | None, south: str | None, first: Seat | None, rules: str, save: Path | None, form: str
) -> int:
    """Keep the score: of a text record (- for standard input), or hand by hand at a terminal.

    A sheet that is saved is edited, not written again: comments and spacing stay. A figure that somebody wrote down is
    replaced, and a comment dropped, only if you say so at the terminal.

    Exit code 1: something in the file is wrong, such as a score that was written down, or nothing was saved for want of
    your consent.
    """
    if file in (None, "-") and sys.stdin.isatty():
        names = {seat: said for seat, said in zip(SEATS, (north, south), strict=True) if said is not None}
        for said in names.values():
            check_name(said)
        return Keeper(save).keep(names, _ruleset(rules) if rules else None, first)
    if save is not None:
        return _complete(file or "-", save, form)
    loaded = load_any_one(file or "-", None)
    if not isinstance(loaded, TextInput):
        raise Failure(f"{loaded.name} is no text record: `trickbook audit` shows the score of a game", USAGE)
    return _show(loaded.name, loaded.told, form)


def _ruleset(rules: str) -> Ruleset:
    try:
        return ruleset_of(rules)
    except BadLine as error:
        raise Failure(f"--rules: {error.message}", USAGE) from None


def _show(called: str, game: ToldGame, form: str) -> int:
    result = audit(game, time.process_time)
    if form == "json":
        write_json(sheet(game.events, game.steps()[-1].after))
    elif form == "csv":
        write_rows("csv", COLUMNS, sheet_rows(game.events, game.game.names))
    else:
        print_sheet(game)
    called = name(called)
    for hand in game.game.hands:
        if hand.number > len(game.facts().hands):
            tell(f"trickbook: {called}, line {hand.lines['hand']}: hand {hand.number} is left out: {unscored(hand)}")
    for finding in result.findings:
        tell(f"trickbook: {called}, line {finding.line}: {finding.message}")
    if result.findings:
        tell(f"trickbook: `trickbook audit {called}` says how it may have come about")
    return OK if result.verdict == "ok" else FOUND_OTHERWISE


def _complete(file: str, save: Path, form: str) -> int:
    """Writes a sheet with its scores worked out."""
    if file == "-":
        sheet_, _ = opened("standard input", sys.stdin.buffer.read(MOST_BYTES + 1))
    else:
        source = SheetFile(Path(file))
        found = source.open()
        if found is None:
            raise Failure(f"there is no sheet {file}", USAGE)
        sheet_ = found
    for note in sheet_.game.notes:
        tell(f"note: {name(file)}, {note}")
    edit = completed(sheet_)
    target = SheetFile(save)
    there = target.open()
    lost = list(edit.lost)
    if there is not None and there.text not in (sheet_.text, edit.sheet.text):
        lost.append(f"all that is in {save} now")
    code = _show(file, sheet_.played(), form)
    if not agreed(lost, "replace"):
        tell(f"trickbook: nothing was written to {save}")
        return FOUND_OTHERWISE
    target.write(edit.sheet.text)
    tell(f"the sheet is in {save}")
    return _after(code, edit)


def _after(code: int, edit: Edit) -> int:
    """The exit code of a sheet that was wrong before it was put right."""
    return OK if code and audit(edit.sheet.played(), time.process_time).verdict == "ok" else code
