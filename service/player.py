"""A player at a service: one seat, its client and its witness. It plays, and believes nothing it has not checked.

What it chooses to play is somebody else's business: a bot's, or a person's.
"""

from collections.abc import Callable
from typing import Any, Final

from events.cards import Seat
from service.client import MAX_WAIT, Client, ClientError
from service.witness import Suspicion, Witness

_PAGE: Final = 500


class Player:
    """One seat of one game. `keep` is where receipts go, see `service.witness`. Raises `ClientError`, `Suspicion`."""

    def __init__(self, base: str, keep: Callable[[bytes], None] | None = None) -> None:
        self.client = Client(base)
        self.witness = Witness(keep)
        self.game = ""
        self.view: dict[str, Any] = {}

    def create(self, name: str, rules: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """Makes a game and sits north; the key of the answer is pinned."""
        answer = self.client.create(name, rules, contribution=self.witness.contribution, **more)
        self._sit(answer, "north", answer["server_key"]["id"], None)
        return answer

    def join(self, game: str, name: str, invite: str) -> dict[str, Any]:
        """Sits south; the invite pins the key and the first events. Raises `Suspicion` for one that is not whole."""
        parts = invite.split(".")
        if len(parts) != 3:
            raise Suspicion("invite_not_whole", "the invite must be passed on whole: secret, head and key, with two dots")
        answer = self.client.join(game, name, invite, contribution=self.witness.contribution)
        self._sit(answer, "south", parts[2], parts[1])
        return answer

    def _sit(self, answer: dict[str, Any], seat: Seat, key: str, head: str | None) -> None:
        self.game = answer["game"]
        self.witness.sit(self.game, seat, key, head)
        self._see(answer["view"])

    def _see(self, view: dict[str, Any]) -> None:
        """Checks everything up to the view's version, then takes the view. A view that is older than what we know is none."""
        while self.witness.version < view["version"]:
            page = self.client.get(f"/v1/games/{self.game}/events?after={self.witness.version}")["events"]
            until = [line for line in page if line["public"]["seq"] <= view["version"]]
            if not until:
                raise Suspicion("events_missing", f"version {view['version']} is shown, but its events are held back")
            self.witness.take(until)
        if view["version"] == self.witness.version:
            self.witness.shown(view)
            self.view = view

    def refresh(self, wait: int = MAX_WAIT) -> dict[str, Any]:
        """The view when there is news, or after `wait` seconds the one we know."""
        self._see(self.client.view(self.game, known=self.view, wait=wait))
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
        self.witness.require_fair_start()
        return self.move({"type": "reveal", "bytes": self.witness.own})

    def move(self, move: dict[str, Any]) -> dict[str, Any]:
        """Makes a move on exactly the history we know: two histories cannot both take it."""
        answer = self.client.move(self.game, move, etag=self.witness.etag)
        events = answer["events"]
        if events[0]["public"]["seq"] == self.witness.version + 1:
            self.witness.take(events)
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
                    self.refresh(wait=0)  # the other resigned, or ran out of time
                    continue
            else:
                self.refresh()
                continue
            moves += 1
        return moves
