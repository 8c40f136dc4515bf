"""What is kept of a store in a backup: logs, records from elsewhere, marks of frozen games, the journal and the identity.

What can be made again from the logs is left out: read models, feeds, jobs, verdicts and reports.
"""

import base64
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any, Final

from events import keys
from events.log import ends_play
from events.redis_store import RedisStore
from service.operations.backup_file import is_log

_PATTERNS: Final = (keys.STREAM_PATTERN, keys.IMPORTED_PATTERN, keys.FROZEN_PATTERN)
_SINGLE: Final = (keys.SERVICE, keys.OPERATOR, keys.FROZEN)
_AT_A_TIME: Final = 100

Line = dict[str, Any]


def lines(store: RedisStore) -> Iterator[Line]:
    """Every key that is kept, as a line of a backup; each is read at one moment. Raises `Unreachable`."""
    names = {name for pattern in _PATTERNS for name in store.ask(partial(_scan, store, pattern))}
    for name in (*_SINGLE, *sorted(names)):
        line = read(store, name)
        if line is not None:
            yield line


def read(store: RedisStore, name: str) -> Line | None:
    """One key as a line of a backup, None where there is no such key."""
    client = store.client
    match store.ask(partial(client.type, name)):
        case b"stream":
            entries = store.ask(partial(client.xrange, name))
            last = store.ask(partial(client.xinfo_stream, name))["last-generated-id"]
            shown = [[_text(each), {_text(key): _base64(value) for key, value in fields.items()}] for each, fields in entries]
            return {"key": name, "stream": shown, "last": _text(last)}
        case b"string":
            return {"key": name, "string": _base64(store.ask(partial(client.get, name)))}
        case b"set":
            return {"key": name, "set": sorted(_base64(each) for each in store.ask(partial(client.smembers, name)))}
    return None


def put(store: RedisStore, line: Line) -> None:
    """Writes a line of a backup into a store that has no such key. Raises `Unreachable`, `redis.exceptions.RedisError`."""
    name = line["key"]
    if "string" in line:
        store.client.set(name, base64.b64decode(line["string"]))
    elif "set" in line:
        store.client.sadd(name, *(base64.b64decode(each) for each in line["set"]))
    else:
        left = iter(line["stream"])
        while some := list(islice(left, _AT_A_TIME)):
            with store.client.pipeline(transaction=False) as many:
                for identifier, fields in some:
                    many.xadd(name, {key: base64.b64decode(value) for key, value in fields.items()}, id=identifier)
                many.execute()
        if line["stream"]:
            store.client.execute_command("XSETID", name, line["last"])


def running(content: Iterable[Line]) -> Iterator[tuple[str, int]]:
    """The games that are not over, with the version at which their log ends."""
    for line in content:
        if not is_log(line) or not line["stream"]:
            continue
        publics = (value for _, fields in line["stream"] for key, value in fields.items() if key.isdigit())
        if not any(ends_play(base64.b64decode(value)) for value in publics):
            yield keys.game_of(line["key"]), int(line["stream"][-1][0].split("-")[0])


class NotEmpty(Exception):
    """The place a backup is to be restored to holds something; the message says what to do."""


def begin(store: RedisStore, mark: str) -> None:
    """Marks an empty store with the name of this restore, so that nobody uses it before `finish`. What an interrupted restore
    left is removed.

    Raises `NotEmpty`, `Unreachable`.
    """
    unfinished = store.restoring() is not None
    if not unfinished and store.ask(partial(_scan, store, "trickbook:*")):
        raise NotEmpty("the store holds something of Trickbook already: restore into an empty one")
    store.ask(partial(store.client.set, keys.RESTORING, mark))
    if unfinished:
        _delete(store, but=keys.RESTORING)


def finish(store: RedisStore) -> None:
    """Removes the mark. Raises `Unreachable`."""
    store.ask(partial(store.client.delete, keys.RESTORING))


def clear(store: RedisStore) -> None:
    """Removes what was written into a store that was empty before, the mark last. Raises `Unreachable`."""
    _delete(store, but=keys.RESTORING)
    finish(store)


def _delete(store: RedisStore, but: str) -> None:
    for name in store.ask(partial(_scan, store, "trickbook:*")):
        if name != but:
            store.ask(partial(store.client.delete, name))


def _scan(store: RedisStore, pattern: str) -> list[str]:
    return [_text(name) for name in set(store.client.scan_iter(match=pattern, count=1000))]


def _text(raw: bytes | str) -> str:
    return raw.decode("utf-8", "surrogateescape") if isinstance(raw, bytes) else raw


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
