"""The store on Redis or Valkey: one stream a game, one entry a commit, appended by one script (design §3).

A time-out means *unknown*: the same script with the same bytes is sent again until it answers, so that a commit is in
the log exactly once and never in doubt without being said to be.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar

import msgspec
from redis.exceptions import AuthenticationError, AuthorizationError, BusyLoadingError, NoScriptError, RedisError, ResponseError
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import TimeoutError as NoAnswer

from events import append_script, entry, journal, keys
from events.append_script import AppendScript
from events.file_rewrite import FileRewrite
from events.journal import Note
from events.log import Commit
from events.notifier import Notifier
from events.redis_client import ANSWER_SECONDS, BLOCK_SECONDS, address, connect, execute, is_other_type
from events.store import (
    Appended,
    BadEntry,
    Conflict,
    EntriesDeleted,
    FrozenGame,
    HistoryLost,
    LogHead,
    LostHead,
    Unreachable,
    require_next,
    start,
)

PATIENCE_SECONDS: Final = 8.0
"""How long one call goes on sending before it gives up with `Unreachable`."""

_PAUSE_SECONDS: Final = 0.05
_AT_A_TIME: Final = 500
"""Games whose ends are read in one round trip."""

T = TypeVar("T")


class RedisStore:
    """Games in the streams of one server, for any number of threads, also after a fork.

    `mend` is called when no connection could be made, before the next try; what it raises is said in `Unreachable`.
    `patience`, `answer` and `block` are the seconds one call goes on, one command may take and one read blocks.
    """

    def __init__(
        self,
        url: str,
        *,
        mend: Callable[[], object] | None = None,
        patience: float = PATIENCE_SECONDS,
        answer: float = ANSWER_SECONDS,
        block: float = BLOCK_SECONDS,
        sound: bool = True,
    ) -> None:
        """Connects later. Raises `ValueError` for an address that cannot be one.

        Without `sound`, a server is used before it has rewritten a file that a crash may have torn (`FileRewrite`).
        """
        self.url = url
        changes: dict[str, Any] = {"redis_connect_func": FileRewrite().connected} if sound else {}
        # redis-py types an answer as what any mode could give
        self.client: Any = connect(url, socket_timeout=answer, **changes)
        self._mend = mend
        self._patience = patience
        self._script = AppendScript(self.client)
        self._waiter = Notifier(url, block=block, answer=answer)

    def now(self) -> int:
        seconds, micros = self._persist(self.client.time)
        return int(seconds) * 1000 + int(micros) // 1000

    def append(
        self, game: str, expected: LogHead, commit: Commit, *, announce: bool = False, thaw: bool = False
    ) -> Appended | Conflict | HistoryLost:
        require_next(expected, commit)
        if expected.version == 0 and expected != start(game):
            return HistoryLost(self._version(game))
        names = [keys.stream(game), keys.thawed(game) if thaw else keys.frozen(game)]
        values: list[bytes | str] = [str(expected.version), expected.head, entry.entry_id(commit.seq)]
        for name, value in entry.fields(commit):
            values += (name, value)
        sent = 0

        def send() -> Any:
            nonlocal sent
            sent += 1
            return self._script.run(names, values, hint=append_script.hint(game, commit.seq) if announce else None)

        status, *rest = self._persist(send)
        if status == b"appended":
            return Appended()
        if status != b"moved":
            return HistoryLost(int(rest[0]))
        raw = [(identifier, dict(zip(pairs[::2], pairs[1::2], strict=True))) for identifier, pairs in rest[0]]
        later = self._after(game, expected, raw)
        if isinstance(later, tuple):
            # The same bytes may also be those of another writer with the same request: ours they are if we sent twice.
            return Appended() if sent > 1 and commit in later else Conflict(later)
        return later

    def place(self, game: str, version: int) -> LogHead:
        if version == 0:
            return start(game)
        name, last = keys.stream(game), entry.entry_id(version)
        raw = self._persist(lambda: self.client.xrevrange(name, last, "-", count=1))
        if not raw:
            return start(game)
        commit = entry.commit(game, *raw[0])
        return LogHead(commit.seq, commit.head)

    def everything(self, game: str) -> tuple[Commit, ...]:
        raw = self._persist(lambda: self.client.xrange(keys.stream(game)))
        commits: list[Commit] = []
        for identifier, values in raw:
            try:
                commits.append(entry.commit(game, identifier, values))
            except BadEntry as error:
                left = tuple(value for _, fields in raw[len(commits) :] for value in fields.values())
                raise BadEntry(str(error), tuple(commits), left) from None
        end = self._generated(game)
        if end > (commits[-1].seq if commits else 0):
            raise EntriesDeleted(f"the log of game {game} once ended with event {end}: entries were deleted", tuple(commits))
        return tuple(commits)

    def _generated(self, game: str) -> int:
        """The version of the last entry that a log ever had, 0 where there is no log."""

        def ask() -> int:
            try:
                found: bytes = self.client.xinfo_stream(keys.stream(game))["last-generated-id"]
            except ResponseError as error:
                if "no such key" in str(error):
                    return 0
                raise
            return int(found.split(b"-")[0])

        return self._persist(ask)

    def read(self, game: str, after: LogHead | None = None) -> tuple[Commit, ...] | HistoryLost:
        place = after or start(game)
        first = entry.entry_id(place.version) if place.version else "-"
        raw: list[tuple[bytes, dict[bytes, bytes]]] = self._persist(lambda: self.client.xrange(keys.stream(game), first, "+"))
        return self._after(game, place, raw)

    def _after(
        self, game: str, place: LogHead, raw: list[tuple[bytes, dict[bytes, bytes]]]
    ) -> tuple[Commit, ...] | HistoryLost:
        """The commits after a place, out of the entries from that place on."""
        commits = tuple(entry.commit(game, identifier, values) for identifier, values in raw)
        before = place.version
        if before:
            there = LogHead(commits[0].seq, commits[0].head) if commits else None
            later = commits[1:]
        else:
            there, later = start(game), commits
        if there != place:
            return HistoryLost(commits[-1].seq if commits else self._version(game))
        for commit in later:
            if commit.first != before + 1:
                raise BadEntry(f"game {game} has no event {before + 1} but event {commit.first}: an entry was removed")
            before = commit.seq
        return later

    def _version(self, game: str) -> int:
        last: list[Any] = self._persist(lambda: self.client.xrevrange(keys.stream(game), count=1))
        return int(last[0][0].split(b"-")[0]) if last else 0

    def ends(self, games: Iterable[str]) -> Iterator[tuple[str, Commit, Commit]]:
        left = iter(games)
        while some := list(islice(left, _AT_A_TIME)):
            found = iter(self._persist(partial(self._ends, some)))
            for game, first, last in zip(some, found, found, strict=True):
                try:
                    if first and last:
                        yield game, entry.commit(game, *first[0]), entry.commit(game, *last[0])
                except BadEntry:
                    continue

    def _ends(self, games: list[str]) -> list[Any]:
        with self.client.pipeline(transaction=False) as many:
            for game in games:
                many.xrange(keys.stream(game), count=1)
                many.xrevrange(keys.stream(game), count=1)
            return execute(many)

    def games(self) -> Iterator[str]:
        return self._scan(keys.STREAM_PATTERN, keys.stream)

    def imports(self) -> Iterator[str]:
        return self._scan(keys.IMPORTED_PATTERN, keys.imported)

    def _scan(self, pattern: str, key_of: Callable[[str], str]) -> Iterator[str]:
        found = self._persist(lambda: list(self.client.scan_iter(match=pattern, count=1000)))
        for name in set(found):
            game = keys.game_of(name.decode(errors="replace"))
            if keys.is_game_id(game) and key_of(game).encode() == name:
                yield game

    def announce(self, game: str, version: int) -> None:
        # Sent twice after a lost answer it is one hint more, which does no harm.
        self._persist(lambda: self.client.xadd(*append_script.hint(game, version)))

    def wait(self, game: str, version: int, seconds: float) -> bool:
        return self._waiter.wait(game, version, seconds)

    def freeze(self, game: str, proof: FrozenGame) -> None:
        raw = msgspec.json.encode(proof)
        self._persist(lambda: self.client.set(keys.frozen(game), raw, nx=True))
        self._persist(lambda: self.client.sadd(keys.FROZEN, game))

    def thaw(self, game: str) -> None:
        self._persist(lambda: self.client.delete(keys.frozen(game)))
        self._persist(lambda: self.client.srem(keys.FROZEN, game))

    def frozen_games(self) -> frozenset[str]:
        found: Iterable[bytes] = self._persist(lambda: self.client.smembers(keys.FROZEN))
        return frozenset(game.decode(errors="replace") for game in found)

    def index_frozen(self) -> None:
        """Adds to the set of frozen games each game that has only its marker: older versions wrote no set."""
        markers = set(self._scan(keys.FROZEN_PATTERN, keys.frozen))
        if markers - self.frozen_games():
            self._persist(lambda: self.client.sadd(keys.FROZEN, *sorted(markers)))

    def restoring(self) -> str | None:
        """The name of a restore that has begun and not finished, None where there is none."""
        raw: bytes | None = self._persist(lambda: self.client.get(keys.RESTORING))
        return None if raw is None else raw.decode(errors="replace")

    def restored(self) -> dict[str, int]:
        found: dict[bytes, bytes] = self._persist(lambda: self.client.hgetall(keys.RESTORED))
        return {game.decode(): int(version) for game, version in found.items() if version.isdigit()}

    def lost(self, places: Iterable[tuple[str, LogHead]]) -> Iterator[LostHead]:
        left = iter(places)
        while some := list(islice(left, _AT_A_TIME)):
            for (game, place), raw in zip(some, self._persist(partial(self._entries_at, some)), strict=True):
                if not raw or raw[0][1].get(b"head") != place.head:
                    yield LostHead(game, place, self._version(game))

    def _entries_at(self, places: list[tuple[str, LogHead]]) -> list[Any]:
        """The entry that ends at each place, as a list of one or none."""
        with self.client.pipeline(transaction=False) as many:
            for game, place in places:
                name = entry.entry_id(place.version)
                many.xrange(keys.stream(game), name, name, count=1)
            return execute(many)

    def frozen(self, game: str) -> FrozenGame | None:
        raw = self._persist(lambda: self.client.get(keys.frozen(game)))
        try:
            return None if raw is None else msgspec.json.decode(raw, type=FrozenGame)
        except msgspec.DecodeError:
            raise BadEntry(f"the freeze marker of game {game} was not written by Trickbook") from None

    def keep_import(self, game: str, raw: bytes, *, replace: bool = False) -> bytes:
        name = keys.imported(game)
        self._persist(lambda: self.client.set(name, raw, nx=not replace))
        return self.imported(game) or raw

    def imported(self, game: str) -> bytes | None:
        found: bytes | None = self._persist(lambda: self.client.get(keys.imported(game)))
        return found

    def claim(self, identity: dict[str, str], *, instead_of: dict[str, str] | None = None) -> dict[str, str]:
        raw = msgspec.json.encode(identity)
        if instead_of is None or self.identity() == instead_of:
            self._persist(lambda: self.client.set(keys.SERVICE, raw, nx=instead_of is None))
        found = self.identity()
        if found is None:
            raise BadEntry(f"the key {keys.SERVICE} is being removed by somebody")
        return found

    def identity(self) -> dict[str, str] | None:
        """What the store says of the service it belongs to, None where nobody has claimed it. Raises `BadEntry`."""
        raw = self._persist(lambda: self.client.get(keys.SERVICE))
        try:
            return None if raw is None else msgspec.json.decode(raw, type=dict[str, str])
        except msgspec.DecodeError:
            raise BadEntry(f"the key {keys.SERVICE} was not written by Trickbook") from None

    def ask(self, call: Callable[[], T]) -> T:
        """The answer of a call of `client` that may be sent twice without harm. Raises `Unreachable`."""
        return self._persist(call)

    def note(self, note: Note) -> None:
        raw = journal.write(note)
        while True:
            last: list[Any] = self._persist(lambda: self.client.xrevrange(keys.OPERATOR, count=1))
            wanted = f"{int(last[0][0].split(b'-')[0]) + 1 if last else 1}-0"
            if self._persist(partial(self._add_note, wanted, raw)):
                return
            taken: list[Any] = self._persist(partial(self.client.xrange, keys.OPERATOR, wanted, wanted))
            if [values.get(b"note") for _, values in taken] == [raw]:  # by ourselves: the answer to the first sending was lost
                return

    def _add_note(self, identifier: str, raw: bytes) -> bool:
        """Whether it went in; not where there is a note of this number or a later one."""
        try:
            self.client.xadd(keys.OPERATOR, {"note": raw}, id=identifier)
        except ResponseError as error:
            if "equal or smaller" in str(error):
                return False
            raise
        return True

    def notes(self, after: int = 0) -> tuple[Note, ...]:
        raw: list[Any] = self._persist(lambda: self.client.xrange(keys.OPERATOR, f"({after}-0"))
        try:
            return tuple(journal.read(values[b"note"]) for _, values in raw)
        except (KeyError, ValueError):
            raise BadEntry(f"an entry of {keys.OPERATOR} was not written by Trickbook") from None

    def ping(self) -> None:
        """Returns when the server answers. Raises `Unreachable`."""
        self._persist(self.client.ping)

    def disturb(self, games: Iterable[str]) -> None:
        self._waiter.disturb(games)

    def wake_all(self) -> None:
        """Ends every wait, without news, now and from now on."""
        self._waiter.close()

    def close(self) -> None:
        """Ends the waiting thread and the connections."""
        self._waiter.close()
        self.client.close()

    def _persist(self, call: Callable[[], T]) -> T:
        """The answer of `call`, sent again until there is one. Every call here may be sent twice without harm."""
        end = time.monotonic() + self._patience
        unknown = False
        while True:
            try:
                return call()
            except (AuthenticationError, AuthorizationError) as error:
                raise self._unreachable("does not let us in", error, unknown) from None
            except (NoConnection, NoAnswer, NoScriptError) as error:  # no script: a restart just after it was loaded
                reason = error
            except RedisError as error:
                if is_other_type(error):
                    raise BadEntry("a key that Trickbook writes holds a value of another type") from None
                raise self._unreachable("refused", error, unknown) from None
            unknown = unknown or not isinstance(reason, (NoScriptError, BusyLoadingError))
            if time.monotonic() >= end:
                raise self._unreachable("does not answer", reason, unknown) from None
            if self._mend is not None and isinstance(reason, NoConnection) and not isinstance(reason, BusyLoadingError):
                self._restore_connection(unknown)
            time.sleep(_PAUSE_SECONDS)

    def _restore_connection(self, unknown: bool) -> None:
        assert self._mend is not None
        try:
            self._mend()
        except Exception as error:  # whatever starts servers is not known here; its message is for a person
            raise self._unreachable("is gone and could not be started again", error, unknown) from None

    def _unreachable(self, what: str, reason: Exception, unknown: bool) -> Unreachable:
        doubt = "; whether this call took effect is not known: repeat it with the same key" if unknown else ""
        why = str(reason).rstrip(".") or type(reason).__name__
        return Unreachable(f"the store {address(self.url)} {what}: {why}{doubt}")
