"""The draft: double nil or a look, keep or pass, and what to throw in the exchange of a double nil."""

from collections.abc import Callable
from typing import Final

from events.cards import ORDER, Card, other
from service.bots.imagined import SPADE, SUIT, SUIT_OF, Hand, bits_of, cards
from service.bots.kinds import View
from service.bots.seen import seen
from service.bots.strength import DANGER, TRICKS

_FAR_BEHIND: Final = 0.5
"""Share of the target by which a seat is far behind …"""
_ONE_HAND: Final = 60
"""… once the other lacks no more points than a usual hand brings."""
_SHORT: Final = 0.06
"""Tricks a side card gains by every card of its suit already held: few suits make voids, and voids ruff."""


def wants_double_nil(view: View) -> bool:
    """Whether only a double nil can still turn the game: far behind, the other nearly home, failing not fatal in itself."""
    seat, rules = view["you"]["seat"], view["rules"]
    mine, its = view["seats"][seat]["total"], view["seats"][other(seat)]["total"]
    value, floor = rules["double_nil_value"], rules.get("floor")
    if value <= rules["nil_value"] or (floor is not None and mine - value <= floor):
        return False
    nearly_over = its >= rules["target"] - min(_ONE_HAND, rules["target"] / 4) or view["hand"] == rules["max_hands"]
    return bool(nearly_over and its - mine >= _FAR_BEHIND * rules["target"])


def keeps(view: View) -> bool:
    """Whether the drawn card is worth more than the next one is likely to be."""
    known = seen(view)
    drawn = ORDER[Card(view["you"]["drawn"])]
    if known.my_bid == "double_nil":
        return _average(known.unseen, lambda card: _peril(card, known.mine)) >= _peril(drawn, known.mine)
    return _average(known.unseen, lambda card: _gain(card, known.mine)) <= _gain(drawn, known.mine)


def thrown(view: View) -> list[Card]:
    """The cards to throw in the exchange: the most dangerous ones, as long as an unknown card is likely to be better."""
    known = seen(view)
    [option] = view["you"]["legal"]
    usual = _average(known.unseen, lambda card: DANGER[card])
    of = [ORDER[Card(card)] for card in option["discard"]["of"]]
    worst = sorted(of, key=lambda card: (_peril(card, known.mine), card), reverse=True)[: option["discard"]["max"]]
    return cards(sum(1 << card for card in worst if _peril(card, known.mine) > usual))


def _average(unseen: Hand, worth: Callable[[int], float]) -> float:
    some = bits_of(unseen)
    return sum(map(worth, some)) / max(1, len(some))


def _gain(card: int, held: Hand) -> float:
    """Tricks that `card` adds to a hand being drafted."""
    suit = SUIT[SUIT_OF[card]]
    return TRICKS[card] + (0.0 if suit == SPADE else _SHORT * (held & suit).bit_count())


def _peril(card: int, held: Hand) -> float:
    """How `card` endangers a nil: less with lower cards of its suit beside it, which can be played under the others."""
    if SPADE >> card & 1:
        return DANGER[card]
    lower = held & SUIT[SUIT_OF[card]] & ((1 << card) - 1)
    return DANGER[card] / (1 + 0.5 * lower.bit_count())
