"""The game itself: messages from the wire and lines from the player change a state, a face shows it. A move is in the
session's file before it is sent, so that whatever happens it is made once.
"""

import queue
import uuid
from typing import Final, Protocol

from cli.failures import UNREACHABLE, Failure
from cli.playing import words
from cli.playing.messages import Back, Doubt, Lost, Message, Moved, MustReveal, News, Over
from cli.playing.opening import Seat
from cli.playing.session import Pending, Shelf
from cli.playing.state import State
from cli.playing.wire import Wire

_YES: Final = ("y", "yes")
_BLIND: Final = ("reveal", "look", "double_nil", "keep", "pass")
"""Moves whose meaning is in what lies on the table: they are made only on the table that was looked at."""


class Left(Exception):
    """The player goes away from a game that goes on."""


class Face(Protocol):
    """How a state is shown and lines are read."""

    def wake(self) -> None:
        """Makes `line` return; called from other threads."""

    def show(self, state: State) -> None:
        """Shows the state as it is now."""

    def line(self, state: State) -> tuple[str, int] | None:
        """A line and the version its writer looked at, None when woken. Raises `Left` at the end of the input."""

    def page(self, kind: str, state: State) -> None:
        """Shows the ``help`` or the score ``sheet``."""


class Loop:
    """One sitting at a table."""

    def __init__(self, seat: Seat, shelf: Shelf, face: Face) -> None:
        self._session = seat.session
        self._shelf = shelf
        self._face = face
        self._messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._wire = Wire(seat.player, self._hear, seat.mend, seat.kept)
        session = seat.session
        self.state = State(seat=session.seat, house=session.house, link=session.link, here=session.server is None)

    def run(self) -> State:
        """Plays until play has ended; the last state. Raises `Left`, `Failure`, `KeyboardInterrupt`."""
        if self._session.pending is not None:
            self._send(self._session.pending, again=True)
        self._wire.start()
        try:
            while True:
                self._take_messages()
                self._face.show(self.state)
                if self.state.ended and not self.state.sending and self._whole():
                    self._session.over = True
                    self._shelf.save(self._session)
                    return self.state
                read = self._face.line(self.state)
                if read is not None:
                    self._obey(*read)
        finally:
            self._wire.stop()

    def _whole(self) -> bool:
        """Whether the sheet has come that belongs to the end."""
        return "result" in self.state.sheet or bool(self.state.lost)

    def _hear(self, message: Message) -> None:
        self._messages.put(message)
        self._face.wake()

    def _take_messages(self) -> None:
        while not self._messages.empty():
            self._take(self._messages.get())

    def _take(self, message: Message) -> None:
        state = self.state
        match message:
            case News(view, steps, sheet):
                if view["version"] >= state.version:
                    state.view = view
                state.steps, state.sheet = steps or state.steps, sheet or state.sheet
                if self._session.link and view["phase"] != "waiting":  # it has been used
                    self._session.link = state.link = None
                    self._shelf.save(self._session, surely=False)
            case Moved(view, refused):
                state.sending, state.refusal = False, refused or ""
                self._session.pending = None
                self._shelf.save(self._session, surely=False)  # if this gets lost, the move is only asked about again
                if view is not None and view["version"] > state.version:
                    state.view = view
            case MustReveal(own, version):
                if not state.sending:
                    self._make({"type": "reveal", "bytes": own}, version)
            case Doubt(reason, exit_code):
                raise Failure(reason, exit_code)
            case Lost(reason):
                state.lost = reason
            case Back():
                state.lost = ""
            case Over(reason):
                raise Failure(f"this game cannot go on: {reason}", UNREACHABLE)

    def _obey(self, line: str, looked_at: int) -> None:
        state = self.state
        state.notice = state.refusal = ""
        if state.asking is not None:
            move, state.asking = state.asking, None
            if line.strip().lower() in _YES:
                self._make(move, looked_at)
            else:
                state.notice = "Not sent."
            return
        if not line.strip():
            return
        found = words.read(line, state.view)
        match found:
            case words.Wish("quit"):
                raise Left
            case words.Wish(kind):
                self._face.page(kind, state)
            case words.Unclear(reason):
                state.refusal = reason
            case words.Wanted(move, sure):
                if sure:
                    self._make(move, looked_at)
                else:
                    state.asking = move

    def _make(self, move: dict[str, object], looked_at: int) -> None:
        if self.state.sending:
            self.state.refusal = "your last move is still on its way"
            return
        pending = Pending(str(uuid.uuid4()), move, looked_at if move["type"] in _BLIND else self.state.version or None)
        self._session.pending = pending
        self._shelf.save(self._session)
        self._send(pending)

    def _send(self, pending: Pending, *, again: bool = False) -> None:
        self.state.sending = True
        self._wire.send(pending, again=again)
