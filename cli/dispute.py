"""``trickbook dispute``: open a dispute about a score, look at it with its report, settle it."""

from typing import Final

import click

from cli.commands import LazyGroup

COMMANDS: Final = {
    "open": "cli.disputing.opening:open_",
    "list": "cli.disputing.reading:list_",
    "show": "cli.disputing.reading:show",
    "settle": "cli.disputing.settling:settle",
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
