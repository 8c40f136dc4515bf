"""``trickbook dispute open``: a seat says at its service that the score is wrong. The token is never on the command line."""

import uuid
from pathlib import Path
from typing import Any

import click
import msgspec

from cli.addresses import game_url
from cli.claims import claim_options, read_claim
from cli.commands import Command
from cli.disputing.seats import seat_of, seated
from cli.failures import NOT_ALLOWED, NOT_TRUSTED, OK, UNREACHABLE, USAGE, Failure
from cli.output import format_option, write_json
from cli.sources import data_option
from cli.text import say
from events import player_evidence, receipts
from events.canonical import NotCanonical, encode
from events.cards import SEATS, Seat
from events.keys import is_game_id
from events.types import MOST_TEXT, BadEvent


@click.command(
    "open",
    cls=Command,
    examples=(
        "trickbook dispute open 0k7f3x9q2m5v8w1c --claim north=104,south=55",
        "trickbook dispute open https://trickbook.example/g/0k7f3x9q2m5v8w1c --claim 3.south.bags=4 --at 3.s",
        "trickbook dispute open GAME --server https://trickbook.example --receipts my.receipts --claim-file my-sheet.txt",
    ),
)
@click.argument("game", metavar="GAME")
@claim_options
@click.option("--at", "position", metavar="P", help="The moment it is about: v57, 3, 3.5, 3.5.2, 3.b2, 3.s [default: now]")
@click.option("--note", metavar="TEXT", default="", help=f"For the operator and the other player: {MOST_TEXT} characters")
@click.option("--as", "seat", type=click.Choice(("north", "south")), help="Your seat, where this directory has both")
@click.option("--server", metavar="URL", help="The service the game is on [default: where it was played]")
@click.option("--receipts", type=click.Path(dir_okay=False, path_type=Path), help="Your file of receipts: it says your seat")
@format_option("table", "json")
@data_option
def open_(
    game: str,
    claim: str | None,
    claim_file: Path | None,
    position: str | None,
    note: str,
    seat: str | None,
    server: str | None,
    receipts: Path | None,
    form: str,
    data: Path | None,
) -> int:
    """Dispute the score of a game you play or have played.

    The claim is what you say the score is; everybody sees it. Your token is the one `trickbook play` kept in the data
    directory, or in TRICKBOOK_TOKEN.
    """
    from projections.claims import BadClaim
    from projections.claims.recorded import recorded
    from service.client.http import ClientError

    base, game = game_url(game) or (None, game)
    if not is_game_id(game):
        raise Failure(f"{game[:60]!r} is no game: give its id or its address, http://host:8000/g/<game>", USAGE)
    with seated(game, seat or seat_of(receipts, game), server or base, data) as client:
        try:
            names = _names(client.view(game))
            wanted = read_claim(claim, claim_file, names)
            if wanted is None:
                raise Failure("say what the score is: --claim north=104,south=55, or --claim-file FILE", USAGE)
            body: dict[str, Any] = {"claim": msgspec.to_builtins(recorded(wanted))}
            body |= {"position": position} if position else {}
            body |= {"note": _written(note)} if note else {}
            answer = _checked(client.dispute(game, body, str(uuid.uuid4())), game)
        except BadClaim as error:
            raise Failure(f"the claim cannot be disputed: {error}", USAGE) from None
        except ClientError as error:
            raise _told(error) from None
    if receipts is not None:
        _keep(receipts, answer["receipt"])
    opened = answer["dispute"]
    if form == "json":
        write_json({"game": game, "version": answer["version"], "dispute": opened, "receipt": answer["receipt"]})
        return OK
    about = f"about v{opened['version']} in hand {opened['hand']}"
    say(f"Dispute {opened['n']} of game {game} is open (v{opened['opened']}), {about}.")
    say("Both players and the operator can read it with its report.")
    return OK


def _names(view: dict[str, Any]) -> dict[Seat, str]:
    """The players' names. Raises `Failure` for an answer that is no view."""
    seats = view.get("seats")
    players = {seat: seats.get(seat) for seat in SEATS} if isinstance(seats, dict) else {}
    names: dict[Seat, str] = {}
    for seat, player in players.items():
        found = player.get("name") if isinstance(player, dict) else None
        if isinstance(found, str):
            names[seat] = found
    if len(names) < len(SEATS):
        raise Failure("the service answered with no view of a game that two play: nothing was written", NOT_TRUSTED)
    return names


class _Opened(msgspec.Struct):
    """What an answer says of the dispute that was opened."""

    n: int
    version: int
    hand: int
    opened: int


def _checked(answer: dict[str, Any], game: str) -> dict[str, Any]:
    """The answer to a dispute, with a receipt of this game at its version. Raises `Failure`."""
    try:
        msgspec.convert(answer.get("dispute"), _Opened)
        receipt = receipts.read(encode(answer.get("receipt")))
    except (msgspec.ValidationError, NotCanonical, BadEvent) as error:
        text = f"the service answered with something that is no dispute with its receipt ({error}): it may have been written"
        raise Failure(text, NOT_TRUSTED) from None
    if (receipt.game, receipt.seq) != (game, answer.get("version")):
        raise Failure("the receipt of the dispute is for another game or version: it may have been written", NOT_TRUSTED)
    return answer


def _written(note: str) -> str:
    try:
        encode(note)
    except NotCanonical as error:
        raise Failure(f"the note cannot be written: {error}", USAGE) from None
    if len(note) > MOST_TEXT:
        raise Failure(f"a note has at most {MOST_TEXT} characters, not {len(note)}", USAGE)
    return note


def _keep(path: Path, receipt: Any) -> None:
    """Adds the receipt of the dispute to the file: whoever verifies the game later knows that it goes on so far."""
    from service.client.witness import keeper

    keeper(path)(player_evidence.write(receipts.read(encode(receipt))))


def _told(error: Any) -> Failure:
    text = str(error)
    if error.status in (400, 422):
        return Failure(f"nothing was written: {text}", USAGE)
    return Failure(text, UNREACHABLE if not error.status or error.status in (404, 503) else NOT_ALLOWED)
