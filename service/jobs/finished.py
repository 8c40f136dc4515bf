"""Which games have ended, and at which version their logs stand; told by the last entries of the logs, one look at each."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from events import keys
from events.redis_store import RedisStore

_BATCH: Final = 200
_ENDED: Final = b'"type":"game_ended"'  # in canonical JSON no text of a player can look like this
_AFTER: Final = (b'"type":"dispute_', b'"type":"score_corrected"')
"""What may follow the end of play."""


def finished(store: RedisStore) -> Iterator[tuple[str, int]]:
    """Every game whose play has ended, with the version its log ends at; also one whose last entry is not one of ours.

    Raises `events.store.Unreachable`.
    """
    games = store.games()
    while batch := list(islice(games, _BATCH)):
        for game, last in zip(batch, _last_entries(store, batch), strict=True):
            version, values = last
            if not values:
                continue
            ended = _ended(values)
            if ended is None:
                ended = any(_ended(one) for _, one in store.client.xrange(keys.stream(game)))
            if ended:
                yield game, version


def last_version(store: RedisStore, game: str) -> int:
    """The version that the last entry of a log claims, 0 where there is none; also where the entry cannot be read."""
    return _last_entries(store, [game])[0][0]


def has_ended(publics: Iterable[bytes]) -> bool:
    """Whether the end of play is among the public bytes of events."""
    return any(_ENDED in public for public in publics)


def _last_entries(store: RedisStore, games: list[str]) -> list[tuple[int, tuple[bytes, ...]]]:
    with store.client.pipeline(transaction=False) as pipeline:
        for game in games:
            pipeline.xrevrange(keys.stream(game), count=1)
        answers: list[Any] = pipeline.execute()
    return [(int(answer[0][0].split(b"-")[0]), tuple(answer[0][1].values())) if answer else (0, ()) for answer in answers]


def _ended(values: Any) -> bool | None:
    """Whether an entry ends play; None where it may follow the end."""
    texts = tuple(values.values()) if isinstance(values, dict) else values
    if has_ended(texts):
        return True
    return None if any(word in text for text in texts for word in _AFTER) else False
