"""``trickbook show``: one moment of a game."""

from pathlib import Path

import click
import msgspec

from cli.commands import Command
from cli.output import format_option, write_json
from cli.sources import data_option, load_one, timeout_option
from cli.steps import steps_of
from cli.table import draw
from cli.text import Style, say
from projections.replay.step_lookup import step_at
from projections.replay.step_view import step_view
from projections.view import view


@click.command(
    cls=Command,
    examples=(
        "trickbook show 0k7f3x9q2m5v8w1c",
        "trickbook show GAME --at 3.5.2",
        "trickbook show game.trickbook.ndjson --at 3.s",
    ),
)
@click.argument("game", metavar="GAME")
@click.option("--at", "position", metavar="P", help="A position: v57, 3, 3.5, 3.5.2, 3.d7, 3.x1, 3.b2, 3.s [default: the end]")
@click.option("--as", "viewer", type=click.Choice(("north", "south", "all")), help="Whose cards to show")
@format_option("table", "json")
@timeout_option
@data_option
def show(game: str, position: str | None, viewer: str | None, form: str, data: Path | None) -> int:
    """Show one position: the moment just after it."""
    loaded = load_one(game, data)
    found = steps_of(loaded, viewer)
    step = step_at(found.steps, position) if position else found.steps[-1]
    if form == "json":
        seen = msgspec.to_builtins(view(step.after.open, "", None))
        del seen["head"]
        write_json(seen | {"step": step_view(step)})
        return found.exit_code
    style = Style()
    say(style.heading(f"Game {loaded.source.game} at {step.position} (version {step.version})"))
    say(step.text)
    draw(step.after, style)
    return found.exit_code
