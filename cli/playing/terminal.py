"""A terminal that is drawn anew as a whole and hears single keys. It is put back as it was on every way out: the end, an
exception, Ctrl-C, SIGTERM, a stop by Ctrl-Z.
"""

import contextlib
import os
import select
import signal
import sys
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any, Final, Self

from cli.markup import coloured, escaped
from cli.playing.fit import clip, joined
from cli.playing.keys import Keys
from cli.text import encodable

try:
    import termios
except ImportError:  # a platform without terminals of this kind
    termios = None  # type: ignore[assignment]

_ENTER: Final = "\x1b[?1049h\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[0m\x1b[?1049l"
_ESCAPE_SECONDS: Final = 0.05  # a terminal sends the rest of a key at once; a person does not


def why_not() -> str | None:
    """Why standard input and output are no such terminal, None if they are."""
    if termios is None:
        return "this platform has no terminal of the kind that is needed"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "standard input and output are not both a terminal"
    if os.environ.get("TERM", "dumb") == "dumb":
        return "this terminal cannot be drawn on (TERM is dumb or unset)"
    return None


class Terminal:
    """Use as a context manager. `wake` may be called from any thread; `read` then returns."""

    def __init__(self) -> None:
        self._in, self._out = sys.stdin.fileno(), sys.stdout.fileno()
        self._keys = Keys(sys.stdin.encoding or "utf-8")
        self._unread: list[str] = []
        self._before: dict[int, Any] = {}
        self._heard, self._waker = os.pipe()
        os.set_blocking(self._heard, False)
        os.set_blocking(self._waker, False)

    def size(self) -> tuple[int, int]:
        """Columns and rows now."""
        try:
            columns, rows = os.get_terminal_size(self._out)
        except OSError:
            return 80, 24
        return (columns, rows) if columns and rows else (80, 24)

    def draw(self, lines: Sequence[str], cursor: tuple[int, int] | None = None) -> None:
        """The whole screen, its lines escaped, written at once; `cursor` is a row and a column from 0, None for no cursor."""
        columns, rows = self.size()
        wanted = [*lines, *[""] * rows][:rows]
        shown = [clip(encodable(escaped(line), sys.stdout.encoding), columns) for line in wanted]
        where = "" if cursor is None else f"\x1b[{min(cursor[0], rows - 1) + 1};{min(cursor[1], columns - 1) + 1}H\x1b[?25h"
        self._write("\x1b[?25l\x1b[H" + coloured(joined(shown, columns)) + where)

    def read(self, seconds: float | None = None) -> list[str]:
        """The keys that were pressed; none after `wake`, a new size or so many seconds. Raises `EOFError`."""
        if self._unread:
            found, self._unread = self._unread, []
            return found
        ready, _, _ = select.select([self._in, self._heard], [], [], seconds)
        if self._heard in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._heard, 4096)
        if self._in not in ready:
            return []
        found = self._bytes()
        while self._keys.unfinished:
            if not select.select([self._in], [], [], _ESCAPE_SECONDS)[0]:
                return found + self._keys.finish()
            found += self._bytes()
        return found

    def unread(self, keys: list[str]) -> None:
        """Gives back keys that are for somebody else: the next `read` has them."""
        self._unread = keys

    def wake(self) -> None:
        """Makes `read` return."""
        with contextlib.suppress(OSError):  # full: it will wake anyway; closed: nobody reads
            os.write(self._waker, b".")

    def _bytes(self) -> list[str]:
        try:
            raw = os.read(self._in, 4096)
        except OSError:  # the terminal has gone
            raw = b""
        if not raw:
            raise EOFError
        return self._keys.feed(raw)

    def _write(self, text: str) -> None:
        raw = text.encode(sys.stdout.encoding or "ascii", "replace")
        while raw:
            raw = raw[os.write(self._out, raw) :]

    def __enter__(self) -> Self:
        sys.stdout.flush()
        self._saved = termios.tcgetattr(self._in)
        for signum in (signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGWINCH):
            self._before[signum] = signal.getsignal(signum)
        for signum in (signal.SIGTERM, signal.SIGHUP):
            if self._before[signum] is not signal.SIG_IGN:
                signal.signal(signum, _end)
        signal.signal(signal.SIGTSTP, self._stop)
        signal.signal(signal.SIGWINCH, self._resized)
        try:
            self._take()
        except BaseException:
            self._give_back()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not come in between
        try:
            self._give_back()
            for signum, handler in self._before.items():
                signal.signal(signum, handler)
            os.close(self._heard)
            os.close(self._waker)
        finally:
            signal.signal(signal.SIGINT, interrupt)

    def _take(self) -> None:
        wanted = termios.tcgetattr(self._in)
        wanted[3] &= ~(termios.ICANON | termios.ECHO)  # signals stay: Ctrl-C is heard whatever is going on
        wanted[6][termios.VMIN], wanted[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._in, termios.TCSADRAIN, wanted)
        self._write(_ENTER)

    def _give_back(self) -> None:
        with contextlib.suppress(OSError):
            self._write(_LEAVE)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self._in, termios.TCSADRAIN, self._saved)

    def _resized(self, signum: int, frame: FrameType | None) -> None:
        self.wake()

    def _stop(self, signum: int, frame: FrameType | None) -> None:
        """Ctrl-Z: the shell gets its terminal back, and we ours when we go on."""
        self._give_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._stop)
        self._take()
        self.wake()


def _end(signum: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + signum)
