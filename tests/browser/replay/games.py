"""Games for the pages: played over HTTP by two players who keep what a browser would keep."""

import random
from typing import Any, Protocol

import msgspec

from service.client.player import Player


class HasUrl(Protocol):
    """A service."""

    @property
    def url(self) -> str: ...


class Played(msgspec.Struct, frozen=True):
    """A game and what its two seats know of it."""

    game: str
    key: str
    """The id of the signing key."""
    players: dict[str, Player]

    @property
    def url(self) -> str:
        """Where it is."""
        return self.players["north"].client.base

    def get(self, path: str, seat: str | None = None) -> Any:
        """What the API says of it, to a spectator or a seat."""
        player = self.players[seat or "north"]
        return (player.client if seat else type(player.client)(player.client.base)).get(f"/v1/games/{self.game}{path}")

    def kept(self, seat: str) -> dict[str, Any]:
        """What the browser of a seat keeps."""
        player = self.players[seat]
        return {"seat": seat, "token": player.client.token, "own": player.witness.own, "pin": self.key}


def play(server: HasUrl, rules: dict[str, Any], *, names: tuple[str, str] = ("Ann", "Bo"), moves: int = 10**6) -> Played:
    """Plays to the end, or so many moves. South bids double nil whenever it can, so there is an exchange to be seen."""
    north, south, dice = Player(server.url), Player(server.url), random.Random(7)
    made = north.create(names[0], rules)
    south.join(made["game"], names[1], made["invite"])
    found = Played(made["game"], made["server_key"]["id"], {"north": north, "south": south})
    made_moves = 0
    while made_moves < moves:
        for player in (south, north):
            player.refresh(wait=0)
            if player.ended:
                return found
            if player.must_reveal():
                player.reveal()
            elif player.legal and made_moves < moves:
                player.move(_chosen(player, dice))
                made_moves += 1
    return found


def go_on(played: Played) -> None:
    """One more move by whoever is on turn."""
    for player in played.players.values():
        player.refresh(wait=0)
        if player.legal:
            player.move(_chosen(player, random.Random(7)))
            return


def _chosen(player: Player, dice: random.Random) -> dict[str, Any]:
    option = player.legal[0] if player.view["you"]["seat"] == "north" else player.legal[-1]
    match option["type"]:
        case "exchange":
            return {"type": "exchange", "discard": option["discard"]["of"][: option["discard"]["max"]]}
        case "bid":
            return {"type": "bid", "tricks": dice.randint(1, 9)}
        case "play":
            return {"type": "play", "card": dice.choice(option["card"])}
    return {"type": option["type"]}
