"""``trickbook explain``: why one moment of a game was as it was."""

from pathlib import Path

import click

from cli.commands import Command
from cli.failures import UNREACHABLE, Failure
from cli.output import format_option, write_json
from cli.sources import GameInput, TextInput, data_option, load_any_one, timeout_option
from cli.steps import Steps, between, steps_of
from cli.text import Style, say, wrapped
from projections.claims import facts_of
from projections.claims.evidence import explained
from projections.positions import BadPosition
from projections.replay.step_lookup import step_at
from projections.replay.walk import Step


@click.command(
    cls=Command,
    examples=(
        "trickbook explain 0k7f3x9q2m5v8w1c 3.5.2",
        "trickbook explain game.trickbook.ndjson 3.s",
        "trickbook explain paper.txt 3.5 --as south",
    ),
)
@click.argument("game", metavar="GAME")
@click.argument("position", metavar="P")
@click.option("--as", "viewer", type=click.Choice(("north", "south", "all")), help="Whose cards to show")
@format_option("table", "json")
@timeout_option
@data_option
def explain(game: str, position: str, viewer: str | None, form: str, data: Path | None) -> int:
    """Explain a position: why a card was legal or the only one, why the trick went where it did, where a score comes from.

    P is v57, 3 (a hand: its score), 3.5 (a trick: both its cards), 3.5.2, 3.d7, 3.x1, 3.b2 or 3.s.
    """
    loaded = load_any_one(game, data)
    found = steps_of(loaded, viewer)
    chosen = _chosen(loaded, found, position)
    facts = loaded.told.facts() if isinstance(loaded, TextInput) else facts_of(loaded.events())
    told = [explained(facts, step, found.steps[-1]) for step in chosen]
    if form == "json":
        write_json(told[0] if len(told) == 1 else told)
        return found.exit_code
    style = Style()
    for step, explanation in zip(chosen, told, strict=True):
        say(style.heading(step.position))
        for sentence in explanation.sentences:
            wrapped(f"  {sentence}", "    ", style)
        if (held := explanation.held) is not None:
            wrapped(f"  {held.seat.capitalize()} held {' '.join(held.hand)} ({held.open_to}).", "    ", style)
    return found.exit_code


def _chosen(loaded: GameInput | TextInput, found: Steps, position: str) -> list[Step]:
    """The steps to explain: both cards of a trick, the score of a hand, else the one moment. Raises `Failure`."""
    try:
        if position.count(".") == 1 and position.split(".")[1].isdigit():
            return between(found.steps, position, position)
        if position.isdigit() and any(step.position == f"{position}.s" for step in found.steps):
            position += ".s"
        return [step_at(found.steps, position)]
    except BadPosition as error:
        missing = loaded.told.missing(position) if isinstance(loaded, TextInput) else ""
        if not missing:
            raise
        raise Failure(f"{error} ({missing})", UNREACHABLE) from None
