"""A receipt that somebody kept, compared with the log. A valid receipt that contradicts it proves that history was lost."""

from typing import Literal

from events import receipts
from events.log import heads
from events.receipts import Receipt
from events.store import HistoryLost, LogHead, LostHead
from service.games.handler import Games
from service.games.history_check import freeze
from service.games.loaded_game import extend, new
from service.games.reading import undamaged
from service.games.refusals import Refused

Outcome = Literal["in_log", "history_lost", "loss_accepted"]


def compare_receipt(games: Games, game: str, receipt: Receipt) -> Outcome:
    """What the log says of a receipt; the game is frozen where a valid receipt is above its log or has another head.

    Raises `Refused` (`bad_receipt` for one of another game or without a valid signature of this service, `log_damaged`), and
    `Unreachable`. Then nothing is changed.
    """
    if receipt.game != game:
        raise Refused("bad_receipt", f"this is a receipt for game {receipt.game}")
    if not any(receipts.verified(receipt, signer.key) for signer in games.identity.signers):
        raise Refused("bad_receipt", "this service did not sign this receipt")
    with undamaged(game):
        found = games.store.read(game)
        commits = () if isinstance(found, HistoryLost) else found
        loaded = extend(new(game), commits)
    known = heads(game, [stored.public for commit in commits for stored in commit.events])
    if receipt.seq <= len(known) and known[receipt.seq - 1].hex() == receipt.head:
        return "in_log"
    lost = LostHead(game, LogHead(receipt.seq, bytes.fromhex(receipt.head)), loaded.at.version)
    raw = receipts.written(receipt)
    if not freeze(games.store, lost, raw.decode(), receipt.at):
        return "loss_accepted"
    games.forget(game)
    return "history_lost"
