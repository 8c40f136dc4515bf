"""What ``play`` checks while a person plays: every view against the events, under the key that was pinned, with receipts kept.

The witness itself is `service.client.witness`; here it is fed from the wire's two threads, and taken up again after a resume.
"""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cli.playing.session import Session
from events import player_evidence
from events.cards import Seat
from events.receipts import Receipt
from service.client.witness import Witness, keeper

Json = dict[str, Any]


class Watching:
    """A session's witness. The file of what it keeps grows with the game, also over several sittings."""

    def __init__(self, session: Session, path: Path) -> None:
        """`session` has its pin and its own bytes. Raises `Suspicion` for a pin that is none, `UnreadableKept`, `OSError`."""
        assert session.own is not None
        assert session.pin is not None
        self.path = path
        self._before = _receipts(path, session.game)
        self.witness = Witness(keeper(path))
        self.witness.own = session.own
        seat: Seat = "north" if session.seat == "north" else "south"
        self.witness.sit(session.game, seat, session.pin, session.pin_head)
        self._caught_up = False
        self._lock = threading.Lock()

    def asks(self, move: Json) -> None:
        """This move is about to be sent; it may be found in the log from now on."""
        self.witness.log.asks(move)

    def was_refused(self, move: Json) -> None:
        """This move was refused."""
        self.witness.log.was_refused(move)

    @property
    def version(self) -> int:
        """What is known now; no answer to a question asked from now on may be older."""
        return self.witness.version

    def check(self, view: Json, events_after: Callable[[int], Json | None], asked_at: int) -> bool:
        """Follows the log up to the view, and the view itself; False when the wire has ended meanwhile. Raises `Suspicion`.

        `events_after` gives a page of events, None when there will be no answer any more; `asked_at` is the `version` when the
        view was asked for: one that is older than what the other thread has learnt meanwhile is only late.
        """
        with self._lock:
            return self._check(view, events_after, asked_at)

    def _check(self, view: Json, events_after: Callable[[int], Json | None], asked_at: int) -> bool:
        witness = self.witness
        version = view.get("version")
        if type(version) is not int or version < asked_at:
            raise witness.suspicion("went_back", f"version {str(version)[:20]} is shown after version {asked_at}", view)
        if version < witness.version:
            return True
        if not self._caught_up:
            witness.log.past = version  # what we did before this sitting we do not remember move by move
        while witness.version < version:
            page = events_after(witness.version)
            if page is None:
                return False
            lines = page.get("events")
            wanted = lines[: version - witness.version] if isinstance(lines, list) else []
            if not wanted:
                raise witness.suspicion("events_missing", f"version {version} is shown, but its events are held back", page)
            self._compare(wanted)
            witness.take(wanted)
        witness.shown(view)
        self._caught_up = True
        return True

    def _compare(self, lines: Sequence[Json]) -> None:
        """The heads of receipts we were given in an earlier sitting must be in this log."""
        for line in lines:
            public = line.get("public") if isinstance(line, dict) else None
            before = self._before.get(public.get("seq", 0)) if isinstance(public, dict) else None
            if before is not None and line.get("head") != before:
                text = "this log is not the one we hold receipts of from the last sitting"
                raise self.witness.suspicion("contradicts_receipt", text, line)


def _receipts(path: Path, game: str) -> dict[int, str]:
    """The heads we hold receipts of, by version. Raises `UnreadableKept` where the file is something else."""
    if not path.exists():
        return {}
    with path.open("rb") as file:
        return {line.seq: line.head for line in player_evidence.read(file) if isinstance(line, Receipt) and line.game == game}
