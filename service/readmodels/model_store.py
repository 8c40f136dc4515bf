"""Read models in Redis: one hash a part and generation, saved by comparison, and the pointer that says which generation serves.

Every save is one HSET on one key, with the revision it was made on: of two followers at once one has to look again, and
no crash leaves half of it (design §3).
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

import msgspec
from redis.exceptions import WatchError

from events import keys
from events.redis_store import RedisStore
from projections.across.models import Model

_REVISION: Final = b""
"""The field that counts the saves of a part."""


class Generation(msgspec.Struct, frozen=True):
    """A generation of a model and the version of what it keeps."""

    number: int
    version: int


class Serving(msgspec.Struct, frozen=True, omit_defaults=True):
    """What serves, and what is being built beside it."""

    now: Generation | None = None
    next: Generation | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """Fields of a part, and the revision they were read at."""

    revision: int
    fields: dict[str, bytes]


class ReadModelStore:
    """The read models of one store, on the server for work. All calls may raise `Unreachable`."""

    def __init__(self, server: RedisStore) -> None:
        self._server = server
        self._client: Any = server.client

    @property
    def server(self) -> RedisStore:
        """The server they are kept on, that for work."""
        return self._server

    def serving(self, model: Model) -> Serving:
        """Which generation of a model serves."""
        raw = self._server.ask(partial(self._client.hget, keys.MODELS, model.name))
        return Serving() if raw is None else msgspec.json.decode(raw, type=Serving)

    def switch(self, model: Model, expected: Serving, wanted: Serving) -> bool:
        """Changes the pointer from `expected`; False where somebody else was first."""
        before = None if expected == Serving() else msgspec.json.encode(expected)

        def save() -> bool:
            with self._client.pipeline(transaction=True) as pipe:
                pipe.watch(keys.MODELS)
                there = pipe.hget(keys.MODELS, model.name)
                if there != before:
                    return bool(there == msgspec.json.encode(wanted))  # our own, sent before
                pipe.multi()
                pipe.hset(keys.MODELS, model.name, msgspec.json.encode(wanted))
                pipe.execute()
                return True

        return self._server.ask(partial(_unless_changed, save))

    def load(self, model: Model, number: int, part: str, games: Iterable[str] | None = None) -> Snapshot:
        """A part of a generation, all of it, or the fields of `games` alone."""
        name = keys.model(model.name, number, part)
        if games is None:
            found: Mapping[bytes, bytes] = self._server.ask(partial(self._client.hgetall, name))
        else:
            fields = [_REVISION, *(model.field(game).encode() for game in games)]
            values = self._server.ask(partial(self._client.hmget, name, fields))
            found = {field: value for field, value in zip(fields, values, strict=True) if value is not None}
        fields_held = {field.decode(): value for field, value in found.items() if field != _REVISION}
        return Snapshot(int(found.get(_REVISION, b"0")), fields_held)

    def save(self, model: Model, number: int, part: str, revision: int, changed: Mapping[str, bytes]) -> bool:
        """Saves fields if the part is still as it was read; False where somebody else has saved since."""
        name = keys.model(model.name, number, part)
        values: dict[bytes, bytes] = {field.encode(): value for field, value in changed.items()}
        values[_REVISION] = str(revision + 1).encode()

        def send() -> bool:
            with self._client.pipeline(transaction=True) as pipe:
                pipe.watch(name)
                if int(pipe.hget(name, _REVISION) or 0) != revision:
                    return False
                pipe.multi()
                pipe.hset(name, mapping=values)
                pipe.execute()
                return True

        return self._server.ask(partial(_unless_changed, send))

    def revisions(self, model: Model, number: int) -> tuple[int, ...]:
        """The revision of each part, to see whether anything has changed."""

        def ask() -> list[bytes | None]:
            with self._client.pipeline(transaction=False) as pipe:
                for part in model.parts:
                    pipe.hget(keys.model(model.name, number, part), _REVISION)
                found: list[bytes | None] = pipe.execute()
                return found

        return tuple(int(value or 0) for value in self._server.ask(ask))

    def remove(self, model: Model, number: int) -> None:
        """Removes a generation."""
        for part in model.parts:
            self._server.ask(partial(self._client.unlink, keys.model(model.name, number, part)))

    def generations(self, model: Model) -> set[int]:
        """The numbers of all generations there is anything of."""
        pattern = keys.model(model.name, 0, "*")[:-1] + "*"
        names = self._server.ask(lambda: list(self._client.scan_iter(match=pattern, count=1000)))
        return {int(number) for name in names if (number := name.decode().rsplit(":", 1)[1]).isdigit()}


def group(model: Model, number: int) -> str:
    """The consumer group of a generation of a model."""
    return f"{model.name}.{number}"


def _unless_changed(save: Callable[[], bool]) -> bool:
    """What `save` says; False where somebody else was between its look and its write."""
    try:
        return save()
    except WatchError:
        return False
