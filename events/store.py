"""What a store of games must do, whatever it is made of: append one commit by comparison, read, wait (design §3).

One contract suite runs against every implementation. Nothing here decides what is appended.
"""

from collections.abc import Iterable, Iterator
from typing import Protocol

import msgspec

from events.journal import Note
from events.log import Commit, genesis


class LogHead(msgspec.Struct, frozen=True):
    """A place in a log: the version and the raw head there. Version 0 has the genesis head."""

    version: int
    head: bytes


def start(game: str) -> LogHead:
    """The place before event 1."""
    return LogHead(0, genesis(game))


def require_next(expected: LogHead, commit: Commit) -> None:
    """Raises `ValueError` unless the commit's events follow the place: a fault of the caller, which no store may keep.

    The head is not computed again: whoever made the commit has chained it, and the audit compares.
    """
    if not commit.events or commit.first != expected.version + 1:
        raise ValueError(f"a commit of the events {commit.first} to {commit.seq} cannot follow {expected.version}")


class Appended(msgspec.Struct, frozen=True):
    """The commit is in the log, exactly once, written by this call or by an earlier sending of it in this call."""


class Conflict(msgspec.Struct, frozen=True):
    """The log is longer than expected: nothing was written; `commits` are the ones after the expected place."""

    commits: tuple[Commit, ...]


class HistoryLost(msgspec.Struct, frozen=True):
    """The expected place is not in the log any more: history was lost, nothing written. `version` is what is left."""

    version: int


class FrozenGame(msgspec.Struct, frozen=True):
    """What proved that a game's history was lost: a head that is gone (64 hex digits), and the receipt the service gave for
    it, empty where the proof is the high-water file of a node."""

    version: int
    head: str
    receipt: str = ""


class LostHead(msgspec.Struct, frozen=True):
    """A place that the log of a game does not have; `left` is the version at which that log ends, 0 where there is none."""

    game: str
    place: LogHead
    left: int


class Unreachable(Exception):
    """The store refused, or did not answer, and then it is not known whether a commit was written.

    The message is one sentence for a person; it says which and what to do, and holds no password.
    """


class BadEntry(Exception):
    """Something in the store that no Trickbook wrote or left so; the message names game and place.

    Where a whole log was read, `read` are the commits before that entry, and `left` are the values of its fields and of
    the fields of all later entries.
    """

    def __init__(self, message: str, read: tuple[Commit, ...] = (), left: tuple[bytes, ...] = ()) -> None:
        super().__init__(message)
        self.read = read
        self.left = left


class EntriesDeleted(BadEntry):
    """The last entries of a log were deleted: the stream remembers a later one. `read` are the commits that are left."""


class GameStore(Protocol):
    """The log of every game. All calls may raise `Unreachable`."""

    def now(self) -> int:
        """The store's own time, milliseconds since 1970 UTC: one clock for every process that plays on it."""

    def append(
        self, game: str, expected: LogHead, commit: Commit, *, announce: bool = False, thaw: bool = False
    ) -> Appended | Conflict | HistoryLost:
        """Adds `commit` if the log still ends at `expected`. Sent again until it is known what happened.

        With `announce` each sending is preceded, in the same round trip, by an announcement of the version it would reach.
        With `thaw` a frozen game takes it too: only for the note that accepts the loss.
        Raises `ValueError` for a commit that does not follow `expected`.
        """

    def read(self, game: str, after: LogHead | None = None) -> tuple[Commit, ...] | HistoryLost:
        """The commits after a place, all of them for None; `HistoryLost` when the place is not in the log."""

    def place(self, game: str, version: int) -> LogHead:
        """Where the last commit ends that is not after `version`; the start where there is none."""

    def everything(self, game: str) -> tuple[Commit, ...]:
        """All commits there are, also where others are missing between them: for the audit.

        Raises `BadEntry` for the first entry that is no commit, with the commits before it, and `EntriesDeleted` where
        later entries were deleted.
        """

    def ends(self, games: Iterable[str]) -> Iterator[tuple[str, Commit, Commit]]:
        """The first and the last commit of each game, many games at a time and nothing in between: for a look at all of them.

        Games without a log, and those whose first or last entry no Trickbook wrote, are left out.
        """

    def games(self) -> Iterator[str]:
        """The ids of all games, in no order."""

    def imports(self) -> Iterator[str]:
        """The ids of all records from elsewhere that are kept, in no order."""

    def announce(self, game: str, version: int) -> None:
        """Hints to whoever follows all games that this one is about to reach `version`; the log alone is the truth."""

    def wait(self, game: str, version: int, seconds: float) -> bool:
        """Blocks until the log is longer than `version` or the time is over; whether it is longer."""

    def disturb(self, games: Iterable[str]) -> None:
        """Ends the waits of this process for these games as if there were news: something else about them has changed."""

    def freeze(self, game: str, proof: FrozenGame) -> None:
        """Marks a game whose history was lost; nothing is appended to it any more. The first proof stays."""

    def thaw(self, game: str) -> None:
        """Removes the mark, once the note that accepts the loss is in the log."""

    def frozen(self, game: str) -> FrozenGame | None:
        """The proof, if the game is frozen. Raises `BadEntry` where it cannot be read."""

    def frozen_games(self) -> frozenset[str]:
        """The ids of all frozen games."""

    def restored(self) -> dict[str, int]:
        """The games that were not over when the store was restored from a backup, with the version they had then."""

    def lost(self, places: Iterable[tuple[str, LogHead]]) -> Iterator[LostHead]:
        """The places that are not in the logs, many games at a time."""

    def keep_import(self, game: str, raw: bytes, *, replace: bool = False) -> bytes:
        """Keeps a record from elsewhere, unless there is one; the one that is kept then."""

    def imported(self, game: str) -> bytes | None:
        """The record of that game from elsewhere, if one was imported."""

    def claim(self, identity: dict[str, str], *, instead_of: dict[str, str] | None = None) -> dict[str, str]:
        """Writes the service's identity if the store has none, or has `instead_of`; what the store has then.

        Raises `BadEntry` where what it has is no identity.
        """

    def note(self, note: Note) -> None:
        """Adds to the operator's journal, once however often it is sent."""

    def notes(self, after: int = 0) -> tuple[Note, ...]:
        """The journal but for its first `after` notes, in order. Raises `BadEntry`."""
