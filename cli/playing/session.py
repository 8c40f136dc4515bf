"""What is kept of a game one plays, so that ``--resume`` goes on after Ctrl-C or a crash: a file for each seat, 0600 in a
directory 0700. It holds the seat's token: nothing of it is printed but the link.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from cli.failures import UNREACHABLE, USAGE, Failure
from service.base.disk import sync
from service.embedded import locks

_FORMAT: Final = 1


class Pending(msgspec.Struct, frozen=True):
    """A request whose answer is not known yet: it is sent again with the same key. `version` is what the mover looked at."""

    key: str
    body: dict[str, Any]
    version: int | None = None


class Session(msgspec.Struct, kw_only=True):
    """One seat in one game.

    `own` are its bytes for the shuffle, `pin` the id of the pinned signing key, `pin_head` the head after event 2 that the
    invite named, `receipts` the file of what is kept where one was named. `server` is None for the service of this data
    directory, `port` where that was last; `token` is missing until a join is answered; `link` is what is passed on to a
    friend; `over` when play has ended.
    """

    game: str
    seat: str
    name: str
    server: str | None
    house: bool = False
    port: int = 0
    token: str | None = None
    link: str | None = None
    own: str | None = None
    pin: str | None = None
    pin_head: str | None = None
    receipts: str | None = None
    pending: Pending | None = None
    over: bool = False
    played_at: float = 0.0
    format: int = _FORMAT


class Shelf:
    """The sessions of a data directory."""

    def __init__(self, root: Path) -> None:
        """`root` is the prepared data directory."""
        self.directory = root / "play"
        self.directory.mkdir(mode=0o700, exist_ok=True)
        self.directory.chmod(0o700)
        self.refused = self.directory / "refused.receipts"
        """The evidence of an answer that gave no seat."""

    def save(self, session: Session, *, surely: bool = True) -> None:
        """Keeps it, whole; `surely` on the disk before this returns."""
        session.played_at = time.time()
        path = self._path(session)
        draft = path.with_suffix(".draft")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(msgspec.json.encode(session))
            file.flush()
            if surely:
                os.fsync(descriptor)
        draft.replace(path)
        if surely:
            sync(self.directory)

    def kept(self, session: Session) -> Path:
        """The file of receipts of a session: the one that was named, or one beside it."""
        return Path(session.receipts) if session.receipts else self._path(session).with_suffix(".receipts")

    def find(self, game: str, seat: str) -> Session | None:
        """The session of a seat."""
        return _read(self.directory / f"{game}-{seat}.json")

    def unfinished(self, game: str | None, name: str | None) -> Session:
        """The one played last that nobody is playing now. Raises `Failure` with what there is."""
        every = [found for path in self.directory.glob("*-*.json") if (found := _read(path)) is not None]
        wanted = [one for one in every if game in (None, one.game) and name in (None, one.name)]
        if game is not None and not wanted:
            raise Failure(f"no game {game} is being played from {self.directory.parent}", UNREACHABLE)
        going_on = [one for one in wanted if not one.over]
        if game is not None and not going_on:
            raise Failure(f"game {game} has ended: `trickbook replay {game}` shows it", USAGE)
        if not going_on:
            raise Failure("there is no game to go on with: `trickbook play` begins one", UNREACHABLE)
        free = [one for one in going_on if not locks.is_held(self._lock(one))]
        if not free:
            raise Failure(_held(going_on[0]), USAGE)
        return max(free, key=lambda one: one.played_at)

    @contextmanager
    def held(self, session: Session) -> Iterator[None]:
        """Plays it in this process alone; the kernel ends that with the process. Raises `Failure`."""
        with locks.released(self._lock(session), 0.5) as held:
            if not held:
                raise Failure(_held(session), USAGE)
            yield

    def _path(self, session: Session) -> Path:
        return self.directory / f"{session.game}-{session.seat}.json"

    def _lock(self, session: Session) -> Path:
        return self._path(session).with_suffix(".lock")


def _held(session: Session) -> str:
    return f"{session.name}'s game {session.game} is being played in another terminal"


def _read(path: Path) -> Session | None:
    """A session; None where there is none or the file is damaged."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Session)
    except (OSError, msgspec.DecodeError):
        return None
    return found if found.format == _FORMAT else None
