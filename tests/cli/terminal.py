"""A command on a real pseudo-terminal, with its keyboard and its screen, for tests of what a person would see."""

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

from tests.kit.waiting import eventually

_RUN: Final = "from cli.main import main; main()"
COMMAND: Final = (sys.executable, "-c", _RUN)
"""Runs `trickbook`; its arguments follow."""

# The program gets the terminal as its own, so that Ctrl-C is a signal.
_TAKE: Final = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
_PIECE: Final = re.compile(r"\x1b\[(?P<args>[0-9;?]*)(?P<kind>[A-Za-z])|(?P<text>[^\x1b])", re.DOTALL)


class Screen:
    """As much of a terminal as our commands use. An unknown sequence fails the test."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.alternate = False
        self.cursor_shown = True
        self._at = (0, 0)
        self._clear()
        self._kept: tuple[list[list[str]], tuple[int, int]] | None = None
        self._rest = ""

    def text(self) -> str:
        """What stands there, without spaces at the ends of lines."""
        return "\n".join("".join(row).rstrip() for row in self._cells)

    def _clear(self) -> None:
        self._cells = [[" "] * self.columns for _ in range(self.rows)]

    def feed(self, text: str) -> None:
        text = self._rest + text
        cut = text.rfind("\x1b")
        if cut >= 0 and not _PIECE.match(text, cut):
            text, self._rest = text[:cut], text[cut:]
        else:
            self._rest = ""
        for piece in _PIECE.finditer(text):
            if piece["text"] is not None:
                self._character(piece["text"])
            else:
                self._sequence(piece["args"], piece["kind"])

    def _character(self, character: str) -> None:
        row, column = self._at
        if character == "\r":
            column = 0
        elif character == "\n":
            row += 1
        elif character not in "\x07\x08":
            if column == self.columns:
                row, column = row + 1, 0
            if row < self.rows:
                self._cells[row][column] = character
            column += 1
        while row >= self.rows:
            self._cells = [*self._cells[1:], [" "] * self.columns]
            row -= 1
        self._at = (row, column)

    def _sequence(self, args: str, kind: str) -> None:
        row, column = self._at
        match kind, args:
            case "H", _:
                numbers = [int(number) for number in args.split(";") if number] or [1, 1]
                self._at = (numbers[0] - 1, numbers[1] - 1)
            case "A", _:
                self._at = (max(row - int(args or 1), 0), column)
            case "K", "2":
                self._cells[row] = [" "] * self.columns
            case "K", _:
                self._cells[row][column:] = [" "] * (self.columns - column)
            case "J", _:
                self._cells[row][column:] = [" "] * (self.columns - column)
                self._cells[row + 1 :] = [[" "] * self.columns for _ in self._cells[row + 1 :]]
            case "h", "?1049":
                self.alternate, self._kept = True, ([list(line) for line in self._cells], self._at)
            case "l", "?1049":
                self.alternate = False
                self._cells, self._at = self._kept or (self._cells, self._at)
            case (("h" | "l"), "?25"):
                self.cursor_shown = kind == "h"
            case "m", _:
                pass
            case _:
                raise AssertionError(f"an unknown sequence: {args}{kind}")


class Terminal:
    """A command at its terminal; ended with the block."""

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        columns: int = 80,
        rows: int = 24,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._master, slave = os.openpty()
        self.size(columns, rows)
        self.before: list[Any] = termios.tcgetattr(slave)
        named = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(environment or {})}
        inherited = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-E", "-c", _TAKE, *command, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**inherited, **named},
            start_new_session=True,
        )
        self._slave = slave  # kept open: what was written stays readable, and the settings can be looked at
        self.raw = ""
        self._screen = Screen(columns, rows)
        self._undecoded = b""

    def size(self, columns: int, rows: int) -> None:
        """Gives the terminal another size, as dragging its window does."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if hasattr(self, "process"):
            self._screen = Screen(columns, rows)
            self.process.send_signal(signal.SIGWINCH)

    def press(self, text: str) -> Self:
        """Presses keys."""
        os.write(self._master, text.encode())
        return self

    def enter(self, line: str) -> Self:
        """Types a line."""
        return self.press(line + "\r")

    @property
    def screen(self) -> Screen:
        """What is to be seen now."""
        while select.select([self._master], [], [], 0)[0]:
            try:
                raw = self._undecoded + os.read(self._master, 65536)
            except OSError:
                break
            text, self._undecoded = _decoded(raw)
            self.raw += text
            self._screen.feed(text)
        return self._screen

    def text(self) -> str:
        """What is to be read on the screen now."""
        return self.screen.text()

    def until(self, *wanted: str, seconds: float = 15.0) -> str:
        """The screen's text once it has all of these."""
        text = ""

        def seen() -> str:
            nonlocal text
            text = self.text()
            return text if all(one in text for one in wanted) else ""

        try:
            return eventually(seen, seconds)
        except AssertionError:
            raise AssertionError(f"no {wanted!r} within {seconds} s on:\n{text}") from None

    def end(self, seconds: float = 10.0) -> int:
        """The exit code, once it has ended by itself."""
        limit = time.monotonic() + seconds
        while self.process.poll() is None:
            _ = self.screen  # a terminal that nobody reads is full some day
            assert time.monotonic() < limit, f"it goes on:\n{self.text()}"
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.01)
        return int(self.process.returncode)

    def restored(self) -> bool:
        """Whether the terminal is as it was before."""
        same: bool = termios.tcgetattr(self._slave) == self.before
        return same and not self.screen.alternate and self.screen.cursor_shown

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._slave)
        os.close(self._master)


def _decoded(raw: bytes) -> tuple[str, bytes]:
    """The text of whole characters, and what is left of one that is not."""
    for cut in range(4):
        with contextlib.suppress(UnicodeDecodeError):
            return raw[: len(raw) - cut].decode(), raw[len(raw) - cut :]
    raise AssertionError(f"no UTF-8: {raw[-20:]!r}")
