"""How every process of the service logs: one JSON object a line on stderr, without tokens, keys or invites."""

import logging
import sys
from collections.abc import Mapping
from typing import Final, TextIO, cast

import structlog

from events.printable import printable


class PrintableFormatter(logging.Formatter):
    """Log lines that cannot steer a terminal: every character but the ends of lines is printable."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text, each line of it escaped."""
        return "\n".join(map(printable, super().format(record).split("\n")))


class _StandardError:
    """Standard error as it is when a line is written: a process that runs several commands may have replaced it."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


_STANDARD_ERROR: Final = cast("TextIO", _StandardError())


def configure_logging(environment: Mapping[str, str]) -> None:
    """One JSON object a line on stderr; TRICKBOOK_LOG is the level."""
    level = logging.getLevelNamesMapping().get(environment.get("TRICKBOOK_LOG", "warning").upper(), logging.WARNING)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(_STANDARD_ERROR),
        cache_logger_on_first_use=True,
    )
