"""What a job is: a name in a table, the ids it takes, and a function that gets them. It holds no queue."""

from collections.abc import Callable
from typing import Any

import msgspec
import redis

from events.keys import is_game_id
from events.redis_store import RedisStore
from service.base.clock import Clock
from service.games.handler import Games


class JobContext(msgspec.Struct, frozen=True):
    """What a job works with: the games' store and their handler, the work server, the time, and a way to ask for further
    jobs (`enqueue(name, *ids)`, False for one that waits already). `attend(game)` lets the house move where it is its turn."""

    store: RedisStore
    games: Games
    work: redis.Redis
    clock: Clock
    enqueue: Callable[..., bool]
    attend: Callable[[str], None] | None = None


class Task(msgspec.Struct, frozen=True):
    """A job of the table.

    `run` is called with the bench and the ids; it must be safe to run twice, at once and in any order. `takes` has a test
    for each id. `seconds` is the time limit, and how long another worker leaves it alone; one that failed is not taken up
    again for `pause` seconds.
    """

    run: Callable[..., None]
    takes: tuple[Callable[[Any], bool], ...] = ()
    seconds: int = 20
    pause: int = 0

    def accepts(self, ids: tuple[Any, ...]) -> bool:
        """Whether these are ids it may be called with."""
        return len(ids) == len(self.takes) and all(test(one) for test, one in zip(self.takes, ids, strict=True))


def is_game(value: Any) -> bool:
    """A game's id."""
    return isinstance(value, str) and is_game_id(value)


def is_number(value: Any) -> bool:
    """A number that counts something within a game, from 1."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1_000_000
