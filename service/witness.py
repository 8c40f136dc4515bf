"""What a player's client keeps and checks while it plays: the pinned key, the chain, every receipt, its own bytes.

It believes no answer: each event is chained, each receipt verified, each drawn card compared with what is sealed. What
does not fit is written down and stops the client (fairness.md, The shuffle, 3; The receipt).
"""

import json
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from events import kept, receipts
from events.canonical import NotCanonical, encode
from events.cards import Seat, other
from events.log import BadEvent, Stored, genesis, load, next_head, seal_of
from events.shuffle import contribution
from events.types import CardDiscarded, CardKept, ContributionRevealed, GameCreated, OneCard, PlayerJoined, ServerKey, data_of


class Suspicion(Exception):
    """Something did not fit, and the evidence is kept; `code` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def keeper(path: Path) -> Callable[[bytes], None]:
    """Appends lines to a private file, each on the disk before it returns."""
    path.touch(mode=0o600, exist_ok=True)

    def keep(line: bytes) -> None:
        with path.open("ab") as file:
            file.write(line)
            file.flush()

    return keep


def _keep_nothing(line: bytes) -> None:
    """For who wants only the checks."""


class Witness:
    """One seat's memory of one game. `keep` is called with each line of the kept file."""

    def __init__(self, keep: Callable[[bytes], None] | None = None) -> None:
        self._keep = keep or _keep_nothing
        self.own = secrets.token_hex(32)
        self.game = ""
        self.seat: Seat = "north"
        self.version = 0
        self.head = b""
        self.key: ServerKey | None = None
        self._key_id = ""
        self._commitments: dict[Seat, str | None] = {}
        self._revealed: dict[Seat, str] = {}
        self._root_commitment = ""
        self._drawn: tuple[int, str] | None = None
        self._choice = ""
        self._invite_head: str | None = None
        self._receipted = 0

    @property
    def contribution(self) -> str:
        """What is said of our own bytes when we sit down."""
        return contribution(bytes.fromhex(self.own))

    @property
    def etag(self) -> str:
        """The whole ETag of the place we know, for If-Match."""
        return f'"{self.version}.{self.head.hex()}"'

    def sit(self, game: str, seat: Seat, key_id: str, head_after_2: str | None = None) -> None:
        """The game and the key, pinned before any answer is believed: by the invite, or by the answer to our own create."""
        self.game, self.seat, self._key_id, self._invite_head = game, seat, key_id, head_after_2
        self.head = genesis(game)
        self._keep(kept.write(kept.Pinned(game, key_id, seat)))
        self._keep(kept.write(kept.OwnBytes(self.own, game, seat)))

    def take(self, lines: Sequence[dict[str, Any]]) -> None:
        """The events that follow those we know, as the API gives them. Raises `Suspicion`."""
        for line in lines:
            public = line["public"]
            if public.get("seq") != self.version + 1:
                raise self._suspicion("events_missing", f"event {public.get('seq')} came after event {self.version}", line)
            self._event(line)
            if "receipt" in line:
                self.receipt(line["receipt"])

    def _event(self, line: dict[str, Any]) -> None:
        try:
            sealed = encode(line["sealed"]) if "sealed" in line else None
            stored = Stored(encode(line["public"]), sealed)
            event = load(stored)
        except (NotCanonical, BadEvent) as error:
            raise self._suspicion("not_an_event", f"event {self.version + 1}: {error}", line) from None
        self.version, self.head = event.seq, next_head(self.head, stored.public)
        if line.get("head") != self.head.hex():
            raise self._suspicion("head_mismatch", f"the head after event {event.seq} is not the one its bytes give", line)
        if sealed is not None and seal_of(sealed) != event.seal:
            raise self._suspicion("seal_mismatch", f"what is shown of event {event.seq} is not what its seal was made of", line)
        match event.data:
            case GameCreated(root_commitment=root, server_key=key):
                self._root_commitment, self.key = root, key
                if key.id != self._key_id or receipts.key_problem(key):
                    raise self._suspicion("other_server_key", "event 1 names another signing key than the one pinned", line)
            case PlayerJoined(seat=seat, contribution=brought):
                self._commitments[seat] = brought
                if seat == self.seat and brought != self.contribution:
                    raise self._suspicion("contribution_replaced", "our contribution is not in the log as we gave it", line)
            case ContributionRevealed(seat=seat, bytes=revealed):
                self._check_reveal(seat, revealed, line)
            case CardKept(seat=seat, choice=choice) if seat == self.seat:
                self._choice = choice
                self._compare(event.secret if choice == "first" else None, line)
            case CardDiscarded(seat=seat) if seat == self.seat:
                self._compare(event.secret if self._choice == "second" else None, line)
                self._drawn = None
            case _:
                pass
        if event.seq == 2 and self._invite_head is not None and self.head.hex() != self._invite_head:
            raise self._suspicion("head_mismatch", "the game begins otherwise than the invite says", line)

    def _check_reveal(self, seat: Seat, revealed: str, line: dict[str, Any]) -> None:
        committed = self._commitments.get(seat)
        if committed is None or contribution(bytes.fromhex(revealed)) != committed:
            raise self._suspicion("contribution_mismatch", f"the bytes revealed for {seat} are not those committed to", line)
        if len(self._commitments) < 2 or (seat == "north" and self._commitments["south"] and "south" not in self._revealed):
            raise self._suspicion("revealed_early", f"{seat}'s bytes were revealed out of order", line)
        if seat == self.seat and revealed != self.own:
            raise self._suspicion("contribution_replaced", "the bytes revealed for us are not ours", line)
        self._revealed[seat] = revealed

    def _compare(self, secret: object, line: dict[str, Any]) -> None:
        if self._drawn is not None and isinstance(secret, OneCard) and secret.card != self._drawn[1]:
            text = f"we were shown {self._drawn[1]}, but {secret.card} is sealed"
            raise self._suspicion("drawn_card_changed", text, line)

    def receipt(self, value: dict[str, Any]) -> None:
        """A receipt for the place we know. Raises `Suspicion`."""
        try:
            receipt = data_of(receipts.Receipt, value)
        except BadEvent as error:
            raise self._suspicion("bad_receipt", f"a receipt cannot be read: {error}", value) from None
        if self.key is None or not receipts.verified(receipt, self.key):
            raise self._suspicion("bad_signature", "a receipt is not signed by the pinned key", value)
        if receipt.seq > self._receipted or receipt.head != self.head.hex():
            self._keep(kept.write(receipt))
        self._receipted = max(self._receipted, receipt.seq)
        if (receipt.game, receipt.seq, receipt.head) != (self.game, self.version, self.head.hex()):
            text = f"the receipt of event {receipt.seq} is not for the events we were shown"
            raise self._suspicion("receipt_mismatch", text, value)

    def shown(self, view: dict[str, Any]) -> None:
        """A view at the place we know: its head, its receipt, the card it shows. Raises `Suspicion`."""
        if (view.get("version"), view.get("head")) != (self.version, self.head.hex()):
            raise self._suspicion("head_mismatch", f"the view of version {view.get('version')} has another head", view)
        self.receipt(view["receipt"])
        card = view.get("you", {}).get("drawn")
        if card is None:
            return
        if self._drawn is not None and self._drawn[1] != card:
            raise self._suspicion("drawn_card_changed", f"we were shown {self._drawn[1]}, then {card}", view)
        if self._drawn is None:
            self._keep(kept.write(kept.Drawn(card, self.game, self.version)))
        self._drawn = (self.version, card)

    def require_fair_start(self) -> None:
        """Whether our own bytes may be revealed (fairness.md, The shuffle, 3). Raises `Suspicion` where not."""
        ready = (
            self._root_commitment
            and len(self._commitments) == 2
            and self._commitments.get(self.seat) == self.contribution
            and self._receipted == self.version
            and (self.seat == "south" or not self._commitments[other(self.seat)] or "south" in self._revealed)
        )
        if not ready or self.seat in self._revealed:
            raise self._suspicion("not_ready_to_reveal", "our bytes are asked for before the log vouches for the start", {})

    def _suspicion(self, code: str, message: str, answer: Any) -> Suspicion:
        """Keeps the evidence, and says that something is wrong."""
        text = json.dumps(answer, sort_keys=True)[:3000].encode("ascii", "replace").decode()
        self._keep(kept.write(kept.Evidence(text, code, self.game, message[:1000])))
        return Suspicion(code, message)
