"""Building a read model anew beside the live one: fill, catch up, compare, switch the pointer, remove the old.

Games go on meanwhile and the old generation serves. Interrupted at any point, the next run goes on where this one ended.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import structlog

from events.feed import Feed, Gone
from events.redis_store import RedisStore
from projections.across.models import Fields, Model
from service.readmodels.follower import BATCH, Follower, last_ids
from service.readmodels.model_store import Generation, ReadModelStore, Serving, group

_ROUNDS: Final = 1000
_LOOKS: Final = 5
_CONSUMER: Final = "rebuild"

log = structlog.get_logger("trickbook.following")

Progress = Callable[[int, int], None]
"""Told how many games of how many are read."""


def _nobody(done: int, of: int) -> None:
    """Is told and does nothing."""


class Built(msgspec.Struct, frozen=True):
    """What a rebuild found: `games` read, `different` ones whose fields differ from what served (all of them for the first
    build, or after a change of version), whether it `switched`, and what it took in seconds."""

    model: str
    games: int
    different: tuple[str, ...]
    switched: bool
    seconds: float
    first: bool = False
    changed: bool = False


def needed(books: ReadModelStore, model: Model) -> bool:
    """Whether what serves is missing or of an older version, or a build was interrupted."""
    serving = books.serving(model)
    return serving.next is not None or serving.now is None or serving.now.version < model.version


class Underway(Exception):
    """Another build has begun and has not ended, so there is nothing to try out beside it; the message says what to do."""


def rebuild(
    store: RedisStore, books: ReadModelStore, model: Model, progress: Progress = _nobody, *, dry_run: bool = False
) -> Built:
    """Builds a model's next generation and lets it serve, unless `dry_run`. Raises `Unreachable`, `Busy`, `Underway`."""
    begun = time.monotonic()
    if dry_run and books.serving(model).next is not None:
        raise Underway(f"a build of {model.name} is under way or was interrupted: `trickbook rebuild {model.name}` ends it")
    serving = _begin(store, books, model)
    assert serving.next is not None
    games = sorted(store.games())
    different: tuple[str, ...] = ()
    try:
        _fill(Follower(store, books, model, serving.next.number, _CONSUMER), games, progress)
        different = _compare(store, books, model, serving, games)
        wanted = msgspec.structs.replace(serving, next=None) if dry_run else Serving(now=serving.next)
        ours = books.serving(model) == serving and books.switch(model, serving, wanted)  # else it compared what is gone
    except Gone:  # somebody else has built on it, was faster, and has cleaned up
        ours = False
    clean(store, books, model)
    now, seconds = serving.now, time.monotonic() - begun
    changed = now is not None and now.version != model.version
    return Built(model.name, len(games), different if ours else (), ours and not dry_run, seconds, now is None, changed)


def _fill(follower: Follower, games: Sequence[str], progress: Progress) -> None:
    """Reads every game, then what was announced meanwhile."""
    follower.feed.join()  # before the first game is read: what is announced from now on is not missed
    for done in range(0, len(games), BATCH):
        progress(done, len(games))
        follower.compare(games[done : done + BATCH])
    for _ in range(_ROUNDS):
        if follower.round(1) == 0 and follower.take_over(0) == 0:
            break
    progress(len(games), len(games))


def _begin(store: RedisStore, books: ReadModelStore, model: Model) -> Serving:
    """The pointer with a next generation of our version in it; an interrupted build of the same version is gone on with."""
    while True:
        serving = books.serving(model)
        if serving.next is not None and serving.next.version == model.version:
            return serving
        clean(store, books, model)
        taken = [each.number for each in (serving.now, serving.next) if each is not None]
        wanted = Generation(max([*taken, *books.generations(model)], default=0) + 1, model.version)
        books.switch(model, serving, msgspec.structs.replace(serving, next=wanted))


def clean(store: RedisStore, books: ReadModelStore, model: Model) -> None:
    """Removes every generation that neither serves nor is being built."""
    serving = books.serving(model)
    wanted = {each.number for each in (serving.now, serving.next) if each is not None}
    for number in sorted(books.generations(model) - wanted):
        _drop(store, books, model, number)
    for name in Feed(store, "").all_groups():
        model_name, _, number_text = name.rpartition(".")
        if model_name == model.name and number_text.isdigit() and int(number_text) not in wanted:
            Feed(store, name).leave()


def _drop(store: RedisStore, books: ReadModelStore, model: Model, number: int) -> None:
    Feed(store, group(model, number)).leave()
    books.remove(model, number)


def _compare(store: RedisStore, books: ReadModelStore, model: Model, serving: Serving, games: Sequence[str]) -> tuple[str, ...]:
    """The fields in which the new generation differs from the one that serves, once both have read the same."""
    if serving.now is None or serving.next is None or serving.now.version != model.version:
        return ()
    old, new = (Follower(store, books, model, each.number, _CONSUMER) for each in (serving.now, serving.next))
    different: list[str] = []
    for part in model.parts:
        mine = [game for game in games if model.part(game) == part]
        for _ in range(_LOOKS):
            before = last_ids(store, mine)
            old.bring_up(mine)
            new.bring_up(mine)
            found = _different(*(books.load(model, each.number, part).fields for each in (old, new)))
            after = last_ids(store, mine)
            moved = {model.field(game) for game in mine if after[game] != before[game]}
            if not moved or not found:
                break
        different += [field for field in found if field not in moved]
    return tuple(different)


def _different(old: Fields, new: Fields) -> list[str]:
    return sorted(field for field in old.keys() | new.keys() if old.get(field) != new.get(field))
