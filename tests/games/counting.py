"""Counts what one move costs: round trips and commands at the store, and how often each new event is worked on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import redis.connection

from events import canonical, log
from projections import fold
from tests.store.proxy import Proxy


class Counts:
    """What happened while it was counted: `commands` in order, `trips`, and the seq of each event folded, encoded or decoded;
    `sealed` counts sealed parts encoded, `opened` those decoded, `chained` and `seals` are hashes."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.trips = self.chained = self.seals = self.sealed = self.opened = 0
        self.folded: list[int] = []
        self.encoded: list[int] = []
        self.decoded: list[int] = []


@contextmanager
def counted(proxy: Proxy) -> Iterator[Counts]:
    """Counts what is done inside. The connection must be open already."""
    counts = Counts()
    proxy.received.clear()
    with (
        mock.patch.object(redis.connection.AbstractConnection, "send_packed_command", _sending(counts)),
        mock.patch.dict(fold._APPLY, {kind: _folding(counts, handler) for kind, handler in fold._APPLY.items()}),
        mock.patch.dict(fold._REVIEW, {kind: _folding(counts, handler) for kind, handler in fold._REVIEW.items()}),
        mock.patch.object(canonical, "_encoder", _Encoder(counts)),
        mock.patch.object(canonical, "_decoder", _Decoder(counts)),
        mock.patch.object(log, "H", _hashing(counts)),
    ):
        yield counts
    counts.commands = list(proxy.received)


def _sending(counts: Counts) -> Callable[..., Any]:
    send = redis.connection.AbstractConnection.send_packed_command

    def sending(self: Any, *args: Any, **kwargs: Any) -> Any:
        counts.trips += 1
        return send(self, *args, **kwargs)

    return sending


def _folding(counts: Counts, handler: Callable[..., Any]) -> Callable[..., Any]:
    def folding(table: Any, event: Any) -> Any:
        counts.folded.append(event.seq)
        return handler(table, event)

    return folding


def _hashing(counts: Counts) -> Callable[[str, bytes], bytes]:
    real = log.H

    def hashing(tag: str, x: bytes) -> bytes:
        counts.chained += tag == "event"
        counts.seals += tag == "seal"
        return real(tag, x)

    return hashing


class _Encoder:
    def __init__(self, counts: Counts) -> None:
        self._counts, self._real = counts, canonical._encoder

    def encode(self, value: Any) -> bytes:
        if _is_public(value):
            self._counts.encoded.append(value["seq"])
        self._counts.sealed += _is_sealed(value)
        return self._real.encode(value)


class _Decoder:
    def __init__(self, counts: Counts) -> None:
        self._counts, self._real = counts, canonical._decoder

    def decode(self, text: str) -> Any:
        value = self._real.decode(text)
        if _is_public(value):
            self._counts.decoded.append(value["seq"])
        self._counts.opened += _is_sealed(value)
        return value


def _is_public(value: Any) -> bool:
    return isinstance(value, dict) and {"seq", "type", "v"} <= value.keys()


def _is_sealed(value: Any) -> bool:
    return isinstance(value, dict) and "salt" in value
