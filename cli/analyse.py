"""``trickbook analyse``: what each play was worth, solved exactly."""

import sys
from pathlib import Path

import click

from cli.commands import Command
from cli.failures import UNREACHABLE, USAGE, Failure
from cli.output import json_text
from cli.progress import Bar
from cli.text import say
from projections.analysis.position_file import MOST_BYTES, BadPositions, ListedPosition, read_positions, solved
from projections.analysis.solver import Solver


@click.command(
    cls=Command,
    examples=(
        "trickbook analyse --open-hands positions.json",
        "trickbook analyse --open-hands - < positions.json",
    ),
)
@click.option(
    "--open-hands",
    "positions",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
    help="A JSON list of positions with both hands open; - is standard input",
)
def analyse(positions: Path) -> None:
    """Solve positions of the play with both hands open.

    FILE is a JSON list. Each position has north and south (their cards), leads (a seat), spades_broken, and worth: what it is
    worth to north to take 0, 1, 2, … more tricks. The list is printed again with value, the worth with best play of both, and
    leads_worth, the same after each card that may be led.
    """
    _print_solved(_read(positions))


def _read(path: Path) -> list[ListedPosition]:
    """The positions of a file. Raises `Failure`."""
    name = "standard input" if str(path) == "-" else str(path)
    try:
        if str(path) == "-":
            raw = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with path.open("rb") as file:
                raw = file.read(MOST_BYTES + 1)
        return read_positions(raw)
    except FileNotFoundError:
        raise Failure(f"there is no file {path}", UNREACHABLE) from None
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}", USAGE) from None
    except BadPositions as error:
        raise Failure(f"{name} cannot be read: {error}", USAGE) from None


def _print_solved(positions: list[ListedPosition]) -> None:
    """The list as JSON, a position a line, each printed when it is solved."""
    solver, bar = Solver(), Bar("solving")
    try:
        for number, position in enumerate(positions, 1):
            text = json_text(solved(position, solver), separators=(",", ":"))
            bar.close()
            say(("[" if number == 1 else "") + text + ("]" if number == len(positions) else ","))
            bar.tick(number, len(positions), f"{number} of {len(positions)} positions")
    finally:
        bar.close()
    if not positions:
        say("[]")
