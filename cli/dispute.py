"""``trickbook dispute``: open a dispute about a score, look at it with its report, settle it."""

from typing import Final

import click

from cli.commands import Entry, LazyGroup

COMMANDS: Final = {
    "open": Entry("cli.disputing.opening:open_", "Open a dispute as a player of the game"),
    "list": Entry("cli.disputing.reading:list_", "List the disputes of a game"),
    "show": Entry("cli.disputing.reading:show", "Show a dispute with its report"),
    "settle": Entry("cli.disputing.settling:settle", "Settle a dispute as the operator"),
}


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    examples=(
        "trickbook dispute open 0k7f3x9q2m5v8w1c --claim north=104,south=55 --at 3.s",
        "trickbook dispute list 0k7f3x9q2m5v8w1c",
        "trickbook dispute show 0k7f3x9q2m5v8w1c 1",
        "trickbook dispute settle 0k7f3x9q2m5v8w1c 1 --rejected --reason 'Failed nils bring bags here.'",
    ),
)
def dispute() -> None:
    """A dispute about a score, as events: a player opens it, both players and the operator read the report, the operator
    settles it, and puts right what was recorded wrongly.
    """
