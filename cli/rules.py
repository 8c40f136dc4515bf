"""``trickbook rules``: the options a game may be created with, or those a game was created with."""

from pathlib import Path

import click

from cli.commands import Command
from cli.failures import NOT_TRUSTED, Failure
from cli.output import format_option, write_rows
from cli.sources import data_option, load_one, timeout_option
from events.ruleset import OPTIONS, STANDARD, BadRule, stored
from events.types import GameCreated

HEADINGS = ("option", "value", "may_be", "meaning")


@click.command(cls=Command, examples=("trickbook rules", "trickbook rules 0k7f3x9q2m5v8w1c"))
@click.argument("game", metavar="[GAME]", required=False)
@format_option("table", "json", "ndjson", "csv")
@timeout_option
@data_option
def rules(game: str | None, form: str, data: Path | None) -> None:
    """Print the standard ruleset and what each option may be, or the rules a game is played under."""
    ruleset = STANDARD
    if game is not None:
        events = load_one(game, data).events()
        created = events[0].data if events else None
        if not isinstance(created, GameCreated):
            raise Failure(f"{game} does not begin with its rules: `trickbook audit` says what is wrong with it", NOT_TRUSTED)
        try:
            ruleset = stored(created.rules)
        except BadRule as error:
            raise Failure(f"the rules of {game} are none: {error}", NOT_TRUSTED) from None
    rows = []
    for option_name, option in OPTIONS.items():
        value = getattr(ruleset, option_name)
        changed = " *" if value != option.standard and form == "table" else ""
        shown = "none" if value is None else value
        rows.append([option_name, f"{shown}{changed}" if changed else shown, _may_be(option_name), option.meaning])
    write_rows(form, HEADINGS, rows)


def _may_be(option_name: str) -> str:
    option = OPTIONS[option_name]
    text = " ".join(option.choices) if option.choices else f"{option.lowest} to {option.highest}"
    return f"none, {text}" if option.optional else text
