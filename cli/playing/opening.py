"""Coming to a table: a new game, a friend's link, or one that was left. Each gives the session and a client for its seat."""

import re
import secrets
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from cli.failures import NOT_ALLOWED, NOT_TRUSTED, UNREACHABLE, USAGE, Failure
from cli.playing.local import LocalService
from cli.playing.session import Pending, Session, Shelf
from cli.playing.witnessing import Watching
from events.keys import is_game_id
from events.player_evidence import UnreadableKept
from events.printable import printable
from events.ruleset import OPTIONS
from events.shuffle import contribution
from service.client.http import Client, ClientError
from service.client.witness import Suspicion

_LINK: Final = re.compile(r"(?P<base>https?://[^/\s#?]+)/g/(?P<game>[^/#\s]+)#join=(?P<invite>[A-Za-z0-9._-]{1,400})\Z")
_HOST: Final = re.compile(r"https?://[^/\s#?@]+\Z")


class Seat(msgspec.Struct, frozen=True):
    """A seat taken: everything the loop needs. `watching` checks what is shown; `mend` sees to a service of our own that
    went away."""

    session: Session
    client: Client
    watching: Watching
    mend: Callable[[], None]


def address(text: str) -> str:
    """The base of a service. Raises `Failure`."""
    base = text.strip().rstrip("/")
    if not _HOST.match(base):
        raise Failure(f"{text[:60]!r} is no address of a service: it looks like http://host:8000", USAGE)
    return base


def invitation(text: str) -> tuple[str, str, str]:
    """The base, the game and the invite of a link. Raises `Failure`."""
    match = _LINK.match("".join(text.split()))  # one copied from a narrow screen has line ends in it
    if match is None or not is_game_id(match["game"]):
        raise Failure(
            "that is no link to a game: it looks like http://host:8000/g/<game>#join=<invite>; a shell wants it in quotes",
            USAGE,
        )
    return match["base"], match["game"], match["invite"]


def rules_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """``target=300,failed_nil=bags`` as options; the service says whether they may be so. Raises `Failure`."""
    found: dict[str, Any] = {}
    for part in ",".join(texts).split(","):
        if not part.strip():
            continue
        option, given, value = (piece.strip() for piece in part.partition("="))
        if not given or option not in OPTIONS:
            raise Failure(f"{part.strip()[:40]!r} is no rule: write option=value; `trickbook rules` lists the options", USAGE)
        found[option] = int(value) if re.fullmatch(r"-?[0-9]{1,9}", value) else value
    return found


@contextmanager
def service(server: str | None, directory: Path, port: int = 0) -> Iterator[tuple[Client, Callable[[], None], int]]:
    """A client without a token for the service at `server`, or for our own, with what mends that and its port."""
    if server is not None:
        yield Client(server), _nothing, 0
        return
    own = LocalService(directory, port)
    client = Client(own.url)

    def mend() -> None:
        own.mend()
        client.base = own.url

    with ExitStack() as stack:
        stack.callback(own.close)
        yield client, mend, own.port


def create(client: Client, shelf: Shelf, session: Session, asked: dict[str, Any]) -> Session:
    """Makes the game `session` is to be about. Raises `Failure`."""
    session.own = secrets.token_hex(32)
    try:
        made = client.create(session.name, contribution=contribution(bytes.fromhex(session.own)), **asked)
    except ClientError as error:
        raise _told(error) from None
    session.game, session.seat, session.token = made["game"], made["seat"], made["token"]
    session.pin = str(made["server_key"]["id"])
    link = made.get("invite_link")
    session.link = None if link is None else printable(link)
    shelf.save(session)
    return session


def join(client: Client, shelf: Shelf, session: Session, invite: str | None) -> None:
    """Takes the seat of `session`, unless it has been taken; asks with the same key after a crash. Raises `Failure`."""
    if session.token is not None:
        client.token = session.token
        return
    if session.pending is None:
        assert invite is not None
        parts = invite.split(".")
        if len(parts) != 3:
            raise Failure("the link is not whole: the invite in it has three parts with dots between them", USAGE)
        session.own, session.pin_head, session.pin = secrets.token_hex(32), parts[1], parts[2]
        session.pending = Pending(str(uuid.uuid4()), {"invite": invite})
        shelf.save(session)
    asked = session.pending
    assert session.own is not None
    brought = contribution(bytes.fromhex(session.own))
    try:
        made = client.join(session.game, session.name, asked.body["invite"], asked.key, contribution=brought)
    except ClientError as error:
        if error.status:  # refused: this key will never do better
            session.over, session.pending = True, None
            shelf.save(session)
        raise _told(error) from None
    session.seat, session.token, session.pending = made["seat"], made["token"], None
    shelf.save(session)


def watch(shelf: Shelf, session: Session) -> Watching:
    """What checks this session's game. Raises `Failure` where its file cannot be used."""
    path = shelf.kept(session)
    try:
        return Watching(session, path)
    except (OSError, UnreadableKept) as error:
        raise Failure(f"receipts cannot be kept in {path}: {getattr(error, 'strerror', None) or error}", USAGE) from None
    except Suspicion as error:
        raise Failure(str(error), NOT_TRUSTED) from None


def _told(error: ClientError) -> Failure:
    text = printable(str(error))
    if error.code in ("invalid", "not_json"):
        return Failure(text, USAGE)
    return Failure(text, UNREACHABLE if not error.status or error.status in (404, 503) else NOT_ALLOWED)


def _nothing() -> None:
    """Somebody else's service: there is nothing we could mend."""
