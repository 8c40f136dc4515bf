"""What one viewer may see of the table now (design §4): built up from the open part and the viewer's own, nothing else."""

from typing import Any

import msgspec

from events.cards import SEATS, Seat
from projections.legal import options, unplayable
from projections.scoring import bags_to_penalty
from projections.table import Open, Own, Trick
from projections.view_types import (
    DraftView,
    Moment,
    MomentPlayer,
    OpenDispute,
    OwnView,
    PlayerView,
    SeatCard,
    TrickView,
    Unplayable,
    View,
)

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


def view(o: Open, head: str, receipt: bytes | None, seat: Seat | None = None, own: Own | None = None) -> View:
    """The view of `seat`, or of a spectator; `head` in hex, `receipt` canonical bytes."""
    return View(
        game=o.game,
        version=o.version,
        head=head,
        phase=o.phase,
        hand=o.hand or None,
        first=o.hand_first if o.hand else None,
        turn=o.turn,
        deadline=deadline(o),
        rules=o.rules.data(),
        spades_broken=o.broken if o.hand else None,
        seats={each: _player(o, each) for each in SEATS if o.player(each).seated},
        draft=DraftView(stock=o.stock_left) if o.phase == "draft" else None,
        trick=trick_view(o.trick),
        last_trick=trick_view(o.last_trick),
        result=o.result,
        disputes=tuple(OpenDispute(d.n, d.seat, d.hand, d.version) for d in o.disputes if d.settled is None) or None,
        receipt=None if receipt is None else msgspec.Raw(receipt),
        you=None if seat is None or own is None else _you(o, seat, own),
    )


def _you(o: Open, seat: Seat, own: Own) -> OwnView:
    cannot = tuple(Unplayable(card, why.code, why.message) for card, why in unplayable(o, seat, own))
    legal = tuple(option.view() for option in options(o, seat, own))
    return OwnView(seat=seat, hand=own.hand, drawn=own.drawn, discarded=own.discarded, legal=legal, unplayable=cannot or None)


def moment(o: Open) -> Moment:
    """What everybody may know of one moment of a replay: the view without what stays the same."""
    return Moment(
        phase=o.phase,
        first=o.hand_first if o.hand else None,
        turn=o.turn,
        spades_broken=o.broken if o.hand else None,
        seats={each: MomentPlayer(**_figures(o, each)) for each in SEATS if o.player(each).seated},
        draft=DraftView(stock=o.stock_left, pile=o.pile_size) if o.phase == "draft" else None,
        trick=trick_view(o.trick),
        last_trick=trick_view(o.last_trick),
        result=o.result,
    )


def _player(o: Open, seat: Seat) -> PlayerView:
    player = o.player(seat)
    return PlayerView(name=player.name, played=(player.played or None) if o.hand else None, **_figures(o, seat))


def _figures(o: Open, seat: Seat) -> dict[str, Any]:
    player = o.player(seat)
    shown = {"total": player.total, "bags": player.bags, "penalty_in": bags_to_penalty(o.rules, player.bags)}
    if not o.hand:
        return shown
    return shown | {"bid": player.bid, "tricks": player.tricks, "cards": player.cards, "exchanged": player.exchanged}


def trick_view(trick: Trick | None) -> TrickView | None:
    """A trick as it is shown."""
    if trick is None:
        return None
    cards = tuple(SeatCard(seat=seat, card=card) for seat, card in trick.cards)
    return TrickView(number=trick.number, leader=trick.leader, cards=cards, winner=trick.winner)
