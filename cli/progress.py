"""A progress bar on standard error: only on a terminal, only after a second, and gone when what it told of is done."""

import os
import shutil
import sys
import time
from typing import Any, Final

from events.printable import printable

_AFTER_SECONDS: Final = 1.0
_EVERY_SECONDS: Final = 0.1
_FREE: Final = 3
"""Columns at the right that stay free: where a terminal shows ^C it must not begin a new line, or the bar is left there."""


class Bar:
    """Progress through work that has a weight; `words` say what of it there is to read. It is drawn by `tick` alone."""

    def __init__(self, label: str, *, quiet: bool = False) -> None:
        """`quiet` draws nothing, as where standard error is no terminal."""
        self._label = label
        self._shown = not quiet and sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"
        self._begun = self._drawn = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def tick(self, done: int, of: int | None, words: str) -> None:
        """Draws it if a second has passed since it was made and a tenth since the last time."""
        now = time.monotonic()
        if not self._shown or now - self._begun < _AFTER_SECONDS or now - self._drawn < _EVERY_SECONDS:
            return
        self._drawn = now
        if self._bar is None:
            self._begin()
        if of and done:
            words += f"  {_clock((now - self._begun) * max(of - done, 0) / done)} left"
        self._bar.console.width = max(shutil.get_terminal_size().columns - _FREE, 1)
        self._bar.update(self._task, completed=done, total=of, words=printable(words))
        self._bar.refresh()

    def close(self) -> None:
        """Takes it away, without a trace; the next tick draws it again."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _begin(self) -> None:
        from rich.console import Console  # here: most commands draw nothing
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = Progress(
            TextColumn(self._label, markup=False),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[words]}", markup=False),
            console=Console(stderr=True),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            expand=True,
        )
        self._task = self._bar.add_task(self._label, total=None, words="")
        self._bar.start()


def _clock(seconds: float) -> str:
    """``3:05``, or ``2:03:05``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
