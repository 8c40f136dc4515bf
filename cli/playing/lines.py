"""The face without a terminal, or on one that cannot be drawn on: what happens is told line by line, and a line of input
is taken when it is our turn. So a script can play.
"""

import contextlib
import os
import select
import sys
from typing import Final

from cli.playing import scores, table
from cli.playing.loop import Left
from cli.playing.prompts import HELP, prompt
from cli.playing.state import State
from cli.text import Style, say
from events.cards import DECK

_WIDE: Final = 10_000  # plain text is not folded


class Lines:
    """A `Face` of lines."""

    def __init__(self) -> None:
        self._style = Style()
        self._in = sys.stdin.fileno()
        self._heard, self._waker = os.pipe()
        os.set_blocking(self._heard, False)
        os.set_blocking(self._waker, False)
        self._buffer = b""
        self._closed = False
        self._told = 0
        self._scored = 0
        self._asked: list[str] = []

    def wake(self) -> None:
        """See `Face`."""
        with contextlib.suppress(OSError):  # full: it will wake anyway
            os.write(self._waker, b".")

    def show(self, state: State) -> None:
        """See `Face`: only what is new since the last time."""
        if not state.view:
            return
        for step in state.steps:
            if self._told < step["version"] <= state.version:
                self._told = step["version"]
                say(f"{step['position']}  {self._style.sentence(state.named(step['text']), DECK)}")
        for hand in state.sheet.get("hands", []):
            if hand["hand"] > self._scored:
                self._scored = hand["hand"]
                for line in scores.hand_lines(hand, state, self._style):
                    say(line)
        said = prompt(state, self._style, _WIDE)
        if _wants(state):
            you = state.view["you"]
            said = [*table.hand(state, self._style, _WIDE), *([f"You drew {you['drawn']}"] if "drawn" in you else []), *said]
        elif not (state.refusal or state.lost or state.view["phase"] == "waiting"):
            said = []
        if said != self._asked and not state.ended and not state.sending:
            self._asked = said
            for line in said:
                say(line.rstrip())
            sys.stdout.flush()

    def line(self, state: State) -> tuple[str, int] | None:
        """See `Face`. A pipe is read only when it is our turn: what stands in it is for later.

        Raises `Left` at the end of the input.
        """
        listens = sys.stdin.isatty() or (_wants(state) and not state.sending)
        while True:
            if listens and b"\n" in self._buffer:
                raw, self._buffer = self._buffer.split(b"\n", 1)
                self._asked = []
                return raw.decode(sys.stdin.encoding or "utf-8", "replace"), state.version
            if listens and self._closed:
                raise Left
            ready, _, _ = select.select([self._heard, *([self._in] if listens else [])], [], [])
            if self._heard in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._heard, 4096)
                return None
            raw = os.read(self._in, 4096)
            self._closed = not raw
            self._buffer += raw if raw or not self._buffer else b"\n"

    def page(self, kind: str, state: State) -> None:
        """See `Face`."""
        for line in HELP if kind == "help" else scores.sheet_lines(state, self._style):
            say(line)


def _wants(state: State) -> bool:
    """Whether something is asked of us; our bytes for the shuffle are revealed without a question."""
    return bool(state.legal.keys() - {"reveal"}) or state.asking is not None
