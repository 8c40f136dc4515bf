"""The reports as they are kept: a read model beside the game, that can be thrown away and made again."""

from typing import Any, Protocol

import msgspec
import redis
import structlog

from events import keys

log = structlog.get_logger("trickbook.disputes")


class KeptReport(msgspec.Struct, frozen=True):
    """A report as JSON, and the version of the log it is for."""

    version: int
    report: msgspec.Raw


class Reports(Protocol):
    """Where reports are kept. Neither call raises: a report that is not there is made again."""

    def save(self, game: str, n: int, version: int, report: bytes) -> None:
        """Keeps the report on dispute `n` for `version`, in the place of an older one."""

    def load(self, game: str, n: int) -> KeptReport | None:
        """The report that is kept, None where there is none."""


class RedisReports:
    """Kept on the work server, in a hash for each game."""

    def __init__(self, work: redis.Redis) -> None:
        self._work: Any = work

    def save(self, game: str, n: int, version: int, report: bytes) -> None:
        raw = msgspec.json.encode(KeptReport(version, msgspec.Raw(report)))
        try:
            self._work.hset(keys.reports(game), str(n), raw)
        except redis.RedisError as error:
            log.warning("report_not_kept", game=game, n=n, reason=type(error).__name__)

    def load(self, game: str, n: int) -> KeptReport | None:
        try:
            raw = self._work.hget(keys.reports(game), str(n))
            return None if raw is None else msgspec.json.decode(raw, type=KeptReport)
        except (redis.RedisError, msgspec.DecodeError) as error:
            log.warning("report_not_read", game=game, n=n, reason=type(error).__name__)
            return None


class NoReports:
    """Keeps nothing: every report is made when it is asked for."""

    def save(self, game: str, n: int, version: int, report: bytes) -> None:
        pass

    def load(self, game: str, n: int) -> KeptReport | None:
        return None
