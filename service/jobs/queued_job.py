"""A job as it lies in RQ's queue: a name of the table and ids as JSON. Whoever can write to the server can put anything
there; so what is read is no more than these two, and RQ's call-backs, webhooks, imports and time limits are not.
"""

import json
import zlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from rq.exceptions import DeserializationError, NoSuchJobError
from rq.job import Job, JobStatus
from rq.results import Result
from rq.serializers import JSONSerializer
from rq.utils import str_to_date

QUEUE: Final = "trickbook"
KEPT_SECONDS: Final = 24 * 3600
"""How long a job that failed can be looked at."""

_MOST_BYTES: Final = 4096
_MOST_TEXT: Final = 80


class RefusedJob(DeserializationError):
    """What lies in the queue is no job of ours; the message says why, in a form that is safe to log."""


class StrictJob(Job):
    """A job of the table, or something that says why it is none."""

    hand: Callable[[str, tuple[Any, ...]], None] | None = None
    """Set by the worker that is to do it: gets the name and the ids, raises `RefusedJob`."""

    def __init__(self, id: str | None = None, connection: Any = None, serializer: Any = None) -> None:  # noqa: A002
        super().__init__(id, connection, JSONSerializer)

    def restore(self, raw_data: Mapping[bytes, bytes]) -> None:
        """Takes the known fields of a stored job. Raises `NoSuchJobError` where it has no data."""
        found = {name.decode(errors="replace"): value for name, value in raw_data.items()}
        if "data" not in found:
            raise NoSuchJobError(f"there is no job {self.id}")
        self.data = _inflated(found["data"])
        self.created_at = _date(found.get("created_at")) or self.created_at
        self.enqueued_at, self.started_at, self.ended_at = (
            _date(found.get(name)) for name in ("enqueued_at", "started_at", "ended_at")
        )
        status = found.get("status", b"").decode(errors="replace")
        self._status = JobStatus(status) if status in set(JobStatus) else JobStatus.QUEUED
        self.origin, self.description = QUEUE, self.id
        self.timeout, self.result_ttl, self.failure_ttl = None, 0, KEPT_SECONDS

    @property
    def func(self) -> Any:
        """Raises `RefusedJob`: a job is a name in the table of jobs, and is never imported."""
        raise RefusedJob("a job of ours has no import path")

    def _deserialize_data(self) -> None:
        """Raises `RefusedJob` for everything but ``[name, null, [ids], {}]``."""
        try:
            value = json.loads(self.data)
        except (ValueError, RecursionError):
            raise RefusedJob("its data is no JSON") from None
        match value:
            case [str(name), None, [*ids], dict(keywords)] if not keywords:
                self._func_name, self._instance, self._args, self._kwargs = name, None, tuple(ids), {}
            case _:
                raise RefusedJob("its data is not a name and a list of ids")

    def delete(self, pipeline: Any = None, *_: Any, **__: Any) -> None:
        """Removes it when it is done; RQ's own counts it as failed where another worker has been faster."""
        connection = self.connection if pipeline is None else pipeline
        connection.delete(self.key, Result.get_key(self.id))  # type: ignore[no-untyped-call]

    def _execute(self) -> None:
        name, ids = self.func_name, tuple(self.args)
        if self.hand is None or name is None:
            raise RefusedJob("only a worker of ours does a job")
        self.hand(name, ids)


def shown(text: Any) -> str:
    """Something from the queue, as it may be logged."""
    return ascii(text)[:_MOST_TEXT]


def _inflated(raw: bytes) -> bytes:
    """The data, of which no more than a little is unpacked: a job of ours is small."""
    try:
        unpacked = zlib.decompressobj().decompress(raw, _MOST_BYTES + 1)
    except zlib.error:
        unpacked = raw
    return unpacked if len(unpacked) <= _MOST_BYTES else b""


def _date(raw: bytes | None) -> datetime | None:
    try:
        return str_to_date(raw) if raw else None
    except (ValueError, UnicodeDecodeError):
        return None
