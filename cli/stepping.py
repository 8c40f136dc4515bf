"""``trickbook replay --step``: a game walked through by keys, one moment on the screen. It shows what the steps know and
works nothing out.
"""

from collections.abc import Callable, Sequence
from typing import Final

from cli.playing.fit import cells, fit, folded, weighed
from cli.playing.terminal import Terminal, why_not
from cli.stepping_screen import Looks, lines
from cli.text import Style, tell
from projections.positions import BadPosition
from projections.replay.step_lookup import opening
from projections.replay.walk import Step

_KEYS: Final = "space → next ← back  t trick  h hand  / go to  e explain  f flip  x hide  q quit"
_SHORT: Final = "space ← t h / e f x q   ? says what they do"
_HELP: Final = (
    "space, →   the next moment            ←       the one before",
    "t          the next trick             h       the next hand",
    "Home       the beginning              End     the end",
    "/          go to a position: v57, 3, 3.5, 3.5.2, 3.d7, 3.x1, 3.b2, 3.s",
    "e          explain this moment        f       flip the table",
    "x          hide the other hand        q       quit",
)


class Walk:
    """Where one is in a game and how one looks at it."""

    def __init__(self, steps: Sequence[Step], at: int) -> None:
        """`at` is the index of the step to begin with."""
        self._steps = steps
        self._at = at
        self._looks = Looks()
        self._typed: str | None = None
        self._notice = ""
        self._help = False

    def draw(self, terminal: Terminal, style: Style) -> None:
        """Shows the moment."""
        width, rows = terminal.size()
        place = f"{self._at + 1}/{len(self._steps)}"
        shown = lines(self._steps[self._at], self._looks, style, width, place)
        if self._help:
            shown = weighed(9, _HELP)
        below = folded(self._notice, width) if self._notice else []
        if self._typed is not None:
            below.append("Go to: " + self._typed)
        else:
            below.append(_KEYS if cells(_KEYS) <= width else _SHORT)
        kept = fit(shown, rows - len(below))
        whole = [*kept, *[""] * (rows - len(below) - len(kept)), *below]
        cursor = None if self._typed is None else (len(whole) - 1, cells("Go to: " + self._typed))
        terminal.draw(whole, cursor)

    def press(self, key: str) -> bool:
        """Does what a key says; False when it says to end."""
        if self._typed is not None:
            self._type(key)
            return True
        self._notice, self._help = "", key == "?"
        match key:
            case "q" | "eof":
                return False
            case " " | "right" | "down" | "enter":
                self._go(self._at + 1)
            case "left" | "up" | "backspace":
                self._go(self._at - 1)
            case "t":
                self._go(self._next(lambda step: step.trick is not None), "no trick is taken after this")
            case "h":
                hand = self._steps[self._at].hand
                self._go(self._next(lambda step: step.hand > hand), "this is the last hand")
            case "home":
                self._at = 0
            case "end":
                self._at = len(self._steps) - 1
            case "f":
                self._looks.flipped = not self._looks.flipped
            case "x":
                self._looks.hidden = not self._looks.hidden
            case "e":
                self._looks.explained = not self._looks.explained
            case "/":
                self._typed = ""
        return True

    def _go(self, index: int | None, otherwise: str = "") -> None:
        if index is None:
            self._notice = otherwise
        elif index < 0:
            self._notice = "this is the beginning"
        elif index >= len(self._steps):
            self._notice = "this is the end"
        else:
            self._at = index

    def _next(self, wanted: Callable[[Step], bool]) -> int | None:
        return next((i for i in range(self._at + 1, len(self._steps)) if wanted(self._steps[i])), None)

    def _type(self, key: str) -> None:
        """A key while a position is typed."""
        assert self._typed is not None
        if key == "enter":
            position, self._typed = self._typed.strip(), None
            if position:
                self._find(position)
        elif key in ("escape", "eof"):
            self._typed = None
        elif key == "backspace":
            self._typed = self._typed[:-1]
        elif key == "kill":
            self._typed = ""
        elif len(key) == 1 and len(self._typed) < 20:
            self._typed += key

    def _find(self, position: str) -> None:
        try:
            self._at = self._steps.index(opening(self._steps, position))
        except BadPosition as error:
            self._notice = str(error)


def walked(steps: Sequence[Step], start: Step) -> bool:
    """Walks until ``q``; the terminal is put back however this ends. False, and a word about it, where there is no terminal."""
    reason = why_not()
    if reason is not None:
        tell(f"trickbook: --step needs a terminal, and {reason}: the replay is printed instead")
        return False
    style = Style()
    walk = Walk(steps, next(i for i, step in enumerate(steps) if step is start))
    with Terminal() as terminal:
        while True:
            walk.draw(terminal, style)
            try:
                keys = terminal.read()
            except EOFError:
                return True
            if not all(walk.press(key) for key in keys):
                return True
