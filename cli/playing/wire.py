"""The two threads that talk with the service: one waits for news, one carries moves. Each keeps trying while the service
cannot be reached, and tells the loop what it hears; neither ever draws.
"""

import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Final

from cli.failures import code_of
from cli.playing.messages import Back, Doubt, Json, Lost, Message, Moved, MustReveal, News, Over, harmless
from cli.playing.session import Pending
from cli.playing.witnessing import Watching
from events.printable import printable
from service.client.http import MAX_WAIT, Client, ClientError
from service.client.witness import Suspicion

_FIRST_SECONDS: Final = 0.2
_LONGEST_SECONDS: Final = 2.0  # somebody sits before the screen
_CALM_SECONDS: Final = 1.0  # a wait that ends at once without news is not repeated at once


class Wire:
    """Both threads. `tell` is called from them with every message."""

    def __init__(
        self, client: Client, game: str, tell: Callable[[Message], None], mend: Callable[[], None], watching: Watching
    ) -> None:
        """`watching` checks what comes, in the thread that waits for news. `mend` is called when the service could not be
        reached; it may start one and set the client's base."""
        self._client = client
        self._game = game
        self._tell = tell
        self._mend = mend
        self._watching = watching
        self._heads: dict[int, str] = {}
        self._moves: queue.SimpleQueue[Pending] = queue.SimpleQueue()
        self._ended = threading.Event()

    def start(self) -> None:
        """Begin to wait for news and for moves."""
        for work in (self._watch, self._carry):
            threading.Thread(target=self._guarded, args=(work,), name=f"play{work.__name__}", daemon=True).start()

    def send(self, move: Pending) -> None:
        """Carries a move until it is known what became of it; returns at once."""
        self._watching.asks(move.body)
        self._moves.put(move)

    def stop(self) -> None:
        """Begins nothing more. What is under way ends with the process."""
        self._ended.set()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Suspicion as error:
            self._tell(Doubt(f"{error} ({error.code}); the evidence is in {self._watching.path}"))
        except Exception as error:
            self._tell(Over(str(error) if code_of(error) else f"a fault of ours ({type(error).__name__}: {error})"))

    def _watch(self) -> None:
        known: Json | None = None
        while not self._ended.is_set():
            ask = partial(self._client.view, self._game, known, MAX_WAIT if known else 0)
            asked_at = self._watching.version
            view = self._until_answered(ask)
            if view is None:
                return
            if known is not None and view["version"] == known["version"]:
                self._ended.wait(_CALM_SECONDS)
                continue
            if not self._watching.check(view, self._events_after, asked_at):
                return
            known = view
            self._heads[view["version"]] = view["head"]
            self._tell(News(*(harmless(part) for part in (view, *self._story(view)))))
            if any(option["type"] == "reveal" for option in view["you"]["legal"]):
                self._watching.witness.require_fair_start()
                self._tell(MustReveal(self._watching.witness.own, view["version"]))

    def _events_after(self, version: int) -> Json | None:
        return self._until_answered(partial(self._client.get, f"/v1/games/{self._game}/events?after={version}"))

    def _story(self, view: Json) -> tuple[list[Json], Json]:
        """What the table alone does not show; nothing where it cannot be had just now."""
        path = f"/v1/games/{self._game}"
        try:
            steps = self._client.get(f"{path}/replay?hand={view['hand']}")["steps"] if view.get("hand") else []
            return steps, self._client.get(f"{path}/scoresheet")
        except ClientError:
            return [], {}

    def _carry(self) -> None:
        while not self._ended.is_set():
            move = self._moves.get()
            head = self._heads.get(move.version or 0)
            etag = None if head is None else f'"{move.version}.{head}"'  # the whole ETag: no other history takes this move
            ask = partial(self._client.move, self._game, move.body, move.key, move.version, etag)
            try:
                made = self._until_answered(ask, final=False)
            except ClientError as error:
                self._watching.was_refused(move.body)
                stale = error.code == "version_mismatch"
                self._tell(Moved(None, "the table changed while you typed: look again" if stale else printable(str(error))))
                continue
            if made is not None and self._watching.check(made["view"], self._events_after, 0):
                self._tell(Moved(harmless(made["view"])))

    def _until_answered(self, ask: Callable[[], Json], *, final: bool = True) -> Json | None:
        """Asks again and again until there is an answer; None when we have ended, or when it is a refusal and `final`.

        Raises the refusal (`ClientError`) where it is not.
        """
        pause, lost = _FIRST_SECONDS, False
        while not self._ended.is_set():
            try:
                answer = ask()
            except ClientError as error:
                if _is_refusal(error):
                    if final:
                        self._tell(Over(printable(str(error))))
                        return None
                    raise
                lost = True
                self._tell(Lost(printable(str(error))))
                self._ended.wait(pause)
                pause = min(2 * pause, _LONGEST_SECONDS)
                self._try_to_mend()
            else:
                if lost:
                    self._tell(Back())
                return answer
        return None

    def _try_to_mend(self) -> None:
        try:
            self._mend()
        except Exception as error:
            if code_of(error) is None:
                raise
            self._tell(Lost(printable(str(error))))


def _is_refusal(error: ClientError) -> bool:
    """Whether asking again would give the same answer."""
    return 400 <= error.status < 500 and error.status != 429
