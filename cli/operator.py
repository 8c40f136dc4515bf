"""``trickbook end``, ``hide``, ``operator``: what whoever runs the service may do to games and names, and its journal."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from cli.commands import Command
from cli.failures import NOT_ALLOWED, NOT_TRUSTED, UNREACHABLE, USAGE, Failure
from cli.output import format_option, write_rows
from cli.sources import data_option, opened
from cli.text import name as harmless
from cli.text import tell, utc
from events.keys import is_game_id
from service.games.refusals import Refused

why_option = click.option("--why", required=True, metavar="TEXT", help="The reason; it is kept in the journal")

_CODES = {
    "bad_reason": USAGE,
    "bad_name": USAGE,
    "no_such_game": UNREACHABLE,
    "history_lost": NOT_TRUSTED,
    "log_damaged": NOT_TRUSTED,
}


@contextmanager
def _told() -> Iterator[None]:
    """What was refused, as a failure of the command."""
    try:
        yield
    except Refused as refusal:
        raise Failure(refusal.message, _CODES.get(refusal.code, NOT_ALLOWED)) from None


@click.command(cls=Command, examples=('trickbook end 0k7f3x9q2m5v8w1c --why "asked for by both players"',))
@click.argument("game", metavar="GAME")
@why_option
@data_option
def end(game: str, why: str, data: Path | None) -> None:
    """End a game that is being played: it is abandoned, and nobody wins.

    GAME is an id. The end is an event like any other, signed by the service; the reason goes into the journal (`trickbook
    operator`). It needs the service's secrets, so it is run where they are.
    """
    from service.base.clock import SystemClock
    from service.base.entropy import Csprng
    from service.games.handler import Games
    from service.operations.operator_actions import end_game
    from service.runtime.compose import data_directory, open_identity, open_store
    from service.runtime.history import keeping

    if not is_game_id(game):
        raise Failure(f"{harmless(game)} is not the id of a game (16 characters, 0-9 and a-z without i, l, o, u)", USAGE)
    directory = data_directory(os.environ, data)
    with open_store(os.environ, directory) as found, keeping(directory, found) as history:
        games = Games(found.store, open_identity(os.environ, directory, found.store), SystemClock(), Csprng())
        games.recorded = history.high_water.add
        with _told():
            end_game(games, game, why)
    tell(f"game {game} is abandoned: nobody wins")


@click.command(
    cls=Command, examples=('trickbook hide "Ann" --why "an insult"', 'trickbook hide "Ann" --undo --why "a mistake"')
)
@click.argument("name", metavar="NAME")
@why_option
@click.option("--undo", is_flag=True, help="Show the name again")
@data_option
def hide(name: str, why: str, undo: bool, data: Path | None) -> None:
    """Show a name as (hidden), in every game and list, from a few seconds on.

    It is the name exactly as it is written, upper and lower case included. The bytes of the logs stay: `events --format
    ndjson`, records and receipts hold it for ever, and whoever verifies a game sees that nothing was changed.
    """
    from service.operations.operator_actions import hide_name

    with opened(data) as store, _told():
        done = hide_name(store, name, why, undo=undo)
    state = "is shown" if undo else "is hidden"
    tell(f"{harmless(name)} {state}" if done else f"{harmless(name)} {state} already: nothing was noted")


@click.command(cls=Command, examples=("trickbook operator", "trickbook operator --format ndjson"))
@format_option("table", "json", "ndjson", "csv")
@data_option
def operator(form: str, data: Path | None) -> None:
    """List what the operator did to games and names, when and why, the first act first."""
    with opened(data) as store:
        notes = store.notes()
    if not notes and form == "table":
        tell("the operator has ended no game and hidden no name")
        return
    rows = [[utc(note.at), note.kind, note.game or harmless(note.name or ""), harmless(note.why)] for note in notes]
    write_rows(form, ("time", "act", "what", "why"), rows)
