"""What a player's client keeps and checks while it plays: the pinned key, the chain, every receipt, its own bytes.

It believes no answer: each event is chained and folded, each receipt verified, each view compared with the events. What
does not fit is written down and stops the client for good (fairness.md, The shuffle, 3; The receipt).
"""

import json
import os
import re
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from events import player_evidence, receipts
from events.canonical import NotCanonical, encode
from events.cards import Seat
from events.keys import is_game_id
from events.log import BadEvent, Stored
from events.shuffle import contribution
from events.types import ServerKey, data_of
from projections.verify.following import Asked, Following, Wrong

_HEX32: Final = re.compile(r"[0-9a-f]{64}\Z")
_UNSAFE: Final = re.compile("[^ -~]")


class Suspicion(Exception):
    """Something did not fit, and the evidence is kept; `code` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def keeper(path: Path) -> Callable[[bytes], None]:
    """Appends lines to a private file, each on the disk before it returns, and none that the file holds already: a game that is
    taken up again does not write them twice. A last line that was never finished is cut off."""
    path.touch(mode=0o600, exist_ok=True)
    with path.open("r+b") as file:
        whole = file.read()
        file.truncate(whole.rfind(b"\n") + 1)
    held = set(whole.splitlines(keepends=True))

    def keep(line: bytes) -> None:
        if line in held:
            return
        held.add(line)
        with path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    return keep


def heads_of(path: Path, game: str) -> dict[int, str]:
    """The heads that the receipts of a game in a kept file are for, by version; none without a file.

    Raises `UnreadableKept` for a file that is something else, and `OSError`.
    """
    if not path.exists():
        return {}
    with path.open("rb") as file:
        lines = player_evidence.read(file)
    return {line.seq: line.head for line in lines if isinstance(line, receipts.Receipt) and line.game == game}


def _keep_nothing(line: bytes) -> None:
    """For who wants only the checks."""


class Witness:
    """One seat's memory of one game. `keep` is called with each line of the kept file."""

    def __init__(self, keep: Callable[[bytes], None] | None = None) -> None:
        self._keep = keep or _keep_nothing
        self.own = secrets.token_hex(32)
        self.game = ""
        self.seat: Seat = "north"
        self.log = Following("", "north", "", "")
        self.stopped: Suspicion | None = None
        self.before: dict[int, str] = {}
        """Heads by version, of receipts from earlier sittings: this log must have them too."""
        self._ends: dict[int, tuple[str, int]] = {}
        self._receipted = 0
        self._opened_before = False

    @property
    def contribution(self) -> str:
        """What is said of our own bytes when we sit down."""
        return contribution(bytes.fromhex(self.own))

    @property
    def version(self) -> int:
        """The number of the last event we know."""
        return self.log.version

    @property
    def head(self) -> bytes:
        """The head there."""
        return self.log.head

    @property
    def key(self) -> ServerKey | None:
        """The signing key that event 1 names, once it is known."""
        return self.log.key

    @property
    def etag(self) -> str:
        """The whole ETag of the place we know, for If-Match."""
        return f'"{self.version}.{self.head.hex()}"'

    def etag_at(self, version: int | None) -> str:
        """The ETag of a place we know, or as much of it as there is to say; None for the newest."""
        if version is None:
            return self.etag
        head = self.log.heads.get(version)
        return f'"{version}"' if head is None else f'"{version}.{head.hex()}"'

    def keep_in(self, keep: Callable[[bytes], None]) -> None:
        """From now on lines are kept there."""
        self._keep = keep

    def require_after(self, lines: Sequence[Any], version: int) -> None:
        """Whether these events begin after a version. Raises `Suspicion`."""
        public = lines[0].get("public") if lines and isinstance(lines[0], dict) else None
        seq = public.get("seq") if isinstance(public, dict) else None
        if type(seq) is int and seq <= version:
            raise self.suspicion("events_missing", f"event {seq} came after event {version}", lines[0])

    def known_at_first(self, lines: Sequence[Any]) -> int:
        """How many of these events are known already; their heads must be those we know. Raises `Suspicion`."""
        count = 0
        for line in lines:
            public = line.get("public") if isinstance(line, dict) else None
            seq = public.get("seq") if isinstance(public, dict) else None
            head = self.log.heads.get(seq) if type(seq) is int else None
            if head is None:
                break
            if line.get("head") != head.hex():
                raise self.suspicion("head_mismatch", f"event {seq} is shown with another head than before", line)
            count += 1
        return count

    def sit(self, game: str, seat: Seat, key_id: str, head_after_2: str | None = None, asked: Asked | None = None) -> None:
        """The game and the key, pinned before any answer is believed: by the invite, or by the answer to our own create.

        `asked` is what the log must say of our own request. Raises `Suspicion` for what is no game, key or head.
        """
        heads = (key_id, head_after_2 if head_after_2 is not None else key_id)
        if not is_game_id(game) or not all(isinstance(text, str) and _HEX32.match(text) for text in heads):
            raise self.suspicion("bad_answer", "this is no game or no key", [game, *heads])
        self.game, self.seat = game, seat
        self.log = Following(game, seat, key_id, self.contribution, head_after_2, asked)
        self._keep(player_evidence.write(player_evidence.Pinned(game, key_id, seat)))
        self._keep(player_evidence.write(player_evidence.OwnBytes(self.own, game, seat)))

    def take(self, lines: Sequence[dict[str, Any]]) -> None:
        """The events that follow those we know, as the API gives them. Raises `Suspicion`."""
        self.go_on()
        for line in lines:
            if not isinstance(line, dict) or not isinstance(line.get("public"), dict):
                raise self.suspicion("not_an_event", f"event {self.version + 1} is none", line)
            before, begins = self.head, self.log.commit_ended or self.version == 0
            try:
                stored = Stored(encode(line["public"]), encode(line["sealed"]) if "sealed" in line else None)
                self.log.add(stored, line.get("head"))
            except NotCanonical as error:
                raise self.suspicion("not_an_event", f"event {self.version + 1}: {error}", line) from None
            except Wrong as wrong:
                raise self.suspicion(wrong.code, str(wrong), line) from None
            if ("receipt" in line) != self.log.commit_ended:
                code = "receipt_mismatch" if "receipt" in line else "receipt_missing"
                raise self.suspicion(code, f"event {self.version} has a receipt inside a commit, or none at its end", line)
            if self.before.get(self.version) not in (None, self.head.hex()):
                text = "this log is not the one we hold receipts of from the last sitting"
                raise self.suspicion("contradicts_receipt", text, line)
            if not begins or self.log.commit_ended:
                self._keep_event(before, stored.public)
            if "receipt" in line:
                self._ends[self.version] = (self.head.hex(), self.log.table.open.at)
                self.receipt(line["receipt"])

    def _keep_event(self, before: bytes, public: bytes) -> None:
        """Keeps what leads from the next receipt back to the head `before` (docs/spec/additions.md, What a player keeps)."""
        line = player_evidence.write(player_evidence.PublicEvent(before.hex(), self.game, public.decode(), self.version))
        if len(line) <= player_evidence.MAX_LINE and self.version > self._receipted:
            self._keep(line)

    def receipt(self, value: object, version: object = None) -> None:
        """A receipt for the place we know, or for an earlier `version`. Raises `Suspicion`."""
        self.go_on()
        try:
            receipt = receipts.read(encode(value))
        except (BadEvent, NotCanonical) as error:
            raise self.suspicion("bad_receipt", f"a receipt cannot be read: {error}", value) from None
        if self.key is None or not receipts.verified(receipt, self.key):
            raise self.suspicion("bad_signature", "a receipt is not signed by the pinned key", value)
        place = self.version if version is None else version
        head, at = self._ends.get(place, ("", 0)) if type(place) is int else ("", 0)
        right = (self.game, place, head, at)
        fits = (receipt.game, receipt.seq, receipt.head, receipt.at) == right
        if receipt.seq > self._receipted or not fits:
            self._keep(player_evidence.write(receipt))
        if not fits:
            text = f"the receipt of event {receipt.seq} is not for the events we were shown"
            raise self.suspicion("receipt_mismatch", text, value)
        self._receipted = max(self._receipted, receipt.seq)

    def shown(self, view: dict[str, Any]) -> None:
        """A view at the place we know: it must say what the events say. Raises `Suspicion`."""
        self.go_on()
        try:
            card = self.log.seen(view)
        except Wrong as wrong:
            raise self.suspicion(wrong.code, str(wrong), view) from None
        self.receipt(view.get("receipt"))
        if card is not None:
            self._keep(
                player_evidence.write(
                    data_of(player_evidence.Drawn, {"card": card, "game": self.game, "version": self.version})
                )
            )
        # The events may be asked for a moment after play has ended, the view for one before: the next one must say so.
        if self._opened_before and not self.log.table.open.ended:
            raise self.suspicion("wrong_owner", "sealed parts of others are shown although play goes on", view)
        self._opened_before = self.log.opened

    def require_fair_start(self) -> None:
        """Whether our own bytes may be revealed (fairness.md, The shuffle, 3). Raises `Suspicion` where not."""
        self.go_on()
        if not self.log.may_reveal() or self._receipted != self.version:
            raise self.suspicion("not_ready_to_reveal", "our bytes are asked for before the log vouches for the start", {})

    def go_on(self) -> None:
        """Raises the `Suspicion` that stopped us, if there was one: whoever caught it does not play on by mistake."""
        if self.stopped is not None:
            raise self.stopped

    def suspicion(self, code: str, message: str, answer: object) -> Suspicion:
        """Keeps the evidence, stops this client for good, and says that something is wrong."""
        text = answer if isinstance(answer, str) else json.dumps(answer, sort_keys=True, default=str)
        text = text[: player_evidence.MAX_ANSWER]
        said = _UNSAFE.sub("?", message)[:1000]
        self._keep(player_evidence.write(player_evidence.Evidence(_UNSAFE.sub("?", text), code, self.game, said)))
        self.stopped = Suspicion(code, said)
        return self.stopped
