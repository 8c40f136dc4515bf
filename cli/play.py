"""``trickbook play``: a game in the terminal, against the house or against a friend anywhere."""

import getpass
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from cli.commands import Command
from cli.failures import INTERRUPTED, OK, USAGE, Failure
from cli.sources import data_option
from cli.text import Style, ask_line, say, tell

_LAST = "\x00last"  # --resume without a game


@click.command(
    cls=Command,
    examples=(
        "trickbook play",
        "trickbook play --friend --name Ann",
        "trickbook play --join 'http://127.0.0.1:8000/g/0k7f3x9q2m5v8w1c#join=...' --name Bo",
        "trickbook play --server https://trickbook.example --rules target=300,failed_nil=bags",
        "trickbook play --resume",
    ),
)
@click.option("--server", metavar="URL", help="The service to play on [default: one of our own]")
@click.option("--friend", is_flag=True, help="Against whoever opens the link (what --server means without --house)")
@click.option("--house", is_flag=True, help="Against the house (the default without --server)")
@click.option("--join", "link", metavar="LINK", help="Take the other seat of a friend's game")
@click.option("--resume", metavar="[GAME]", is_flag=False, flag_value=_LAST, help="Go on with a game that was left")
@click.option("--name", "own_name", metavar="NAME", help="What you are called at the table")
@click.option("--rules", "rules", metavar="OPTION=VALUE,...", multiple=True, help="What differs from the standard rules")
@click.option("--receipts", type=click.Path(dir_okay=False, path_type=Path), help="File for the receipts you are given")
@click.option("--first", type=click.Choice(("north", "south")), help="Who drafts first in hand 1; you are north")
@data_option
def play(
    server: str | None,
    friend: bool,
    house: bool,
    link: str | None,
    resume: str | None,
    own_name: str | None,
    rules: tuple[str, ...],
    first: str | None,
    receipts: Path | None,
    data: Path | None,
) -> int:
    """Play Spades in this terminal. Ctrl-C leaves, --resume goes on, also after a crash.

    Without a terminal it reads a line when it is your turn and prints what happens, so that a script can play.
    """
    from cli.playing import opening
    from cli.playing.session import Session, Shelf
    from service.embedded import prepare
    from service.runtime.compose import data_directory

    _require_sense(server, friend, house, link, resume, bool(rules or first))
    directory = prepare(data_directory(os.environ, data)).root
    shelf = Shelf(directory)
    invite = None
    asked: dict[str, Any] = {}
    if resume is not None:
        session = shelf.unfinished(None if resume == _LAST else resume, own_name)
    elif link is not None:
        base, game, invite = opening.invitation(link)
        known = shelf.find(game, "south")
        session = known or Session(game=game, seat="south", name=_name(own_name, ask=True), server=base)
        if known is None or known.over:
            session.server, session.over = base, False
    else:
        base = opening.address(server) if server else ""
        against_house = house or not (server or friend)
        asked = {"rules": opening.rules_of(rules), **({"first": first} if first else {})}
        asked |= {"opponent": "house"} if against_house else {}
        who = _name(own_name, ask=not against_house)
        session = Session(game="", seat="north", name=who, server=base or None, house=against_house)
    with ExitStack() as stack:
        if session.server is None:
            tell("starting the service on your data directory")
        client, mend, port = stack.enter_context(opening.service(session.server, directory, session.port))
        session.port = port
        session.receipts = str(receipts.absolute()) if receipts else session.receipts
        if session.game:
            stack.enter_context(shelf.held(session))
            player = opening.take_seat(client, shelf, session, asked, invite)
        else:
            player = opening.take_seat(client, shelf, session, asked, invite)
            stack.enter_context(shelf.held(session))
        shelf.save(session)
        return _sit(opening.Seat(session, player, shelf.kept(session), mend), shelf, data)


def _require_sense(server: str | None, friend: bool, house: bool, link: str | None, resume: str | None, settled: bool) -> None:
    """Raises `Failure` for options that do not go together; `settled` are options of a new game."""
    if friend and house:
        raise Failure("--friend and --house are two opponents: give one", USAGE)
    if link is not None and resume is not None:
        raise Failure("--join and --resume are two games: give one", USAGE)
    if (link is not None or resume is not None) and (server or friend or house or settled):
        which = "--join" if link is not None else "--resume"
        raise Failure(f"{which} is a game that exists: its service, opponent and rules are settled", USAGE)


def _name(given: str | None, *, ask: bool) -> str:
    """The player's name; asked for where it goes to somebody else and somebody can be asked."""
    if given is not None:
        return given
    from service.base.names import entered

    try:
        user = entered(getpass.getuser()) or "Player"
    except (OSError, KeyError, ImportError):  # a user without an entry
        user = "Player"
    if not ask:
        return user
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("say who you are: --name NAME", USAGE)
    try:
        return ask_line(f"Your name [{user}]: ").strip() or user
    except EOFError:
        raise click.Abort from None


def _sit(seat: Any, shelf: Any, data: Path | None) -> int:
    """Plays; says afterwards how it ended, or how to go on."""
    from cli.playing import scores
    from cli.playing.lines import Lines
    from cli.playing.loop import Left, Loop
    from cli.playing.terminal import Terminal, why_not
    from cli.playing.window import Window

    session = seat.session
    if session.link and not session.over:
        say(f"The link for your friend: {session.link}")
    where = f" --data {data}" if data else ""
    try:
        if why_not() is None:
            with Terminal() as terminal:
                state = Loop(seat, shelf, Window(terminal)).run()
        else:
            state = Loop(seat, shelf, Lines()).run()
    except (Left, KeyboardInterrupt):
        tell(f"Continue the game with: trickbook play --resume {session.game}{where}")
        return INTERRUPTED
    style = Style()
    for line in scores.sheet_lines(state, style) if why_not() is None else ():
        say(line)
    say(scores.result(state, style))
    game = session.game if session.server is None else f"{session.server}/g/{session.game}"
    say(f"Look at it again: trickbook replay --step {game}{where}")
    say(f"Check it:         trickbook audit {game}{where}")
    source = f"verify {game.replace('/g/', '/v1/games/')}" if session.server else f"export {game}{where} | trickbook verify -"
    say(f"Trust nobody:     trickbook {source} --receipts {seat.kept}")
    return OK
