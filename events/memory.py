"""A store in memory, for tests and for reading a record; it keeps nothing and says so."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from events.journal import Note
from events.log import Commit
from events.store import Appended, Conflict, FrozenGame, HistoryLost, LogHead, LostHead, require_next, start


class MemoryStore:
    """Games in a dict; safe between threads. `now` is its clock, in ms: the machine's unless one is handed in."""

    def __init__(self, now: Callable[[], int] | None = None) -> None:
        self._clock = now or _machine
        self._games: dict[str, list[Commit]] = {}
        self._frozen: dict[str, FrozenGame] = {}
        self._disturbed: Counter[str] = Counter()
        self._imports: dict[str, bytes] = {}
        self.announced: list[tuple[str, int]] = []
        self._identity: dict[str, str] | None = None
        self._notes: list[Note] = []
        self._news = threading.Condition()

    def now(self) -> int:
        return self._clock()

    def append(
        self, game: str, expected: LogHead, commit: Commit, *, announce: bool = False, thaw: bool = False
    ) -> Appended | Conflict | HistoryLost:
        require_next(expected, commit)
        if announce:
            self.announce(game, commit.seq)
        with self._news:
            if game in self._frozen and not thaw:
                return HistoryLost(self._version(game))
            later = self.read(game, expected)
            if isinstance(later, HistoryLost):
                return later
            if later:
                return Conflict(later)
            self._games.setdefault(game, []).append(commit)
            self._news.notify_all()
            return Appended()

    def read(self, game: str, after: LogHead | None = None) -> tuple[Commit, ...] | HistoryLost:
        with self._news:
            commits = self._games.get(game, [])
            if after is None or after == start(game):
                return tuple(commits)
            for index, commit in enumerate(commits):
                if (commit.seq, commit.head) == (after.version, after.head):
                    return tuple(commits[index + 1 :])
            return HistoryLost(self._version(game))

    def place(self, game: str, version: int) -> LogHead:
        with self._news:
            before = [commit for commit in self._games.get(game, []) if commit.seq <= version]
            return LogHead(before[-1].seq, before[-1].head) if before else start(game)

    def everything(self, game: str) -> tuple[Commit, ...]:
        return tuple(self._games.get(game, ()))

    def ends(self, games: Iterable[str]) -> Iterator[tuple[str, Commit, Commit]]:
        for game in games:
            commits = self.everything(game)
            if commits:
                yield game, commits[0], commits[-1]

    def games(self) -> Iterator[str]:
        with self._news:
            return iter(list(self._games))

    def imports(self) -> Iterator[str]:
        with self._news:
            return iter(list(self._imports))

    def announce(self, game: str, version: int) -> None:
        self.announced.append((game, version))

    def wait(self, game: str, version: int, seconds: float) -> bool:
        end = time.monotonic() + seconds
        with self._news:
            disturbed = self._disturbed[game]
            while self._version(game) <= version and self._disturbed[game] == disturbed:
                if not self._news.wait(end - time.monotonic()):
                    return self._version(game) > version
            return True

    def disturb(self, games: Iterable[str]) -> None:
        with self._news:
            self._disturbed.update(games)
            self._news.notify_all()

    def freeze(self, game: str, proof: FrozenGame) -> None:
        with self._news:
            self._frozen.setdefault(game, proof)

    def frozen(self, game: str) -> FrozenGame | None:
        return self._frozen.get(game)

    def thaw(self, game: str) -> None:
        with self._news:
            self._frozen.pop(game, None)

    def frozen_games(self) -> frozenset[str]:
        with self._news:
            return frozenset(self._frozen)

    def restored(self) -> dict[str, int]:
        return {}

    def lost(self, places: Iterable[tuple[str, LogHead]]) -> Iterator[LostHead]:
        for game, place in places:
            if isinstance(self.read(game, place), HistoryLost):
                yield LostHead(game, place, self._version(game))

    def keep_import(self, game: str, raw: bytes, *, replace: bool = False) -> bytes:
        with self._news:
            if replace:
                self._imports[game] = raw
            return self._imports.setdefault(game, raw)

    def imported(self, game: str) -> bytes | None:
        return self._imports.get(game)

    def claim(self, identity: dict[str, str], *, instead_of: dict[str, str] | None = None) -> dict[str, str]:
        with self._news:
            if self._identity is None or self._identity == instead_of:
                self._identity = dict(identity)
            return dict(self._identity)

    def note(self, note: Note) -> None:
        with self._news:
            self._notes.append(note)

    def notes(self, after: int = 0) -> tuple[Note, ...]:
        with self._news:
            return tuple(self._notes[after:])

    def _version(self, game: str) -> int:
        commits = self._games.get(game)
        return commits[-1].seq if commits else 0


def _machine() -> int:
    return time.time_ns() // 1_000_000
