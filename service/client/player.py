"""A player at a service: one seat, its client and its witness. It plays, and believes nothing it has not checked.

What it chooses to play is decided elsewhere: by a bot, or by a person at a terminal. One thread may wait for news while
another one moves.
"""

import contextlib
import re
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from events.cards import Seat
from events.keys import is_game_id
from events.printable import printable
from projections.verify.following import Asked, whole_invite
from service.client.http import MAX_WAIT, Client, ClientError, UnexpectedAnswer
from service.client.requested import asked_for_game, asked_for_seat
from service.client.witness import Suspicion, Witness

Json = dict[str, Any]
_CALM_SECONDS: Final = 0.25
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,200}\Z")
_TOKEN: Final = re.compile(r"[!-~]{1,400}\Z")
NOT_TRICKBOOK: Final = "unexpected_answer"
"""The code of a `Suspicion` about an answer that is none of the API: nothing was said of the game, so nothing is proven."""


PLAYED_ON: Final = ("version_mismatch", "game_over")
"""Refusals that say that the game has gone on."""


def _nothing(answer: Json) -> None:
    """For a seat that is not kept."""


class Player:
    """One seat of one game. `keep` is where receipts go, see `service.client.witness`. Raises `ClientError`, `Suspicion`."""

    def __init__(self, service: str | Client, keep: Callable[[bytes], None] | None = None) -> None:
        self.client = Client(service) if isinstance(service, str) else service
        self.witness = Witness(keep)
        self.game = ""
        self.view: Json = {}
        self.invite = ""
        self.ask: Callable[[Callable[[], Json]], Json] = lambda request: request()
        """How a request is made; a client for people repeats it until there is an answer."""
        self._lock = threading.RLock()
        self._caught_up = True

    @property
    def link(self) -> str:
        """The link for the other seat, made of what was verified: the head after event 2 and the key (fairness.md)."""
        return f"{self.client.base}/g/{self.game}#join={self.invite}"

    def create(
        self,
        name: str,
        rules: Json | None = None,
        *,
        key: str | None = None,
        seated: Callable[[Json], None] = _nothing,
        **more: Any,
    ) -> Json:
        """Makes a game and sits north; the key of the answer is pinned, and what was requested must be in the log.

        `seated` gets the answer once its form is right and before anything else is asked for, to keep the token.
        """
        request = lambda: self.client.create(name, rules, key, contribution=self.witness.contribution, **more)  # noqa: E731
        answer = self._answer_to(request, "north")
        server_key = answer["server_key"]
        pin = server_key.get("id") if isinstance(server_key, dict) else None
        seated(answer)
        self._sit(answer, "north", pin, None, asked_for_game(name, rules, more))
        if "invite" in answer:
            self._check_invite(answer)
        return answer

    def _check_invite(self, answer: Json) -> None:
        """The invite that is passed on must pin what was shown here; else the friend could be shown another game."""
        secret = str(answer["invite"]).split(".", maxsplit=1)[0]
        link = str(answer.get("invite_link", f"#join={answer['invite']}"))
        whole = _SECRET.match(secret) and whole_invite(str(answer["invite"]), secret, self.witness.log)
        if not whole or not link.endswith(f"#join={answer['invite']}"):
            raise self.witness.suspicion("invite_mismatch", "the invite is not for the game that was made", answer)
        self.invite = answer["invite"]

    def join(
        self, game: str, name: str, invite: str, *, key: str | None = None, seated: Callable[[Json], None] = _nothing
    ) -> Json:
        """Sits south; the invite pins the key and the first events. Raises `Suspicion` for one that is not whole."""
        parts = invite.split(".")
        if len(parts) != 3:
            raise Suspicion("invite_not_whole", "the invite must be passed on whole: secret, head and key, with two dots")
        request = lambda: self.client.join(game, name, invite, key, contribution=self.witness.contribution)  # noqa: E731
        answer = self._answer_to(request, "south")
        if answer["game"] != game:
            raise self.witness.suspicion("other_game", self._other_game("a seat", answer["game"], game), answer)
        seated(answer)
        self._sit(answer, "south", parts[2], parts[1], asked_for_seat(name))
        return answer

    def resume(self, game: str, seat: Seat, token: str, pin: str, head_after_2: str | None) -> None:
        """Takes a seat up again. Moves up to the first view are not compared with what was sent: nobody remembers that."""
        self.client.token = token
        self.witness.sit(game, seat, pin, head_after_2)
        self.game, self._caught_up = game, False

    def _answer_to(self, request: Callable[[], Json], seat: Seat) -> Json:
        """The answer to a create or a join, with everything that must be in it."""
        answer = self._fetch(request)
        missing = {"game", "seat", "token", "server_key", "version", "view", "receipt"} - answer.keys()
        if missing:
            raise self.witness.suspicion("bad_answer", f"the answer lacks {', '.join(sorted(missing))}", answer)
        if answer["seat"] != seat or not isinstance(answer["token"], str) or not _TOKEN.match(answer["token"]):
            raise self.witness.suspicion("bad_answer", f"the answer does not seat us {seat}", answer)
        if not isinstance(answer["game"], str) or not is_game_id(answer["game"]):
            raise self.witness.suspicion("bad_answer", "the answer names no game", answer)
        return answer

    def _fetch(self, request: Callable[[], Json]) -> Json:
        """The answer to a request; one that is none of the API is kept as evidence."""
        self.witness.go_on()
        try:
            return self.ask(request)
        except UnexpectedAnswer as error:
            raise self.witness.suspicion(NOT_TRICKBOOK, str(error), error.evidence) from None

    def _sit(self, answer: Json, seat: Seat, key: Any, head: str | None, asked: Asked) -> None:
        self.witness.sit(answer["game"], seat, str(key), head, asked)
        self.game = self.witness.game
        self.see(answer["view"], 0)
        self.witness.receipt(answer["receipt"], answer["version"])

    def see(self, view: Any, asked_at: int) -> bool:
        """Checks everything up to the view's version, then takes the view; False for one older than what is known by now.

        `asked_at` was the version known when it was requested: a view from before that went back. Raises `Suspicion`.
        """
        with self._lock:
            self.witness.go_on()
            version = view.get("version") if isinstance(view, dict) else None
            if type(version) is not int:
                raise self.witness.suspicion("bad_answer", f"{self._who()} answered with no view of the game", view)
            if view.get("game") != self.game:
                text = self._other_game("a view", view.get("game"), self.game)
                raise self.witness.suspicion("other_game", text, view)
            if version < asked_at:
                self._prove_loss()
                text = f"version {version} is shown, but we were at version {asked_at}"
                raise self.witness.suspicion("went_back", text, view)
            if version < self.witness.version:
                return False
            self._catch_up(version)
            self.witness.shown(view)
            self.view = view
            return True

    def _prove_loss(self) -> None:
        """Sends the last receipt, so that an honest service that was put back freezes the game for both players."""
        receipt = self.view.get("receipt")
        if isinstance(receipt, dict):
            with contextlib.suppress(ClientError):
                self.client.compare_receipt(self.game, receipt)

    def _catch_up(self, version: int) -> None:
        """Follows the log up to a version. Raises `Suspicion`."""
        if not self._caught_up:
            self.witness.log.past, self._caught_up = version, True
        while self.witness.version < version:
            page = self._fetch(lambda: self.client.events(self.game, self.witness.version))
            lines = page.get("events")
            wanted = lines[: version - self.witness.version] if isinstance(lines, list) else []
            if not wanted:
                text = f"version {version} is shown, but its events are held back"
                raise self.witness.suspicion("events_missing", text, page)
            self.witness.take(wanted)

    def refresh(self, wait: int = MAX_WAIT) -> Json:
        """The view when there is news, or after `wait` seconds the one we know.

        Raises `ClientError` (`history_lost`) where the game is frozen.
        """
        with self._lock:
            known, asked_at = self.view, self.witness.version if self._caught_up else 0
        begun = time.monotonic()
        view = self._fetch(lambda: self.client.view(self.game, known=known or None, wait=wait if known else 0))
        if isinstance(view, dict) and "frozen" in view:
            lost = view["frozen"].get("version") if isinstance(view["frozen"], dict) else None
            text = (
                f"it is frozen, because the service lost part of its history (version {lost!r:.20} is missing). Keep your "
                "receipts; the game continues when the operator puts the newest copy back"
            )
            raise ClientError("history_lost", text, 409)
        self.see(view, asked_at)
        if wait and known and self.view is known and time.monotonic() - begun < _CALM_SECONDS:
            time.sleep(_CALM_SECONDS)  # there was no place to wait at: asking again at once would be a storm
        return self.view

    @property
    def legal(self) -> list[Json]:
        """What we may do now."""
        found: list[Json] = self.view.get("you", {}).get("legal", [])
        return found

    @property
    def ended(self) -> bool:
        """Whether play is over."""
        return bool(self.view.get("phase") == "ended")

    def must_reveal(self) -> bool:
        """Whether our own bytes are asked for."""
        return any(option["type"] == "reveal" for option in self.legal)

    def reveal(self) -> Json:
        """Reveals our own bytes, once what stands in the log has been checked. Raises `Suspicion` where it does not fit."""
        return self.move({"type": "reveal", "bytes": self.witness.own})

    def move(self, move: Json, key: str | None = None, version: int | None = None, *, again: bool = False) -> Json:
        """Makes a move on exactly the history we know: two histories cannot both take it. The answer, once it was checked.

        `version` is what the mover looked at, the newest known without one. `again` is a move of an earlier sitting, sent once
        more under its key. Raises `Suspicion`, and `ClientError` for a refusal.
        """
        if again and not self._caught_up:
            self.refresh(0)
        with self._lock:
            self.witness.go_on()
            if move.get("type") == "reveal" and not again:
                self.witness.require_fair_start()
            log = self.witness.log
            log.asks(move)
            pending, asked_at = log.count(move), self.witness.version
            etag = self.witness.etag_at(version)
        try:
            answer = self._fetch(lambda: self.client.move(self.game, move, key, etag=etag))
        except ClientError as error:
            if 400 <= error.status < 500 and error.status != 429:
                self._refused(move, error)
            raise
        with self._lock:
            self._moved(move, pending, answer, 0 if again else asked_at)
        return answer

    def _refused(self, move: Json, error: ClientError) -> None:
        with self._lock:
            if not self.witness.log.count(move):
                said = {"code": error.code, "message": str(error)}
                raise self.witness.suspicion("not_our_move", "a move of ours was refused, but it is in the log", said)
            self.witness.log.was_refused(move)

    def _moved(self, move: Json, pending: int, answer: Json, asked_at: int) -> None:
        """Checks the answer to a move: our move is in it, it continues what was known at `asked_at` (0 for a move of an earlier
        sitting), and its receipt is for it."""
        witness, lines, version = self.witness, answer.get("events"), answer.get("version")
        if not isinstance(lines, list) or type(version) is not int or not {"view", "receipt"} <= answer.keys():
            raise witness.suspicion("bad_answer", "the answer to our move cannot be read", answer)
        if not asked_at:
            self._catch_up(version)
        witness.require_after(lines, asked_at)
        witness.take(lines[witness.known_at_first(lines) :])
        known_before = version <= witness.log.past
        if version > witness.version or (not known_before and witness.log.count(move) >= pending):
            raise witness.suspicion("move_missing", "our move is not in the answer to it", answer)
        if known_before:
            witness.log.was_refused(move)  # it was made in an earlier sitting, and will not turn up again
        witness.receipt(answer["receipt"], version)
        self.see(answer["view"], version)

    def play(self, choose: Callable[[Json], Json]) -> int:
        """Plays to the end; `choose` gives the move of a view. The number of moves made."""
        moves = 0
        while not self.ended:
            if self.must_reveal():
                self.reveal()
            elif self.legal:
                try:
                    self.move(choose(self.view))
                except ClientError as error:
                    if error.code not in PLAYED_ON:
                        raise
                    self.after_a_refusal(error)
                    continue
            else:
                self.refresh()
                continue
            moves += 1
        return moves

    def after_a_refusal(self, error: ClientError) -> None:
        """The move on the newest place we know was refused with a code of `PLAYED_ON`: the other resigned, or ran out of time.
        Raises `Suspicion` where nothing at all has happened: the service has two histories."""
        before = self.witness.version
        self.refresh(wait=0)
        if self.witness.version == before:
            text = f"our move was refused ({error.code}), but the game is shown where we know it"
            raise self.witness.suspicion("move_refused", text, {"code": error.code, "message": str(error)})

    def _who(self) -> str:
        return f"The service at {self.client.base}"

    def _other_game(self, what: str, named: Any, wanted: str) -> str:
        return f"{self._who()} answered with {what} of game {printable(str(named)[:40])!r} instead of game {wanted}"
