"""``trickbook score``: the score keeper. It reads bids and tricks and prints the running sheet."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from cli.audit import sheet_lines
from cli.commands import Command
from cli.failures import FOUND_OTHERWISE, OK, USAGE, Failure
from cli.output import format_option, write_json
from cli.sources import TextInput, load_any_one
from cli.text import Style, ask_line, name, say, tell
from events.cards import SEATS
from events.types import GameEnded
from projections.replay.sentences import ending
from projections.sheet import sheet
from projections.textrecord import BadLine, read
from projections.textrecord.auditing import ToldGame, audit, told
from projections.textrecord.game import TextGame
from projections.textrecord.keeping import bids_of, kept, over, ruleset_of, tricks_of, with_hand, without_last, written

T = TypeVar("T")


@click.command(
    cls=Command,
    examples=(
        "trickbook score paper.txt",
        "trickbook score --north Ann --south Bo --save friday.txt",
        "trickbook score --rules 'failed_nil=bags target=300'",
    ),
)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--north", default="North", help="Who sits north, when hands are asked for")
@click.option("--south", default="South", help="Who sits south")
@click.option("--first", type=click.Choice(SEATS), default="north", show_default=True, help="First player of hand 1")
@click.option("--rules", metavar="OPTIONS", default="", help="What differs from the standard ruleset: option=value …")
@click.option(
    "--save", type=click.Path(dir_okay=False, path_type=Path), help="Keep the sheet there, or go on with the one that is"
)
@format_option("table", "json")
def score(file: str | None, north: str, south: str, first: str, rules: str, save: Path | None, form: str) -> int:
    """Keep the score: of a text record (- for standard input), or hand by hand at a terminal.

    Exit code 1: something in the file is wrong, such as a score that was written down.
    """
    if file in (None, "-") and sys.stdin.isatty():
        try:
            ruleset = ruleset_of(rules)
        except BadLine as error:
            raise Failure(f"--rules: {str(error).removeprefix('line 1: ')}", USAGE) from None
        for who in (north, south):
            if not who.strip() or "#" in who or not who.isprintable():
                raise Failure(f"'{name(who)}' is no name for a sheet", USAGE)
        where = f"rules {rules}" if rules else "the standard ruleset"
        fresh = TextGame({"north": north, "south": south}, ruleset, where, "south" if first == "south" else "north")
        return _ask((_begun(save) if save is not None else None) or fresh, save)
    loaded = load_any_one(file or "-", None)
    if not isinstance(loaded, TextInput):
        raise Failure(f"{loaded.name} is no text record: `trickbook audit` shows the score of a game", USAGE)
    return _show(loaded, form)


def _show(loaded: TextInput, form: str) -> int:
    result = audit(loaded.told, time.process_time)
    if form == "json":
        write_json(sheet(loaded.events(), loaded.told.steps()[-1].after))
    else:
        _sheet(loaded.told)
    for finding in result.findings:
        tell(f"trickbook: {loaded.name}, line {finding.line}: {finding.message}")
    if result.findings:
        tell(f"trickbook: `trickbook audit {loaded.name}` says how it may have come about")
    return FOUND_OTHERWISE if result.findings else OK


def _sheet(game: ToldGame) -> None:
    style = Style()
    for text in sheet_lines(game.events, style):
        say(text)
    ended = next((event.data for event in game.events if isinstance(event.data, GameEnded)), None)
    if ended is not None:
        say(style.good(ending(ended)))


def _ask(game: TextGame, save: Path | None) -> int:
    """Asks hand by hand until the game is over, nothing is entered, or the input ends."""
    north, south = (name(game.names[seat]) for seat in SEATS)
    if game.hands:
        _sheet(told(game))
    say("Bids are 0 to 13, nil or dn (double nil). Enter alone ends, undo takes the last hand back.")
    while not over(told(game)):
        number = len(game.hands) + 1
        answer = _answer(f"Hand {number}, bids of {north} and {south}: ")
        if answer in ("", "q", "quit"):
            break
        if answer == "undo":
            game = without_last(game)
        else:
            bids = _read(bids_of, answer)
            tricks = None
            while bids is not None and tricks is None:
                taken = _answer(f"Hand {number}, tricks {north} took: ")
                if taken in ("", "undo"):
                    break
                tricks = _read(tricks_of, taken)
            if bids is None or tricks is None:
                continue
            game = with_hand(game, bids, tricks)
        _keep(game, save)
        _sheet(told(game))
    if save is not None:
        tell(f"the sheet is in {save}")
    return OK


def _read(reading: Callable[[str], T], answer: str) -> T | None:
    """What was typed; None, with a word about it, where it cannot be read."""
    try:
        return reading(answer)
    except BadLine as error:
        say(f"{str(error).removeprefix('line 1: ')}; once more")
        return None


def _begun(save: Path) -> TextGame | None:
    """The sheet that this file holds already, to go on with. Raises `Failure` for a file that is something else."""
    if not save.exists():
        return None
    try:
        game = read(save.read_bytes())
    except (BadLine, OSError) as error:
        raise Failure(f"{save} is there already and is no sheet to go on with: {error}", USAGE) from None
    if not kept(game):
        raise Failure(f"{save} is there already and holds more than bids and tricks: name another file", USAGE)
    return game


def _answer(question: str) -> str:
    try:
        return ask_line(question).strip()
    except EOFError:
        say()
        return ""


def _keep(game: TextGame, save: Path | None) -> None:
    if save is None:
        return
    try:
        save.write_text(written(game), "utf-8")
    except OSError as error:
        raise Failure(f"{save} cannot be written: {error.strerror}", USAGE) from None
