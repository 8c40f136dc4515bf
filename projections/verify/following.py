"""A log as one seat sees it grow: everything that can be checked of each event, and of each view, at once.

Pure: what does not fit raises `Wrong`; keeping the evidence and stopping is the client's part.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from events import receipts, shuffle
from events.cards import DECK, Seat
from events.log import BadEvent, NotCanonical, Stored, genesis, load, next_head, seal_of
from events.types import (
    REVIEW,
    CardDiscarded,
    CardKept,
    CardsExchanged,
    ContributionRevealed,
    Event,
    GameCreated,
    GameEnded,
    HandScored,
    HandStarted,
    OneCard,
    PlayerJoined,
    ServerKey,
)
from projections.audit import Source, audit
from projections.audit.codes import Code
from projections.fold import Impossible, apply
from projections.legal import discard_owner
from projections.table import empty
from projections.verify.acts import CLAIM, move_of, same_exchange
from projections.verify.viewing import differs
from projections.view import view


class Wrong(Exception):
    """Something that does not fit; `code` is stable."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class Asked(msgspec.Struct, frozen=True):
    """What a player asked for when sitting down; None where they did not say. `opponent` is the name across the table,
    `created` what fields of event 1 must hold."""

    name: str | None = None
    opponent: str | None = None
    created: Mapping[str, Any] = msgspec.field(default_factory=dict)


_JUDGED: Final = (HandStarted, HandScored, GameEnded, *REVIEW)
"""After which events all that came so far is audited."""


