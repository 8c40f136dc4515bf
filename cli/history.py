"""``trickbook history``: the games whose history was lost, and the end of those that cannot go on."""

import os
from pathlib import Path

import click

from cli.commands import Command, Entry, LazyGroup
from cli.failures import NOT_ALLOWED, NOT_TRUSTED, UNREACHABLE, USAGE, Failure
from cli.output import format_option, write_rows
from cli.sources import data_option, opened
from cli.text import name as harmless
from cli.text import tell
from events.keys import is_game_id
from service.games.refusals import Refused

_CODES = {"bad_reason": USAGE, "no_such_game": UNREACHABLE, "history_lost": NOT_TRUSTED, "log_damaged": NOT_TRUSTED}


@click.group(
    cls=LazyGroup,
    lazy={
        "list": Entry("cli.history:list_", "List the frozen games, with what each had and what is left"),
        "accept-loss": Entry("cli.history:accept_loss", "End a frozen game of which no newer copy is left"),
    },
    examples=("trickbook history list", 'trickbook history accept-loss 0k7f3x9q2m5v8w1c --why "the disk died"'),
)
def history() -> None:
    """The games whose history was lost because an older copy of the store was put back."""


@click.command("list", cls=Command, examples=("trickbook history list", "trickbook history list --format json"))
@format_option("table", "json", "ndjson", "csv")
@data_option
def list_(form: str, data: Path | None) -> None:
    """List the frozen games, with the version that each had once and the one that its log has now."""
    rows = []
    with opened(data) as store:
        for game in sorted(store.frozen_games()):
            proof = store.frozen(game)
            left = store.place(game, 2**53).version
            rows.append([game, proof.version if proof else "", left])
    if not rows and form == "table":
        tell("no game is frozen")
        return
    write_rows(form, ("game", "had", "has"), rows, right=(1, 2))


@click.command(
    "accept-loss", cls=Command, examples=('trickbook history accept-loss 0k7f3x9q2m5v8w1c --why "the disk died, no copy"',)
)
@click.argument("game", metavar="GAME")
@click.option("--why", required=True, metavar="TEXT", help="Why no copy is left; everybody reads it")
@data_option
def accept_loss(game: str, why: str, data: Path | None) -> None:
    """End a frozen game of which no newer copy is left.

    A note in the log of the game, signed like every event, says which version was lost and why; `trickbook audit` and every
    verifier report it. Then play is abandoned, and nobody wins. There is no way back: if a newer
    copy is found later, it contradicts this log. Of a game without a log, the operator's journal alone says that it was lost.
    """
    from service.base.clock import SystemClock
    from service.base.entropy import Csprng
    from service.games.handler import Games
    from service.operations.operator_actions import accept_loss as accept
    from service.runtime.compose import data_directory, open_identity, open_store
    from service.runtime.history import keeping

    if not is_game_id(game):
        raise Failure(f"{harmless(game)} is not the id of a game (16 characters, 0-9 and a-z without i, l, o, u)", USAGE)
    directory = data_directory(os.environ, data)
    with open_store(os.environ, directory) as found, keeping(directory, found) as kept:
        games = Games(found.store, open_identity(os.environ, directory, found.store), SystemClock(), Csprng())
        games.recorded = kept.high_water.add
        try:
            lost = accept(games, game, why)
        except Refused as refusal:
            raise Failure(refusal.message, _CODES.get(refusal.code, NOT_ALLOWED)) from None
        has_log = any(True for _ in found.store.ends([game]))
    if has_log:
        tell(f"game {game} is over: a note in its log says that version {lost.version} was lost")
    else:
        tell(f"game {game} has no log; your journal says that version {lost.version} was lost (`trickbook operator` shows it)")
