"""Hand-made views: a position of the play or of the draft as a seat would see it, written down in a line or two."""

from typing import Any

from events.cards import DECK, SEATS, Seat, other
from events.ruleset import with_options

View = dict[str, Any]


def cards(text: str) -> list[str]:
    """``"AS 2C"`` as a list, in suit and rank order."""
    return [card for card in DECK if card in text.split()]


def _view(phase: str, rules: dict[str, Any] | None, seats: dict[Seat, dict[str, Any]], **more: Any) -> View:
    return {
        "game": "0000000000000000", "version": 100, "head": "", "phase": phase, "hand": 3, "first": "south", "turn": "north",
        "rules": with_options(rules or {}).data(), "spades_broken": False,
        "seats": {seat: {"name": seat, "total": 0, "bags": 0, "tricks": 0} | seats[seat] for seat in SEATS},
    } | more  # fmt: skip


def playing(
    held: str, against: str, legal: str, led: str | None = None, *, mine: dict[str, Any], its: dict[str, Any],
    rules: dict[str, Any] | None = None,
) -> View:  # fmt: skip
    """North is to play with `held`; the other holds some of `against`, as many as north has (one less once it has `led`).

    All other cards are gone, by what north has seen. `mine` and `its` are the seats' bids, tricks, totals, bags.
    """
    hand, unseen = cards(held), cards(against)
    left = len(hand) - (led is not None)
    gone = [card for card in DECK if card not in hand and card not in unseen and card != led]
    trick: dict[str, Any] = {"number": 14 - len(hand), "leader": "south" if led else "north", "cards": []}
    if led:
        trick["cards"] = [{"seat": "south", "card": led}]
    you = {"seat": "north", "hand": hand, "discarded": gone, "legal": [{"type": "play", "card": cards(legal)}]}
    seats: dict[Seat, dict[str, Any]] = {"north": mine | {"cards": len(hand)}, "south": its | {"cards": left}}
    return _view("play", rules, seats, spades_broken=True, trick=trick, you=you)


def drafting(held: str, drawn: str | None, gone: str = "", *, mine: dict[str, Any] | None = None, **more: Any) -> View:
    """North has drawn a card, or has not looked yet; `gone` are the cards it has seen go."""
    hand = cards(held)
    you: dict[str, Any] = {"seat": "north", "hand": hand, "discarded": cards(gone)}
    if drawn is None:
        you["legal"] = [{"type": "look"}, {"type": "double_nil"}]
    else:
        you |= {"drawn": drawn, "legal": [{"type": "keep"}, {"type": "pass"}]}
    seats: dict[Seat, dict[str, Any]] = {
        "north": {"cards": len(hand)} | (mine or {}),
        other("north"): {"cards": len(hand)} | more.pop("its", {}),
    }
    return _view("draft", more.pop("rules", None), seats, draft={"stock": 51 - 4 * len(hand)}, you=you, **more)


def exchanging(held: str, most: int = 3) -> View:
    """North has bid double nil and may throw up to `most` cards of `held`."""
    hand = cards(held)
    legal = [{"type": "exchange", "discard": {"of": hand, "max": most}}]
    seats: dict[Seat, dict[str, Any]] = {"north": {"cards": 13, "bid": "double_nil"}, "south": {"cards": 13}}
    return _view("exchange", None, seats, you={"seat": "north", "hand": hand, "discarded": [], "legal": legal})


def bidding(held: str, *, mine: dict[str, Any] | None = None, its: dict[str, Any] | None = None, gone: str = "") -> View:
    """North is to bid on `held`; it bids first unless the other's bid is in `its`."""
    legal = [{"type": "bid", "tricks": {"min": 0, "max": 13}}]
    you = {"seat": "north", "hand": cards(held), "discarded": cards(gone), "legal": legal}
    seats: dict[Seat, dict[str, Any]] = {"north": {"cards": 13} | (mine or {}), "south": {"cards": 13} | (its or {})}
    return _view("bidding", None, seats, first="north" if its and "bid" in its else "south", you=you)
