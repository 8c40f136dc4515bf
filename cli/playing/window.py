"""The face on a terminal: the table drawn anew after each event, and one line of input that stays while it changes."""

from typing import Final

from cli.playing import scores, table
from cli.playing.fit import Weighed, cells, fit, folded, weighed
from cli.playing.loop import Left
from cli.playing.prompts import HELP, prompt
from cli.playing.state import State
from cli.playing.terminal import Terminal
from cli.text import Style

_MARK: Final = "> "
_LONGEST: Final = 60
_HERE: Final = (
    "The service is your own and can be reached from this machine only. "
    "To play with somebody elsewhere, name a service that both of you reach: play --server URL."
)


class Window:
    """A `Face` on an entered terminal."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._style = Style()
        self._typed = ""
        self._looked_at = 0
        self._ready: list[tuple[str, int]] = []

    def wake(self) -> None:
        """See `Face`."""
        self._terminal.wake()

    def show(self, state: State) -> None:
        """See `Face`."""
        width, rows = self._terminal.size()
        above: list[Weighed] = table.lines(state, self._style, width) if state.view else []
        if state.link and state.view.get("phase", "waiting") == "waiting":
            passed = ["Pass this link on; whoever opens it first plays with you:", "", *_cut(state.link, width), ""]
            above += weighed(table.MUST, passed)
            if state.here:
                above += weighed(table.MAY, folded(_HERE, width, ""))
        below = prompt(state, self._style, width)
        room = rows - len(below) - 1
        shown = fit(above, room)
        lines = [*shown, *[""] * (room - len(shown)), *below, _MARK + self._typed]
        self._terminal.draw(lines, (len(lines) - 1, cells(_MARK + self._typed)))

    def line(self, state: State) -> tuple[str, int] | None:
        """See `Face`."""
        if not self._ready:
            self._read(state)
        return self._ready.pop(0) if self._ready else None

    def _read(self, state: State) -> None:
        try:
            left = state.seconds_left()
            keys = self._terminal.read(left if left is not None and left > 0 else None)
        except EOFError:
            raise Left from None
        for key in keys:
            if not self._typed:
                self._looked_at = state.version
            if key == "enter":
                self._ready.append((self._typed, self._looked_at))
                self._typed = ""
            elif key == "eof" and not self._typed:
                raise Left
            elif key == "backspace":
                self._typed = self._typed[:-1]
            elif key in ("kill", "escape"):
                self._typed = ""
            elif len(key) == 1 and len(self._typed) < _LONGEST:
                self._typed += key

    def page(self, kind: str, state: State) -> None:
        """See `Face`. Page by page, until the last one was seen; Enter or space goes on, q goes back."""
        if kind == "help":
            title, text = "What may be typed", list(HELP)
        else:
            title, text = "Score sheet", scores.sheet_lines(state, self._style)
        at, lines = 0, text
        while at < len(lines):
            width, rows = self._terminal.size()
            lines = [one for line in text for one in folded(line, width)]
            room = max(rows - 3, 1)
            piece, last = lines[at : at + room], at + room >= len(lines)
            ask = "Enter goes back to the table" if last else "Enter shows more, q goes back to the table"
            self._terminal.draw([self._style.heading(title), *piece, "", self._style.dim(ask)])
            keys = self._terminal.read()
            while keys and at < len(lines):
                key, *keys = keys
                if key in ("q", "escape"):
                    at = len(lines)
                elif key in ("enter", " ", "right", "down", "pagedown"):
                    at += room
            self._terminal.unread(keys)


def _cut(text: str, width: int) -> list[str]:
    """A link in pieces that fill their rows: so the terminal takes it for one line, also when it is copied."""
    return [text[at : at + width] for at in range(0, len(text), width)]
