"""A glance at a game: what the first and the last entry of its log tell, read for thousands of games without a fold.

It only says which games are worth a fold; that decides.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import structlog

from events.log import BadEvent, Commit, NotCanonical, Stored, load
from events.store import GameStore
from events.types import (
    BidPlaced,
    CardDiscarded,
    CardPlayed,
    CardsExchanged,
    ContributionRevealed,
    Data,
    DoubleNilBid,
    GameCreated,
    GameEnded,
    GameSecrets,
    HandStarted,
    Looked,
    PlayerJoined,
)
from projections.view import REVEAL_SECONDS
from service.base.identity import Identity, invite_hash, same

ABANDONED_MS: Final = 30 * 24 * 60 * 60 * 1000
"""A game in which nothing happened for so long is over."""

_PLAY: Final[tuple[type[Data], ...]] = (
    *(PlayerJoined, ContributionRevealed, HandStarted, Looked, DoubleNilBid, CardDiscarded, CardsExchanged, BidPlaced),
    *(CardPlayed, GameEnded),
)
"""Last events that alone tell whether a time can have run out. After any other the game is folded."""

_LOOK_MS: Final = 20 * 1000
_OFTEN_MS: Final = 10 * 60 * 1000
_WINDOW_MS: Final = 2 * 60 * 1000

log = structlog.get_logger("trickbook.sweep")


class Glance(msgspec.Struct, frozen=True):
    """What the first and the last entry of a log tell, without a fold. Times in ms."""

    game: str
    version: int
    idle: int
    limit: int | None
    ended: bool
    house: bool
    told: bool
    """False where these entries do not tell whether a time ran out."""

    @property
    def overdue(self) -> bool:
        """Whether the game may be over by the clock; its fold decides."""
        return not self.ended and (
            not self.told or self.idle >= ABANDONED_MS or (self.limit is not None and self.idle >= self.limit)
        )

    @property
    def forgotten(self) -> bool:
        """Whether it is time to ask if the house is to move: soon after the last event and for ten minutes, then after
        ten, twenty, forty … minutes, so that a table its player has left costs next to nothing."""
        if self.ended or not self.house or self.idle < _LOOK_MS:
            return False
        if self.idle < _OFTEN_MS:
            return True
        step = _OFTEN_MS << ((self.idle // _OFTEN_MS).bit_length() - 1)
        return self.idle - step < _WINDOW_MS


def glances(store: GameStore, identity: Identity, candidates: Iterable[str], now: int) -> Iterator[Glance]:
    """A glance at each game whose first and last entries can be read."""
    for game, first, last in store.ends(candidates):
        try:
            yield _glance(identity, game, first, last, now)
        except (BadEvent, NotCanonical) as error:
            log.warning("sweep_cannot_read", game=game, reason=str(error))  # its audit names the place


def _glance(identity: Identity, game: str, first: Commit, last: Commit, now: int) -> Glance:
    created, event = load(first.events[0]), load(Stored(last.events[-1].public))
    rules = created.data.rules if isinstance(created.data, GameCreated) else {}
    seconds = rules.get("turn_seconds")
    if seconds is None and _reveal_is_due(event.seq, event.data):
        seconds = REVEAL_SECONDS
    waiting = isinstance(event.data, PlayerJoined) and event.seq == 2
    return Glance(
        game,
        last.seq,
        now - event.at,
        1000 * seconds if isinstance(seconds, int) and not waiting else None,
        isinstance(event.data, GameEnded),
        isinstance(created.secret, GameSecrets) and same(invite_hash(identity.house_invite(game)), created.secret.invite_hash),
        isinstance(event.data, _PLAY),
    )


def _reveal_is_due(seq: int, data: Data) -> bool:
    """Whether a commit that ends so leaves a reveal to be made: otherwise the first hand would follow in it."""
    return isinstance(data, ContributionRevealed) or (isinstance(data, PlayerJoined) and seq > 2)
