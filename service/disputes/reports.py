"""The reports as they are kept: a read model beside the game, that can be thrown away and made again."""

from functools import partial
from typing import Any, Protocol

import msgspec
import structlog

from events import keys
from events.redis_store import RedisStore
from events.store import Unreachable

log = structlog.get_logger("trickbook.disputes")


class Kept(msgspec.Struct, frozen=True):
    """A report as JSON, and the version of the log it is for."""

    version: int
    report: msgspec.Raw


class Reports(Protocol):
    """Where reports are kept. Neither call raises: a report that is not there is made again."""

    def save(self, game: str, n: int, version: int, report: bytes) -> None:
        """Keeps the report on dispute `n` for `version`, in the place of an older one."""

    def load(self, game: str, n: int) -> Kept | None:
        """The report that is kept, None where there is none."""


class RedisReports:
    """Kept in a hash beside the game's stream."""

    def __init__(self, server: RedisStore) -> None:
        self._server = server
        self._client: Any = server.client

    def save(self, game: str, n: int, version: int, report: bytes) -> None:
        raw = msgspec.json.encode(Kept(version, msgspec.Raw(report)))
        try:
            self._server.ask(partial(self._client.hset, keys.reports(game), str(n), raw))
        except Unreachable as error:
            log.warning("report_not_kept", game=game, n=n, reason=str(error))

    def load(self, game: str, n: int) -> Kept | None:
        try:
            raw = self._server.ask(partial(self._client.hget, keys.reports(game), str(n)))
            return None if raw is None else msgspec.json.decode(raw, type=Kept)
        except (Unreachable, msgspec.DecodeError) as error:
            log.warning("report_not_read", game=game, n=n, reason=str(error))
            return None


class NoReports:
    """Keeps nothing: every report is made when it is asked for."""

    def save(self, game: str, n: int, version: int, report: bytes) -> None:
        pass

    def load(self, game: str, n: int) -> Kept | None:
        return None
