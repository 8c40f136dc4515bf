"""A player at a service: one seat, its client and its witness. It plays, and believes nothing it has not checked.

What it chooses to play is somebody else's business: a bot's, or a person's.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from events.cards import Seat
from events.ruleset import BadRule, with_options
from projections.verify.following import Asked, whole_invite
from service.base.names import entered
from service.client.http import MAX_WAIT, Client, ClientError
from service.client.witness import Suspicion, Witness

_CALM_SECONDS: Final = 0.25


class Player:
    """One seat of one game. `keep` is where receipts go, see `service.client.witness`. Raises `ClientError`, `Suspicion`."""

    def __init__(self, base: str, keep: Callable[[bytes], None] | None = None) -> None:
        self.client = Client(base)
        self.witness = Witness(keep)
        self.game = ""
        self.view: dict[str, Any] = {}

    def create(self, name: str, rules: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """Makes a game and sits north; the key of the answer is pinned, and what we asked for must be in the log."""
        try:
            said = with_options(rules or {}).data()
        except BadRule:
            said = None  # the service says why it is refused
        answer = self._asked(lambda: self.client.create(name, rules, contribution=self.witness.contribution, **more))
        key = answer["server_key"].get("id") if isinstance(answer["server_key"], dict) else None
        self._sit(answer, "north", key, None, Asked(entered(name), said, more.get("first", "north")))
        if "invite" in answer:
            self._check_invite(answer)
        return answer

    def _check_invite(self, answer: dict[str, Any]) -> None:
        """The invite we pass on must pin what we have been told: else the other would be shown another game."""
        invite = str(answer["invite"])
        link = str(answer.get("invite_link", f"#join={invite}"))
        if not whole_invite(invite, invite.split(".")[0], self.witness.log) or not link.endswith(f"#join={invite}"):
            raise self.witness.suspicion("invite_mismatch", "the invite is not for the game that was made", answer)

    def join(self, game: str, name: str, invite: str) -> dict[str, Any]:
        """Sits south; the invite pins the key and the first events. Raises `Suspicion` for one that is not whole."""
        parts = invite.split(".")
        if len(parts) != 3:
            raise Suspicion("invite_not_whole", "the invite must be passed on whole: secret, head and key, with two dots")
        answer = self._asked(lambda: self.client.join(game, name, invite, contribution=self.witness.contribution))
        if answer["game"] != game:
            raise self.witness.suspicion("other_game", "we were seated in another game than we asked for", answer)
        self._sit(answer, "south", parts[2], parts[1], Asked(entered(name)))
        return answer

    def _asked(self, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The answer to a create or a join, with everything that must be in it."""
        try:
            answer = ask()
        except (KeyError, TypeError) as error:
            raise self.witness.suspicion("bad_answer", f"the answer lacks {error}", {}) from None
        missing = {"game", "seat", "server_key", "version", "view", "receipt"} - answer.keys()
        if missing:
            raise self.witness.suspicion("bad_answer", f"the answer lacks {', '.join(sorted(missing))}", answer)
        return answer

    def _sit(self, answer: dict[str, Any], seat: Seat, key: Any, head: str | None, asked: Asked) -> None:
        if answer["seat"] != seat:
            raise self.witness.suspicion("bad_answer", f"we were not seated {seat}", answer)
        self.witness.sit(str(answer["game"]), seat, str(key), head, asked)
        self.game = self.witness.game
        self._see(answer["view"])
        self.witness.receipt(answer["receipt"])

    def _see(self, view: dict[str, Any]) -> None:
        """Checks everything up to the view's version, then takes the view. Raises `Suspicion`."""
        version = view.get("version") if isinstance(view, dict) else None
        if type(version) is not int:
            raise self.witness.suspicion("bad_answer", "this is no view", view)
        if version < self.witness.version:
            text = f"version {version} is shown, but we were at version {self.witness.version}"
            raise self.witness.suspicion("went_back", text, view)
        while self.witness.version < version:
            page = self.client.get(f"/v1/games/{self.game}/events?after={self.witness.version}")
            lines = page.get("events") if isinstance(page, dict) else None
            wanted = lines[: version - self.witness.version] if isinstance(lines, list) else []
            if not wanted:
                text = f"version {version} is shown, but its events are held back"
                raise self.witness.suspicion("events_missing", text, page)
            self.witness.take(wanted)
        self.witness.shown(view)
        self.view = view

    def refresh(self, wait: int = MAX_WAIT) -> dict[str, Any]:
        """The view when there is news, or after `wait` seconds the one we know."""
        self.witness.go_on()
        known, asked = self.view.get("version"), time.monotonic()
        self._see(self.client.view(self.game, known=self.view, wait=wait))
        if wait and self.view.get("version") == known and time.monotonic() - asked < _CALM_SECONDS:
            time.sleep(_CALM_SECONDS)  # there was no place to wait at: asking again at once would be a storm
        return self.view

    @property
    def legal(self) -> list[dict[str, Any]]:
        """What we may do now."""
        found: list[dict[str, Any]] = self.view.get("you", {}).get("legal", [])
        return found

    @property
    def ended(self) -> bool:
        """Whether play is over."""
        return bool(self.view.get("phase") == "ended")

    def must_reveal(self) -> bool:
        """Whether our own bytes are asked for."""
        return any(option["type"] == "reveal" for option in self.legal)

    def reveal(self) -> dict[str, Any]:
        """Reveals our own bytes, once what stands in the log has been checked. Raises `Suspicion` where it does not fit."""
        return self.move({"type": "reveal", "bytes": self.witness.own})

    def move(self, move: dict[str, Any]) -> dict[str, Any]:
        """Makes a move on exactly the history we know: two histories cannot both take it."""
        self.witness.go_on()
        if move.get("type") == "reveal":
            self.witness.require_fair_start()
        log = self.witness.log
        log.asks(move)
        unseen = log.unseen
        try:
            answer = self.client.move(self.game, move, etag=self.witness.etag)
        except ClientError as error:
            if 400 <= error.status < 500:
                log.was_refused(move)
            raise
        events = answer.get("events") if isinstance(answer, dict) else None
        if not isinstance(events, list) or not {"version", "view", "receipt"} <= answer.keys():
            raise self.witness.suspicion("bad_answer", "the answer to our move cannot be read", answer)
        self.witness.take(events)
        if log.unseen == unseen or answer["version"] != self.witness.version:
            raise self.witness.suspicion("move_missing", "our move is not in the answer to it", answer)
        self.witness.receipt(answer["receipt"])
        self._see(answer["view"])
        return answer

    def play(self, choose: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
        """Plays to the end; `choose` gives the move of a view. The number of moves made."""
        moves = 0
        while not self.ended:
            if self.must_reveal():
                self.reveal()
            elif self.legal:
                try:
                    self.move(choose(self.view))
                except ClientError as error:
                    if error.code not in ("version_mismatch", "game_over"):
                        raise
                    self._after_a_refusal(error)
                    continue
            else:
                self.refresh()
                continue
            moves += 1
        return moves

    def _after_a_refusal(self, error: ClientError) -> None:
        """The other resigned, or ran out of time; if nothing at all has happened, the service has two histories."""
        before = self.witness.version
        self.refresh(wait=0)
        if self.witness.version == before:
            text = f"our move was refused ({error.code}), but the game is shown where we know it"
            raise self.witness.suspicion("move_refused", text, {"code": error.code, "message": str(error)})
