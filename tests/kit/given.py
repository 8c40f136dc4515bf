"""Hands whose cards, bids and tricks are given."""

from collections.abc import Mapping, Sequence
from typing import Any

from events.cards import DECK, ORDER, SEATS, Card, Seat, other
from events.types import Event
from service.games import moves
from tests.kit.entropy import Scripted, cards
from tests.kit.games import Game


def filled(north: str = "", south: str = "") -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Two hands of 13: the cards named, and the first of the rest of the deck that are in neither."""
    hands = [list(cards(north)), list(cards(south))]
    rest = [card for card in DECK if card not in hands[0] and card not in hands[1]]
    for hand in hands:
        while len(hand) < 13:
            hand.append(rest.pop(0))
    return tuple(hands[0]), tuple(hands[1])


def stock_for(north: Sequence[Card], south: Sequence[Card], first: Seat = "north") -> tuple[Card, ...]:
    """A stock that gives these hands when everybody keeps every first card; the rest of the deck goes to the pile."""
    pile = [card for card in DECK if card not in north and card not in south]
    mine, theirs = (north, south) if first == "north" else (south, north)
    stock: list[Card] = []
    for turn in range(13):
        stock += [mine[turn], pile[2 * turn], theirs[turn], pile[2 * turn + 1]]
    return tuple(stock)


def keep_all(game: Game, double_nil: Sequence[Seat] = ()) -> None:
    """The whole draft: everybody looks, or bids double nil, and keeps every first card."""
    while game.table.open.phase == "draft":
        if not game.table.open.player(game.turn).looked:
            game.play(game.turn, moves.DoubleNil() if game.turn in double_nil else moves.Look())
        game.play(game.turn, moves.Keep())


def given(
    north: str = "",
    south: str = "",
    *,
    rules: Mapping[str, Any] | None = None,
    first: Seat = "north",
    double_nil: Sequence[Seat] = (),
    bids: Mapping[Seat, int] | None = None,
) -> Game:
    """A first hand with these cards after its draft (`filled` up), and after its bids where `bids` are given."""
    hands = filled(north, south)
    game = Game(rules, first=first, entropy=Scripted(stocks={1: stock_for(*hands, first)})).join()
    keep_all(game, double_nil)
    if bids is not None:
        bid(game, bids)
    return game


def bid(game: Game, bids: Mapping[Seat, int]) -> None:
    """Both bids, without an exchange of cards where one is due."""
    while game.table.open.phase in ("exchange", "bidding"):
        if game.table.open.phase == "exchange":
            game.play(game.turn, moves.Exchange(()))
        else:
            game.play(game.turn, moves.Bid(bids[game.turn]))


def outcome_hands(leader_takes: int) -> tuple[str, str, str, str]:
    """Hands of the leader and of the other in which the leader takes so many tricks, and the order in which each plays
    (suits, each from its top): `play_out` plays them."""
    rest = 13 - leader_takes
    if leader_takes >= 7:
        leader = [f"{rank}C" for rank in "AKQJT98765432"[:leader_takes]] + [f"{rank}H" for rank in "23456789TJQKA"[:rest]]
        follower = [f"{rank}H" for rank in "AKQJT98765432"[:rest]] + [f"{rank}D" for rank in "AKQJT98765432"[:leader_takes]]
        return " ".join(leader), " ".join(follower), "CH", "DH"
    leader = [f"{rank}H" for rank in "AKQJT98765432"[:leader_takes]] + [f"{rank}C" for rank in "AKQJT98765432"[:rest]]
    follower = [f"{rank}H" for rank in "23456789TJQKA"[:leader_takes]] + [f"{rank}S" for rank in "AKQJT98765432"[:rest]]
    return " ".join(leader), " ".join(follower), "HC", "HS"


def hand_stock(north_takes: int, first: Seat) -> tuple[Card, ...]:
    """A stock of a hand in which north takes so many tricks when it is kept and played out (`play_out`)."""
    leader = other(first)
    leads, follows, *_ = outcome_hands(north_takes if leader == "north" else 13 - north_takes)
    mine: dict[Seat, str] = {leader: leads, first: follows}
    return stock_for(cards(mine["north"]), cards(mine["south"]), first)


def play_out(game: Game, north_takes: int) -> tuple[Event, ...]:
    """The play of a hand of `hand_stock`, to its score; the events of the last card's commit."""
    hand, leader = game.table.open.hand, game.table.open.hand_second
    *_, leads, follows = outcome_hands(north_takes if leader == "north" else 13 - north_takes)
    while game.table.open.phase == "play" and game.table.open.hand == hand:
        order = leads if game.turn == leader else follows
        game.play(game.turn, moves.Play(min(game.playable, key=lambda card: (order.index(card[1]), -ORDER[card]))))
    return game.commits[-1]


def hand(game: Game, north: int | str, south: int | str, north_takes: int) -> tuple[Event, ...]:
    """A whole hand with these bids (``"double_nil"`` included) and tricks; `hands` must have given the game its stock."""
    wanted: dict[Seat, int | str] = {"north": north, "south": south}
    keep_all(game, [seat for seat in SEATS if wanted[seat] == "double_nil"])
    bid(game, {seat: tricks for seat, tricks in wanted.items() if isinstance(tricks, int)})
    return play_out(game, north_takes)


def hands(
    *wanted: tuple[int | str, int | str, int],
    rules: Mapping[str, Any] | None = None,
    first: Seat = "north",
    north: tuple[int, int] = (0, 0),
    south: tuple[int, int] = (0, 0),
) -> Game:
    """A game of whole hands, each (north's bid, south's bid, tricks north takes), from totals and bags before the first."""
    firsts: list[Seat] = [first if number % 2 == 0 else other(first) for number in range(len(wanted))]
    stocks = {i + 1: hand_stock(takes, firsts[i]) for i, (_, _, takes) in enumerate(wanted)}
    game = Game(rules, first=first, entropy=Scripted(stocks=stocks)).join()
    game.with_score(north[0], south[0], north[1], south[1])
    for north_bid, south_bid, takes in wanted:
        hand(game, north_bid, south_bid, takes)
    return game
