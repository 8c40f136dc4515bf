"""``trickbook dispute settle``: the operator's word, signed with the identity of the data directory."""

import os
import re
import secrets
from pathlib import Path
from typing import Final

import click

from cli.commands import Command
from cli.failures import FOUND_OTHERWISE, NOT_ALLOWED, NOT_TRUSTED, OK, UNREACHABLE, USAGE, Failure
from cli.output import format_option, write_json
from cli.sources import data_option
from cli.text import say
from events.canonical import NotCanonical, encode
from events.cards import SEATS, Seat
from events.keys import is_game_id
from events.types import MOST_TEXT

_CORRECTION: Final = re.compile(r"(?P<hand>[1-9][0-9]{0,2}):(?P<seat>north|south)=(?P<points>[+-]?[0-9]{1,6})\Z")
_CODES: Final = {
    "no_such_game": UNREACHABLE,
    "no_such_dispute": UNREACHABLE,
    "unfounded_correction": FOUND_OTHERWISE,
    "not_allowed": NOT_ALLOWED,
    "key_missing": NOT_ALLOWED,
    "log_damaged": NOT_TRUSTED,
    "history_lost": NOT_TRUSTED,
}


@click.command(
    cls=Command,
    examples=(
        "trickbook dispute settle GAME 1 --rejected --reason 'Tricks of a failed nil are bags here (event 1).'",
        "trickbook dispute settle GAME 2 --upheld --reason 'Hand 3 was added up wrongly.' --correct 3:south=-130",
    ),
)
@click.argument("game", metavar="GAME")
@click.argument("n", metavar="N", type=click.IntRange(1))
@click.option("--upheld", is_flag=True, help="The player is right")
@click.option("--rejected", is_flag=True, help="The player is wrong")
@click.option("--reason", required=True, metavar="TEXT", help=f"Why, for everybody to read: at most {MOST_TEXT} characters")
@click.option(
    "--correct",
    "corrections",
    multiple=True,
    metavar="HAND:SEAT=POINTS",
    help="A line that was recorded wrongly, and what the hand should have changed the score by, a bag penalty included",
)
@format_option("table", "json")
@data_option
def settle(
    game: str, n: int, upheld: bool, rejected: bool, reason: str, corrections: tuple[str, ...], form: str, data: Path | None
) -> int:
    """Settle a dispute in a game of your store, and put right what was recorded wrongly.

    A correction is taken only if the plays make it what you write: the report (`trickbook dispute show`) says what they
    make. Nothing is ever edited, and it never ends or reopens a game. Exit code 1: a correction is not what the plays make.
    """
    from service.base.clock import SystemClock
    from service.base.entropy import Csprng
    from service.games.dispute_requests import Correction, Settlement
    from service.games.handler import Games, MoveRequest
    from service.games.refusals import Refused
    from service.runtime.compose import data_directory, open_identity, open_store
    from service.runtime.history import keeping

    if upheld == rejected:
        raise Failure("say --upheld or --rejected, one of them", USAGE)
    if not is_game_id(game):
        raise Failure(f"{game[:60]!r} is no id of a game: a dispute is settled in the store it was opened in", USAGE)
    wanted = tuple(Correction(*each) for each in map(_correction, corrections))
    asked = Settlement("upheld" if upheld else "rejected", _sentence(reason), wanted)
    directory = data_directory(os.environ, data)
    with open_store(os.environ, directory) as opened, keeping(directory, opened) as history:
        identity = open_identity(os.environ, directory, opened.store)
        games = Games(opened.store, identity, SystemClock(), Csprng())
        games.recorded = history.high_water.add
        body = {"dispute": n, "verdict": asked.verdict, "reason": reason}
        try:
            answer = games.settle(game, n, MoveRequest(secrets.token_bytes(32), body), lambda: asked)
        except Refused as error:
            raise Failure(f"nothing was written: {error.message}", _CODES.get(error.code, USAGE)) from None
    totals = {seat: answer.view.seats[seat].total for seat in SEATS}
    if form == "json":
        write_json({"game": game, "version": answer.version, "dispute": answer.dispute, "totals": totals})
        return OK
    said = ", ".join(f"{seat} {total}" for seat, total in totals.items())
    say(f"Dispute {n} of game {game} is {asked.verdict} (v{answer.dispute.settled}).")
    for correction in asked.corrections:
        say(f"Corrected: hand {correction.hand}, {correction.seat}, {correction.points:+}.".replace("-", "−"))
    say(f"The score is {said}.".replace("-", "−"))
    return OK


def _sentence(text: str) -> str:
    """A reason that may stand in the log. Raises `Failure`."""
    try:
        encode(text)
    except NotCanonical as error:
        raise Failure(f"the reason cannot be written: {error}", USAGE) from None
    if not text.strip() or len(text) > MOST_TEXT:
        raise Failure(f"a reason has 1 to {MOST_TEXT} characters, not {len(text)}", USAGE)
    return text


def _correction(text: str) -> tuple[int, Seat, int]:
    found = _CORRECTION.match(text)
    if found is None:
        raise Failure(f"{text[:40]!r} is no correction: write HAND:SEAT=POINTS, as in 3:south=-130", USAGE)
    return int(found["hand"]), "north" if found["seat"] == "north" else "south", int(found["points"])
