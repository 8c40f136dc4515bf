"""Coming to a table: a new game, a friend's link, or one that was left. Each gives the session and a client for its seat."""

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from cli.failures import NOT_ALLOWED, UNREACHABLE, USAGE, Failure
from cli.playing.local import LocalService
from cli.playing.session import Pending, Session, Shelf
from cli.playing.wire import doubt
from events.keys import is_game_id
from events.player_evidence import UnreadableKept
from events.ruleset import OPTIONS
from service.client.http import Client, ClientError
from service.client.player import Player
from service.client.witness import Suspicion, heads_of, keeper

_LINK: Final = re.compile(r"(?P<base>https?://[^/\s#?]+)/g/(?P<game>[^/#\s]+)#join=(?P<invite>[A-Za-z0-9._-]{1,400})\Z")
_HOST: Final = re.compile(r"https?://[^/\s#?@]+\Z")


class Seat(msgspec.Struct, frozen=True):
    """A seat taken: everything the loop needs. `kept` is the file of receipts and evidence; `mend` sees to a service of our
    own that went away."""

    session: Session
    player: Player
    kept: Path
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


def take_seat(client: Client, shelf: Shelf, session: Session, asked: dict[str, Any], invite: str | None) -> Player:
    """Sits down at the game of `session`: makes it, joins it with `invite`, or takes the seat up again. The session is on the
    disk before anything is asked of the game. Raises `Failure`."""
    kept = _Kept(shelf, session)
    player = Player(client, kept.keep)
    try:
        if session.token is not None:
            _resume(player, session, kept)
        elif session.game:
            _join(player, shelf, session, invite, kept)
        else:
            _create(player, shelf, session, asked, kept)
    except Suspicion as error:
        found = doubt(error, kept.path)
        raise Failure(found.reason, found.exit_code) from None
    except ClientError as error:
        raise _refused(error) from None
    return player


class _Kept:
    """Where the lines of a seat are kept. Until the game is known they are for a file of seats that were not taken."""

    def __init__(self, shelf: Shelf, session: Session) -> None:
        """Raises `Failure` where the file of a known game, or the one that was named, cannot be used."""
        self._shelf, self._session = shelf, session
        self._lines: list[bytes] = []
        self._keep: Callable[[bytes], None] | None = None
        self.path = shelf.refused
        if session.game or session.receipts:
            self.settle()

    def keep(self, line: bytes) -> None:
        """Keeps a line: evidence at once, the rest as soon as there is a game."""
        if self._keep is not None:
            self._keep(line)
            return
        self._lines.append(line)
        if line.startswith(b'{"evidence"'):
            self.path.unlink(missing_ok=True)  # of an answer that gave no seat the last one is enough
            keep = keeper(self.path)
            for each in self._lines:
                keep(each)

    def settle(self) -> None:
        """From now on lines go into the file of the game."""
        self.path = self._shelf.kept(self._session)
        try:
            heads_of(self.path, self._session.game)  # a file of something else is never written to
            self._keep = keeper(self.path)
        except (OSError, UnreadableKept) as error:
            reason = getattr(error, "strerror", None) or error
            raise Failure(f"receipts cannot be kept in {self.path}: {reason}", USAGE) from None
        lines, self._lines = self._lines, []
        for line in lines:
            self._keep(line)


def _create(player: Player, shelf: Shelf, session: Session, asked: dict[str, Any], kept: _Kept) -> None:
    def seated(made: dict[str, Any]) -> None:
        session.game, session.token, session.own = made["game"], made["token"], player.witness.own
        key = made["server_key"]
        session.pin = str(key.get("id")) if isinstance(key, dict) else None
        shelf.save(session)
        kept.settle()

    player.create(session.name, seated=seated, **asked)
    session.link = player.link if player.invite and not session.house else None
    shelf.save(session)


def _join(player: Player, shelf: Shelf, session: Session, invite: str | None, kept: _Kept) -> None:
    """Takes the seat with the key that was kept, so that a crash meanwhile changes nothing."""
    if session.pending is None:
        assert invite is not None
        parts = invite.split(".")
        if len(parts) != 3:
            raise Failure("the link is not whole: the invite in it has three parts with dots between them", USAGE)
        session.own, session.pin_head, session.pin = player.witness.own, parts[1], parts[2]
        session.pending = Pending(str(uuid.uuid4()), {"invite": invite})
        shelf.save(session)
    asked = session.pending
    assert session.own is not None
    player.witness.own = session.own

    def seated(made: dict[str, Any]) -> None:
        session.token, session.pending = made["token"], None
        shelf.save(session)

    try:
        player.join(session.game, session.name, asked.body["invite"], key=asked.key, seated=seated)
    except ClientError as error:
        if error.status:  # refused: this key will never do better
            session.over, session.pending = True, None
            shelf.save(session)
        raise


def _resume(player: Player, session: Session, kept: _Kept) -> None:
    if session.own is None or session.pin is None or session.token is None:
        raise Failure(f"what was kept of game {session.game} lacks its key: it cannot be played on from here", USAGE)
    player.witness.own = session.own
    player.witness.before = heads_of(kept.path, session.game)
    player.resume(session.game, "north" if session.seat == "north" else "south", session.token, session.pin, session.pin_head)


def _refused(error: ClientError) -> Failure:
    if error.code in ("invalid", "not_json"):
        return Failure(str(error), USAGE)
    return Failure(str(error), UNREACHABLE if not error.status or error.status in (404, 503) else NOT_ALLOWED)


def _nothing() -> None:
    """Somebody else's service: there is nothing we could mend."""
