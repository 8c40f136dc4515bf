"""What a link to a page says of it where it is shared: a title and a description, from what everybody may see."""

from collections.abc import Iterable
from typing import Final

import msgspec

from events.printable import printable
from projections.sheet import minus
from projections.view_types import PlayerView, View
from service.games.loaded_game import LoadedGame
from service.games.results import view_for


class Summary(msgspec.Struct, frozen=True):
    """`title` without the product's name, `description` a sentence or two."""

    title: str
    description: str


HOME: Final = Summary(
    "Two-player Spades on the record",
    "Play Spades for two against a friend or the house. Every card is on a sealed record that anybody can replay and check.",
)


def public_view(live: LoadedGame) -> View:
    """The table as a spectator sees it."""
    return view_for("spectator", live.table, live.at.head, live.receipt)


def of_game(view: View) -> Summary:
    """The summary of a game; `view` is a spectator's."""
    players = view.seats.values()
    names = [printable(player.name) for player in players]
    target = f"Two-player Spades to {view.rules['target']}"
    if view.phase == "ended":
        return _ended(view, names)
    if len(names) < 2:
        host = names[0] if names else "Somebody"
        return Summary(f"Play Spades against {host}", f"{host} waits for an opponent. {target}, every card on the record.")
    hand = f", hand {view.hand}" if view.hand else ""
    return Summary(f"{names[0]} against {names[1]}", f"{target}{hand}: {_totals(players)}.")


def _ended(view: View, names: list[str]) -> Summary:
    winner = view.result and view.result.winner
    if len(names) < 2:
        return Summary(f"{names[0] if names else 'Somebody'} found no opponent", "This game ended before anybody joined.")
    said = f"{printable(view.seats[winner].name)} won" if winner else "Nobody won"
    score = _totals(view.seats.values())
    return Summary(f"{names[0]} against {names[1]}", f"{said}: {score}. Step through every card, and check the whole game.")


def _totals(players: Iterable[PlayerView]) -> str:
    return minus(", ".join(f"{printable(player.name)} {player.total}" for player in players))
