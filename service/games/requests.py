"""A request to write to a game, as values: the handler raises each objection to it in its turn (design §4)."""

from collections.abc import Callable
from typing import Any

import msgspec

from events.log import Commit
from events.store import GameStore, LogHead
from service.base.clock import Clock
from service.base.entropy import Entropy
from service.base.identity import Identity
from service.games.access import Credentials
from service.games.loaded_game import LoadedGame
from service.games.refusals import Refused


class IfMatch(msgspec.Struct, frozen=True):
    """The place a client insists on: a version, and the head there (64 hex digits) where the whole ETag was sent."""

    version: int
    head: str | None = None

    def require(self, at: LogHead) -> None:
        """Raises `Refused` (`version_mismatch`) where the game is at another place."""
        if self.version != at.version:
            raise Refused("version_mismatch", f"the game is at version {at.version}", version=at.version)
        if self.head is not None and self.head != at.head.hex():
            raise Refused(
                "version_mismatch",
                f"the game is at version {at.version}, but with another head than the one you know: keep your receipts",
                version=at.version,
            )


class MoveRequest(msgspec.Struct, frozen=True):
    """A request to write: its idempotency key, its parsed body to know it again by, its credentials and its If-Match.

    `malformed` is what is wrong with the body as JSON or with the key, `bad_if_match` with the If-Match; they are raised when
    it is their turn. A request that the process itself makes has no credentials: its command names the seat.
    """

    key: bytes
    body: Any
    credentials: Credentials = Credentials()
    if_match: IfMatch | None = None
    malformed: Refused | None = None
    bad_if_match: Refused | None = None

    def require_form(self) -> None:
        """Raises `Refused` (`not_json`, `bad_key`) where the body or the key could not be read."""
        if self.malformed is not None:
            raise self.malformed

    def require_place(self, at: LogHead) -> None:
        """Compares If-Match. Raises `Refused` (`bad_if_match`, `version_mismatch`)."""
        if self.bad_if_match is not None:
            raise self.bad_if_match
        if self.if_match is not None:
            self.if_match.require(at)


class BodyReader:
    """Calls the reader of a body at most once; what it returned or refused the first time is what it is."""

    def __init__(self, read: Callable[[Any], Any], body: Any) -> None:
        self._read, self._body = read, body
        self._ask: Any = None
        self._objection: Refused | None = None
        self._called = False

    def ask(self) -> Any:
        """What is asked for. Raises `Refused` for a body of another form."""
        if not self._called:
            self._called = True
            try:
                self._ask = self._read(self._body)
            except Refused as objection:
                self._objection = objection
        if self._objection is not None:
            raise self._objection
        return self._ask


class Means:
    """What a decision takes beside the table and the body. The time is read once, however often it is decided."""

    def __init__(
        self,
        store: GameStore,
        identity: Identity,
        clock: Clock,
        entropy: Entropy,
        commits: Callable[[LoadedGame], tuple[Commit, ...]],
        new_game_objection: Callable[[], str | None],
    ) -> None:
        """`commits` reads the commits that a game was folded from, `new_game_objection` is why no game is made now, if so."""
        self._store = store
        self._clock = clock
        self._times: dict[bool, int] = {}
        self.identity = identity
        self.entropy = entropy
        self.commits = commits
        self.new_game_objection = new_game_objection

    def now(self, *, limited: bool) -> int:
        """The time in ms: the store's where a limit runs, one for all processes; this process's without the round trip."""
        if limited not in self._times:
            self._times[limited] = self._store.now() if limited else self._clock.now()
        return self._times[limited]
