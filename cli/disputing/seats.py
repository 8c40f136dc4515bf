"""Whose dispute it is: a client with a seat's token, which is never on the command line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from cli.failures import NOT_ALLOWED, UNREACHABLE, USAGE, Failure
from events.player_evidence import Pinned, UnreadableKept, read

TOKEN: Final = "TRICKBOOK_TOKEN"  # noqa: S105 - the name of a variable


def seat_of(receipts: Path | None, game: str) -> str | None:
    """The seat whose receipts these are. Raises `Failure`."""
    if receipts is None:
        return None
    try:
        with receipts.open("rb") as file:
            seats = {line.seat for line in read(file) if isinstance(line, Pinned) and line.game == game}
    except FileNotFoundError:
        raise Failure(f"there is no file {receipts}", UNREACHABLE) from None
    except (UnreadableKept, OSError) as error:
        raise Failure(f"{receipts} is no file of kept receipts: {error}", USAGE) from None
    if len(seats) != 1:
        raise Failure(f"{receipts} holds receipts of {len(seats)} seats of game {game}, one is wanted", USAGE)
    return seats.pop()


@contextmanager
def seated(game: str, seat: str | None, server: str | None, data: Path | None) -> Iterator[Any]:
    """A client with the seat's token, at the service of the game. Raises `Failure`."""
    from cli.playing import opening
    from cli.playing.session import Shelf
    from service.embedded import prepare
    from service.runtime.compose import data_directory

    token = os.environ.get(TOKEN)
    address = None if server is None else opening.address(server)
    if token is not None and address is not None:
        with opening.service(address, Path()) as (client, _, _):
            client.token = token
            yield client
        return
    directory = prepare(data_directory(os.environ, data)).root
    shelf = Shelf(directory)
    kept = [found for each in ("north", "south") if seat in (None, each) and (found := shelf.find(game, each)) is not None]
    held = [session for session in kept if session.token is not None]
    if len(held) != 1 and token is None:
        if held:
            raise Failure("both seats of this game were played from here: say --as north or --as south", USAGE)
        who = f"{seat}'s token" if seat else "a token"
        raise Failure(f"{who} for game {game} is not in {directory}: put yours into {TOKEN}, and say --server URL", NOT_ALLOWED)
    where = address or (held[0].server if held else None)
    with opening.service(where, directory, held[0].port if held else 0) as (client, _, _):
        client.token = token or held[0].token
        yield client
