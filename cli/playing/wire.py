"""The two threads that talk with the service: one waits for news, one carries moves. Each keeps trying while the service
cannot be reached, and sends the loop what it learns; neither ever draws. What is learned was checked by the seat's `Player`.
"""

import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from cli.failures import NOT_TRUSTED, UNREACHABLE, code_of
from cli.playing.messages import Back, Doubt, Lost, Message, Moved, MustReveal, News, Over
from cli.playing.session import Pending
from cli.playing.story import story_of
from service.client.http import ClientError, UnexpectedAnswer
from service.client.player import NOT_TRICKBOOK, PLAYED_ON, Player
from service.client.witness import Suspicion

_FIRST_SECONDS: Final = 0.2
_LONGEST_SECONDS: Final = 2.0  # somebody sits before the screen
_CALM_SECONDS: Final = 1.0  # a wait that ends at once without news is not repeated at once


class _Ended(Exception):
    """The wire was stopped while a request was being repeated."""


class Wire:
    """Both threads. `tell` is called from them with every message."""

    def __init__(self, player: Player, tell: Callable[[Message], None], mend: Callable[[], None], kept: Path) -> None:
        """`kept` is the file of evidence. `mend` is called when the service could not be reached; it may start one and set
        the client's base."""
        self._player = player
        self._tell = tell
        self._mend = mend
        self._kept = kept
        self._moves: queue.SimpleQueue[tuple[Pending, bool]] = queue.SimpleQueue()
        self._ended = threading.Event()
        player.ask = self._until_answered

    def start(self) -> None:
        """Begin to wait for news and for moves."""
        for work in (self._watch, self._carry):
            threading.Thread(target=self._guarded, args=(work,), name=f"play{work.__name__}", daemon=True).start()

    def send(self, move: Pending, *, again: bool = False) -> None:
        """Carries a move until it is known what became of it; returns at once. `again` is one of an earlier sitting."""
        self._moves.put((move, again))

    def stop(self) -> None:
        """Begins nothing more. What is under way ends with the process."""
        self._ended.set()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except _Ended:
            pass
        except Suspicion as error:
            self._tell(doubt(error, self._kept))
        except ClientError as error:
            self._tell(Over(str(error)))
        except Exception as error:
            known = code_of(error) is not None
            self._tell(Over(str(error) if known else f"Internal error ({type(error).__name__}: {error})"))

    def _watch(self) -> None:
        player, shown = self._player, 0
        view = player.view or player.refresh(0)
        while not self._ended.is_set():
            if view["version"] == shown:
                self._ended.wait(_CALM_SECONDS)
            else:
                shown = view["version"]
                self._tell(News(view, *story_of(player)))
                if player.must_reveal():
                    player.witness.require_fair_start()
                    self._tell(MustReveal(player.witness.own, shown))
            view = player.refresh()

    def _carry(self) -> None:
        while not self._ended.is_set():
            move, again = self._moves.get()
            try:
                self._player.move(move.body, move.key, move.version, again=again)
            except ClientError as error:
                self._judge(move, error)
                stale = error.code == "version_mismatch"
                self._tell(Moved(None, "the table changed while you typed: look again" if stale else str(error)))
            else:
                self._tell(Moved(self._player.view))

    def _judge(self, move: Pending, error: ClientError) -> None:
        """Raises `Suspicion` for a refusal that no honest service gives."""
        player = self._player
        if error.code in PLAYED_ON:
            if move.version in (None, player.witness.version):
                player.after_a_refusal(error)
        elif move.body.get("type") == "reveal":
            text = f"the service asks for our bytes and refuses them: {error}"
            raise player.witness.suspicion("move_refused", text, {"code": error.code, "message": str(error)})

    def _until_answered(self, request: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Sends a request again and again until there is an answer. Raises `ClientError` for a refusal and for an answer that
        is none of the API, `_Ended` once the wire was stopped."""
        pause, lost = _FIRST_SECONDS, False
        while not self._ended.is_set():
            try:
                answer = request()
            except ClientError as error:
                if _is_final(error):
                    raise
                lost = True
                self._tell(Lost(str(error)))
                self._ended.wait(pause)
                pause = min(2 * pause, _LONGEST_SECONDS)
                self._try_to_mend()
            else:
                if lost:
                    self._tell(Back())
                return answer
        raise _Ended

    def _try_to_mend(self) -> None:
        try:
            self._mend()
        except Exception as error:
            if code_of(error) is None:
                raise
            self._tell(Lost(str(error)))


def doubt(error: Suspicion, kept: Path) -> Doubt:
    """What a player is shown of a suspicion, with its exit code: an answer that is none of the API proves nothing about the
    game, everything else says that it cannot be trusted."""
    if error.code == NOT_TRICKBOOK:
        return Doubt(f"{error}. The answer is in {kept}", UNREACHABLE)
    return Doubt(
        f"this game is not what it should be, and you should not play on: {error} ({error.code}); the evidence is in {kept}",
        NOT_TRUSTED,
    )


def _is_final(error: ClientError) -> bool:
    """Whether asking again would give the same answer."""
    return isinstance(error, UnexpectedAnswer) or (400 <= error.status < 500 and error.status != 429)
