"""A follower keeps one read model: it takes announcements, reads the games' logs, saves, and only then acknowledges.

Whatever kills or stops it between any two steps, what it did not acknowledge comes again, and what it saved twice is the
same. From time to time it compares every game's last id with how far it has read, for the hints that never came.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import structlog

from events import keys
from events.feed import STALE_MS, Announcement, Feed
from events.log import Commit
from events.redis_store import RedisStore
from events.store import BadEntry, HistoryLost, LogHead, start
from projections.across.models import Model
from service.readmodels.model_store import ReadModelStore, Snapshot, group

BATCH: Final = 200
"""The most announcements of one round."""

IDLE_MS: Final = 30_000
"""How long an announcement may lie with a follower before another takes it over."""

_TRIES: Final = 50

log = structlog.get_logger("trickbook.following")


class Busy(Exception):
    """Others saved the same part again and again; what was to be saved comes again."""


def _nobody(changed: Mapping[str, bytes]) -> None:
    """Is told and does nothing."""


class Follower:
    """One model's generation `number`, fed from `store`, kept in `books`. All calls may raise `Unreachable`, `Busy`."""

    def __init__(
        self,
        store: RedisStore,
        books: ReadModelStore,
        model: Model,
        number: int,
        consumer: str,
        saved: Callable[[Mapping[str, bytes]], None] = _nobody,
    ) -> None:
        """`saved` is told what was saved, after it was; it may be told twice."""
        self._store = store
        self._books = books
        self.model = model
        self.number = number
        self.feed = Feed(store, group(model, number), consumer)
        self._saved = saved
        self._early: list[Announcement] = []
        self._kept: dict[str, Snapshot] = {}

    def round(self, block: int) -> int:
        """Takes what has been announced, waiting up to `block` ms for something; how many announcements are done with."""
        if self._early:  # their commits are under way: look again soon, then less and less often
            youngest = max(one.at for one in self._early)
            block = min(block, max(2, (self._store.now() - youngest) // 10))
        taken = [*self._early, *self.feed.take(BATCH, block)]
        return self._follow(taken) if taken else 0

    def take_over(self, idle: int = IDLE_MS) -> int:
        """Does what a follower took `idle` ms ago and never acknowledged."""
        return self._follow(self.feed.reclaim(idle, BATCH))

    def _follow(self, taken: Sequence[Announcement]) -> int:
        reached = self.bring_up({one.game for one in taken if one.game})
        now = self._store.now()
        done = [one for one in taken if one.version <= reached.get(one.game, 0) or now - one.at >= STALE_MS]
        if done:
            self.feed.acknowledge(done)
        known = {one.entry for one in done}
        self._early = [one for one in taken if one.entry not in known]
        return len(done)

    def compare(self, games: Iterable[str] | None = None) -> int:
        """Reads every game whose log is longer than was read; how many were brought up."""
        count, batch = 0, []
        for game in self._store.games() if games is None else games:
            batch.append(game)
            if len(batch) == BATCH:
                count += self._compare(batch)
                batch = []
        return count + self._compare(batch)

    def _compare(self, games: Sequence[str]) -> int:
        last = last_ids(self._store, games)
        behind = set()
        for part, ids in _by_part(self.model, games).items():
            held = self._held(part, ids)
            for game in ids:
                place = self.model.place(held.fields, game)
                if self.model.follows(held.fields, game) and last[game] > (place.version if place else 0):
                    behind.add(game)
        self.bring_up(behind)
        return len(behind)

    def bring_up(self, games: Iterable[str]) -> dict[str, int]:
        """Reads these games to the end of their logs and saves what that changes; how far each has been read."""
        reached: dict[str, int] = {}
        for part, ids in _by_part(self.model, games).items():
            reached |= self._bring_up(part, ids)
        return reached

    def _bring_up(self, part: str, games: Sequence[str]) -> dict[str, int]:
        for attempt in range(_TRIES):
            held = self._held(part, games, fresh=attempt > 0)
            news: dict[str, tuple[LogHead, Sequence[Commit] | None]] = {}
            reached = {}
            last = last_ids(self._store, games)
            for game in games:
                if not self.model.follows(held.fields, game):
                    reached[game] = 2**53
                    continue
                place = self.model.place(held.fields, game) or start(game)
                if place.version == last[game]:
                    reached[game] = place.version
                    continue
                place, commits = self._news(game, place)
                reached[game] = commits[-1].seq if commits else place.version
                if commits != ():
                    news[game] = (place, commits)
            changed = self.model.absorb(held.fields, news)
            if not changed:
                return reached
            if self._books.save(self.model, self.number, part, held.revision, changed):
                if self.model.whole:
                    self._kept[part] = Snapshot(held.revision + 1, {**held.fields, **changed})
                self._saved(changed)
                return reached
        raise Busy(f"{self.model.name} of part {part}")

    def _news(self, game: str, place: LogHead) -> tuple[LogHead, tuple[Commit, ...] | None]:
        """The commits after a place, from the start where that place is gone because history was lost; None where what is
        there cannot be read."""
        try:
            found = self._store.read(game, place)
            if not isinstance(found, HistoryLost):
                return place, found
            log.error("history_lost", game=game, had=place.version, has=found.version)
            again = self._store.read(game)
            return start(game), () if isinstance(again, HistoryLost) else again
        except BadEntry as error:
            log.error("log_damaged", game=game, reason=str(error))  # noqa: TRY400 - the sentence says it all
            return place, None

    def _held(self, part: str, games: Sequence[str], *, fresh: bool = False) -> Snapshot:
        """What is saved of these games, or of the whole part where the model needs it; the whole is kept between rounds."""
        if not self.model.whole:
            return self._books.load(self.model, self.number, part, games)
        if fresh or part not in self._kept:
            self._kept[part] = self._books.load(self.model, self.number, part)
        return self._kept[part]


def _by_part(model: Model, games: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for game in sorted(set(games)):
        found.setdefault(model.part(game), []).append(game)
    return found


def last_ids(store: RedisStore, games: Sequence[str]) -> dict[str, int]:
    """The version each game's log has reached."""
    names = [keys.stream(game) for game in games]
    if not names:
        return {}

    def ask() -> list[list[tuple[bytes, object]]]:
        with store.client.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.xrevrange(name, count=1)
            found: list[list[tuple[bytes, object]]] = pipe.execute()
            return found

    return {game: int(last[0][0].split(b"-")[0]) if last else 0 for game, last in zip(games, store.ask(ask), strict=True)}
