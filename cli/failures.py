"""Exit codes and how a failure is told: one sentence on stderr, never a traceback (design §5)."""

from typing import Final

OK: Final = 0
FOUND_OTHERWISE: Final = 1
USAGE: Final = 2
NOT_TRUSTED: Final = 3
NOT_ALLOWED: Final = 4
UNREACHABLE: Final = 5
FAULT: Final = 70
INTERRUPTED: Final = 130


_WORST_FIRST: Final = (INTERRUPTED, NOT_TRUSTED, FAULT, UNREACHABLE, NOT_ALLOWED, USAGE, FOUND_OTHERWISE, OK)
"""A log that cannot be trusted must not hide behind a file that is not there, so the numbers alone do not say it."""


def worst(*codes: int) -> int:
    """The exit code of many, of which each alone would have had its own."""
    return min(codes, key=_WORST_FIRST.index, default=OK)


class Failure(Exception):
    """A command cannot go on; the message says what, where and what to do."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


KNOWN: Final[dict[str, int]] = {
    "StoreUnavailable": UNREACHABLE,
    "Unreachable": UNREACHABLE,
    "CannotServe": UNREACHABLE,
    "ClientError": UNREACHABLE,
    "BadSetting": USAGE,
    "BadSecret": USAGE,
    "OtherIdentity": UNREACHABLE,
    "BadPosition": UNREACHABLE,
    "BadEntry": NOT_TRUSTED,
    "WorkersDie": FAULT,
}
"""Exceptions of the other rooms that are sentences already, by name so that a quick command need not import them."""


def code_of(error: BaseException) -> int | None:
    """The exit code of an error that is a sentence already, None for an internal error."""
    if isinstance(error, Failure):
        return error.code
    return next((KNOWN[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in KNOWN), None)
