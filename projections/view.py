"""What one viewer may see of the table now (design §4): built up from the open part and the viewer's own, nothing else."""

from typing import Any

import msgspec

from events.cards import SEATS, Seat
from projections.legal import options, unplayable
from projections.scoring import bags_to_penalty
from projections.table import Dispute, Open, Own, Trick

REVEAL_SECONDS = 24 * 60 * 60
"""The limit on a reveal where the game has none of its own (rules.md §8.4)."""


def deadline(o: Open) -> int | None:
    """When the seat on turn runs out of time, in ms since 1970, or None without a limit (rules.md §8.4)."""
    if o.turn is None:
        return None
    seconds = o.rules.turn_seconds or (REVEAL_SECONDS if o.phase == "reveal" else None)
    return None if seconds is None else o.played_at + 1000 * seconds


def timed(o: Open) -> bool:
    """Whether a limit runs in this game now or before its next hand: on every turn, or on the reveals before hand 1."""
    brought = o.north.contribution is not None or o.south.contribution is not None
    return o.rules.turn_seconds is not None or (o.hand == 0 and brought)


def view(o: Open, head: str, receipt: bytes | None, seat: Seat | None = None, own: Own | None = None) -> dict[str, Any]:
    """The view of `seat`, or of a spectator; `head` in hex, `receipt` canonical bytes. Keys that do not apply are left out."""
    seen: dict[str, Any] = {
        "game": o.game,
        "version": o.version,
        "head": head,
        "phase": o.phase,
        "hand": o.hand or None,
        "first": o.hand_first if o.hand else None,
        "turn": o.turn,
        "deadline": deadline(o),
        "rules": o.rules.data(),
        "spades_broken": o.broken if o.hand else None,
        "seats": {each: _player(o, each) for each in SEATS if o.player(each).seated},
        "draft": {"stock": o.stock_left} if o.phase == "draft" else None,
        "trick": _trick(o.trick),
        "last_trick": _trick(o.last_trick),
        "result": None if o.result is None else msgspec.to_builtins(o.result),
        "disputes": [_dispute(dispute) for dispute in o.disputes if dispute.settled is None] or None,
        "receipt": None if receipt is None else msgspec.Raw(receipt),
    }
    if seat is not None and own is not None:
        you: dict[str, Any] = {"seat": seat, "hand": list(own.hand), "drawn": own.drawn}
        you["discarded"] = list(own.discarded)
        you["legal"] = [option.data() for option in options(o, seat, own)]
        cannot = [{"card": card, "code": why.code, "message": why.message} for card, why in unplayable(o, seat, own)]
        you["unplayable"] = cannot or None
        seen["you"] = _without_none(you)
    return _without_none(seen)


def moment(o: Open) -> dict[str, Any]:
    """What everybody may know of one moment, for who walks through a game: the view without what stays the same."""
    players = {each: _player(o, each) for each in SEATS if o.player(each).seated}
    for shown in players.values():
        del shown["name"]
        shown.pop("played", None)
    return _without_none(
        {
            "phase": o.phase,
            "first": o.hand_first if o.hand else None,
            "turn": o.turn,
            "spades_broken": o.broken if o.hand else None,
            "seats": players,
            "draft": {"stock": o.stock_left, "pile": o.pile_size} if o.phase == "draft" else None,
            "trick": _trick(o.trick),
            "last_trick": _trick(o.last_trick),
            "result": None if o.result is None else msgspec.to_builtins(o.result),
        }
    )


def _player(o: Open, seat: Seat) -> dict[str, Any]:
    player = o.player(seat)
    shown: dict[str, Any] = {"name": player.name, "total": player.total, "bags": player.bags}
    shown["penalty_in"] = bags_to_penalty(o.rules, player.bags)
    if o.hand:
        shown |= {"bid": player.bid, "tricks": player.tricks, "cards": player.cards, "exchanged": player.exchanged}
        shown["played"] = list(player.played) or None
    return _without_none(shown)


def _trick(trick: Trick | None) -> dict[str, Any] | None:
    if trick is None:
        return None
    cards = [{"seat": seat, "card": card} for seat, card in trick.cards]
    return _without_none({"number": trick.number, "leader": trick.leader, "cards": cards, "winner": trick.winner})


def _dispute(dispute: Dispute) -> dict[str, Any]:
    """An open dispute: whose, about which hand and moment."""
    return {"n": dispute.n, "seat": dispute.seat, "hand": dispute.hand, "version": dispute.version}


def _without_none(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if item is not None}
