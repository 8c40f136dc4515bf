"""What the operator may do to games and names, each with a reason, each noted in the journal of the store."""

import secrets
import unicodedata
from typing import Final

from events.journal import Kind, Note
from events.store import FrozenGame, GameStore
from events.types import LossAccepted, Reason
from projections.hiding import HIDDEN, hidden_by
from projections.table import Open, Result
from service.games.commands import AcceptLoss, EndGame
from service.games.handler import Games, MoveRequest
from service.games.reading import undamaged
from service.games.refusals import Refused

MAX_WHY: Final = 500
MAX_NAME: Final = 64
"""The longest name a record from elsewhere can bring."""
_ABANDONED: Final[Reason] = "abandoned"


def end_game(games: Games, game: str, why: str) -> Result:
    """Ends a game that is being played: abandoned, nobody wins. Raises `Refused` (`game_over`, `bad_reason`, …).

    It is noted before it is done, so that no end is without its note; what was then refused is noted as well.
    """
    why = reason(why)
    if games.live(game).table.open.ended:
        raise Refused("game_over", f"game {game} has ended already")
    note(games.store, "end", why, game=game)
    try:
        done = games.end(game, MoveRequest(secrets.token_bytes(32), {"type": "end", "why": why}), _abandoned)
    except Refused as refusal:
        note(games.store, "end_refused", refusal.code, game=game)
        raise
    result = done.after.open.result
    assert result is not None
    return result


def accept_loss(games: Games, game: str, why: str) -> FrozenGame:
    """Ends a frozen game: a public note in its log says what was lost, then play is abandoned; what was lost. Of a game without
    a log only the operator's journal can say so.

    It may be repeated after a crash. Raises `Refused` (`not_frozen`, `bad_reason`, `no_such_game`, `log_damaged`, …).
    """
    why = reason(why)
    with undamaged(game):
        proof = games.store.frozen(game)
    if proof is None:
        raise Refused("not_frozen", f"game {game} is not frozen: none of its history is known to be lost")
    try:
        losses = games.actual(game).table.open.losses
    except Refused as refusal:
        if refusal.code != "history_lost":
            raise
        note(games.store, "accept_loss", why, game=game)
        _thaw(games, game)
        return proof
    if not any(loss.version >= proof.version for loss in losses):
        note(games.store, "accept_loss", why, game=game)
        ask = LossAccepted(proof.version, proof.head, why)
        body = {"type": "accept_loss", "version": proof.version, "head": proof.head}
        games.handle(
            games.load(game), AcceptLoss(lambda _: ask, "house", thaws=True), MoveRequest(secrets.token_bytes(32), body)
        )
    if games.actual(game).table.open.phase != "ended":
        command = EndGame(lambda _: _abandoned, "house", thaws=True)
        games.handle(games.load(game), command, MoveRequest(secrets.token_bytes(32), {"type": "end", "why": why}))
    _thaw(games, game)
    return proof


def _thaw(games: Games, game: str) -> None:
    games.store.thaw(game)
    games.forget(game)


def _abandoned(o: Open, now: int) -> Result:
    return Result(_ABANDONED)


def hide_name(store: GameStore, name: str, why: str, *, undo: bool = False) -> bool:
    """Shows a name no longer, or again; False where that is so already. Raises `Refused` (`bad_reason`, `bad_name`).

    It need not be anybody's name yet.
    """
    why, name = reason(why), unicodedata.normalize("NFC", name)
    if not 1 <= len(name) <= MAX_NAME or name == HIDDEN:
        raise Refused("bad_name", f"this is nobody's name: one has 1 to {MAX_NAME} characters")
    if (name in hidden_by(store.notes())) != undo:
        return False
    note(store, "unhide" if undo else "hide", why, name=name)
    return True


def reason(text: str) -> str:
    """A reason as it is noted. Raises `Refused` (`bad_reason`)."""
    found = " ".join(text.split())
    if not found or len(found) > MAX_WHY or not found.isprintable():
        raise Refused(
            "bad_reason", f"a reason is 1 to {MAX_WHY} printable characters: it is kept, and whoever operates reads it"
        )
    return found


def note(store: GameStore, kind: Kind, why: str, *, game: str | None = None, name: str | None = None) -> None:
    """Adds to the journal, at the store's time."""
    store.note(Note(kind, store.now(), why, game, name))