class Following:
    """One seat's log so far: the table as this seat may know it, the head, and the moves it asked for.

    `key_id` is the pinned key, `contribution` what the seat said of its own bytes, `head_after_2` what the invite says.
    `opened` is True once a part of somebody else's was shown, which only the end of play allows.
    `events` are those so far, as this seat may know them.
    """

    def __init__(
        self, game: str, seat: Seat, key_id: str, contribution: str, head_after_2: str | None = None, asked: Asked | None = None
    ) -> None:
        self.seat, self.table, self.head = seat, empty(game), genesis(game)
        self.key: ServerKey | None = None
        self.opened = False
        self.heads: dict[int, bytes] = {}
        self._key_id, self._contribution, self._head_after_2 = key_id, contribution, head_after_2
        self._asked = asked or Asked()
        self._root_commitment = ""
        self._stored: list[Stored] = []
        self.events: list[Event] = []
        self._moves: list[dict[str, Any]] = []
        self._drawn: str | None = None
        self._choice = ""
        self.past = 0
        """The last event from before this client was started: of moves up to there it does not know which were its own."""

    @property
    def version(self) -> int:
        """The number of the last event."""
        return self.table.open.version

    @property
    def commit_ended(self) -> bool:
        """Whether the last event is the last of its commit."""
        return self.version > 0 and self.table.open.due is None

    @property
    def unseen(self) -> int:
        """How many moves were asked for of which it is not known what became of them."""
        return len(self._moves)

    def asks(self, move: dict[str, Any]) -> None:
        """The seat is about to send this move."""
        self._moves.append(move)

    def count(self, move: dict[str, Any]) -> int:
        """How often this move was asked for and has not been seen in the log."""
        return self._moves.count(move)

    def was_refused(self, move: dict[str, Any]) -> None:
        """Forgets a move that was refused: it must not be in the log."""
        self._moves.remove(move)

    def add(self, stored: Stored, claimed_head: object) -> Event:
        """The next event. Raises `Wrong`."""
        try:
            event = load(stored)
        except (NotCanonical, BadEvent) as error:
            raise Wrong(Code.NOT_AN_EVENT, f"event {self.version + 1}: {error}") from None
        if event.seq != self.version + 1:
            raise Wrong(Code.EVENTS_MISSING, f"event {event.seq} came after event {self.version}")
        self.head = self.heads[event.seq] = next_head(self.head, stored.public)
        if claimed_head != self.head.hex():
            raise Wrong(Code.HEAD_MISMATCH, f"the head after event {event.seq} is not the one its bytes give")
        if stored.sealed is not None and seal_of(stored.sealed) != event.seal:
            raise Wrong(Code.SEAL_MISMATCH, f"what is shown of event {event.seq} is not what its seal was made of")
        if event.at < self.table.open.at:
            raise Wrong(Code.TIME_WENT_BACK, f"event {event.seq} is before event {event.seq - 1}")
        if event.owner not in (None, self.seat):
            self.opened = True  # of the others we fold nothing: their hands are none of our business
            stored, event = Stored(stored.public), load(Stored(stored.public))
        elif event.owner is not None and getattr(event.data, "seat", None) != self.seat:
            raise Wrong(Code.WRONG_OWNER, f"the sealed part of event {event.seq} is not ours, but is given to us as ours")
        self._stored.append(stored)
        self.events.append(event)
        self._check(event)
        try:
            self.table = apply(self.table, event)
        except Impossible as error:
            raise Wrong(Code.IMPOSSIBLE, f"event {event.seq}: {error}") from None
        if event.seq == 2 and self._head_after_2 not in (None, self.head.hex()):
            raise Wrong(Code.HEAD_MISMATCH, "the game begins otherwise than the invite says")
        if self.commit_ended and (self.table.open.hand == 0 or isinstance(event.data, _JUDGED)):
            self._judge()
        return event

    def _judge(self) -> None:
        """The audit of everything so far. It is made when the game begins, after each hand, and at a dispute."""
        o = self.table.open
        source = Source(o.game, tuple(self._stored), {o.version: self.head}, {}, o.version)
        for finding in audit(source).findings:
            if finding.code != Code.SEALED_MISSING:  # the others' parts are not for us to see
                raise Wrong(finding.code, finding.message)

    def _check(self, event: Event) -> None:
        data = event.data
        match data:
            case GameCreated():
                self._created(data)
            case PlayerJoined():
                self._joined(data)
            case ContributionRevealed():
                self._revealed(data)
            case GameEnded() if shuffle.root_commitment(bytes.fromhex(data.root)) != self._root_commitment:
                raise Wrong(Code.ROOT_MISMATCH, "the root published at the end is not the one event 1 committed to")
            case _:
                pass
        made = move_of(self.table.open, event)
        if made is not None and made[0] == self.seat and event.seq > self.past:
            self._ours(event, made[1])
        if getattr(data, "seat", None) == self.seat:
            self._sealed(event)

    def _created(self, data: GameCreated) -> None:
        self.key, self._root_commitment = data.server_key, data.root_commitment
        if data.server_key.id != self._key_id or receipts.key_problem(data.server_key):
            raise Wrong(Code.OTHER_SERVER_KEY, "event 1 names another signing key than the one pinned")
        for field, value in self._asked.created.items():
            if getattr(data, field) != value:
                raise Wrong(Code.OTHER_RULES, f"the game was made with another {field!r} than we asked for")

    def _joined(self, data: PlayerJoined) -> None:
        ours = data.seat == self.seat
        if ours and data.contribution is None:
            raise Wrong(Code.CONTRIBUTION_STRIPPED, "we brought bytes of our own, but the log says nothing of it")
        if ours != (data.contribution == self._contribution):
            text = "our contribution is not in the log as we gave it" if ours else "our contribution stands at the other seat"
            raise Wrong(Code.CONTRIBUTION_REPLACED, text)
        if ours and self._asked.name not in (None, data.name):
            raise Wrong(Code.OTHER_NAME, f"we sat down as {self._asked.name}, but the log says something else")
        if not ours and self._asked.opponent not in (None, data.name):
            raise Wrong(Code.OTHER_OPPONENT, f"we asked to play against {self._asked.opponent}, but somebody else sat down")

    def _revealed(self, data: ContributionRevealed) -> None:
        o = self.table.open
        if o.phase != "reveal" or o.turn != data.seat:
            raise Wrong(Code.REVEALED_EARLY, f"{data.seat}'s bytes were revealed out of order")

    def _ours(self, event: Event, made: dict[str, Any]) -> None:
        """A move of this seat must be one it asked for."""
        fits = [move for move in self._moves if move == made or same_exchange(move, event)]
        if made == CLAIM and not fits:
            return  # the service may notice by itself that a time ran out
        if not fits:
            raise Wrong(Code.NOT_OUR_MOVE, f"event {event.seq} is a move of ours that we did not make")
        self._moves.remove(fits[0])

    def _sealed(self, event: Event) -> None:
        """Our own sealed parts must be shown to us, and be the card we were shown before."""
        data, secret = event.data, event.secret
        if isinstance(data, CardKept):
            self._choice = data.choice
        rules = self.table.open.rules
        hidden = isinstance(data, CardDiscarded) and discard_owner(rules, data.seat, self._choice) == "house"
        if isinstance(data, CardKept | CardDiscarded | CardsExchanged) and (secret is None) != hidden:
            if secret is None:
                raise Wrong(Code.SEALED_MISSING, f"our own part of event {event.seq} is not shown to us")
            raise Wrong(Code.WRONG_OWNER, f"a part of event {event.seq} is shown as ours that nobody may see")
        first = isinstance(data, CardKept) if self._choice == "first" else isinstance(data, CardDiscarded)
        if first and isinstance(secret, OneCard) and self._drawn not in (None, secret.card):
            raise Wrong(Code.DRAWN_CARD_CHANGED, f"we were shown {self._drawn}, but {secret.card} is sealed")
        if isinstance(data, CardDiscarded):
            self._drawn = None

    def seen(self, shown: Mapping[str, Any]) -> str | None:
        """A view at this place: it must say what the events say. The card it shows for the first time. Raises `Wrong`."""
        o, own = self.table.open, self.table.own(self.seat)
        if (shown.get("version"), shown.get("head")) != (o.version, self.head.hex()):
            raise Wrong(Code.HEAD_MISMATCH, f"the view of version {str(shown.get('version'))[:20]!r} has another head")
        you = shown.get("you")
        card = you.get("drawn") if isinstance(you, dict) else None
        deciding = o.deciding and o.turn == self.seat
        if not deciding:
            self._drawn = None  # the other resigned, or a time ran out, before we had decided
        elif self._drawn is not None and self._drawn != card:
            raise Wrong(Code.DRAWN_CARD_CHANGED, f"we were shown {self._drawn}, then {str(card)[:20]!r}")
        possible = card in DECK and card not in own.hand and card not in own.discarded
        if (card is not None) != deciding or (deciding and not possible):
            raise Wrong(Code.VIEW_MISMATCH, "the view shows a drawn card that there cannot be, or none where there is one")
        drawn: Any = card
        right = view(o, self.head.hex(), None, self.seat, msgspec.structs.replace(own, drawn=drawn))
        key = differs(shown, msgspec.to_builtins(right))
        if key is not None:
            raise Wrong(Code.VIEW_MISMATCH, f"{key} of the view is not what the events make it")
        new = card is not None and self._drawn is None
        self._drawn = card
        return card if new else None

    def may_reveal(self) -> bool:
        """Whether the start is as it must be before our own bytes are given away (fairness.md, The shuffle, 3)."""
        o = self.table.open
        return o.phase == "reveal" and o.turn == self.seat and o.player(self.seat).contribution == self._contribution


def whole_invite(invite: str, secret: str, following: Following) -> bool:
    """Whether an invite pins the log that we have (fairness.md, The receipt)."""
    head = following.heads.get(2)
    return head is not None and following.key is not None and invite == f"{secret}.{head.hex()}.{following.key.id}"


__all__ = ["Asked", "Following", "Wrong", "whole_invite"]
