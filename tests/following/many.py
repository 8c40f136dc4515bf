"""Many short rated games in a store at once, as logs made by the decider and chained anew under ids of their own."""

import random
from collections.abc import Sequence

import msgspec

from events import entry, keys
from events.log import Commit
from events.redis_store import RedisStore
from events.types import GameCreated, GameEnded, PlayerJoined
from service.games import moves
from tests.kit.forged import Groups, groups_of
from tests.kit.games import Game
from tests.kit.logs import START, chained

NAMES = ("Ann", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal", "Ida", "Jo")


def template() -> Groups:
    """The commits of a game that south resigns in its first hand."""
    game = Game({"max_hands": 1}).join()
    game.play("south", moves.Resign())
    return groups_of(game)


def game_id(chance: random.Random) -> str:
    """An id of the right form."""
    return "".join(chance.choice(keys.CROCKFORD) for _ in range(keys.ID_LENGTH))


def logs(count: int, seed: int, *, rated: bool = True) -> dict[str, list[Commit]]:
    """Logs of games with different names, ends and winners, by id."""
    chance = random.Random(seed)
    groups, found = template(), {}
    for _ in range(count):
        north, south = chance.sample(NAMES, 2)
        by = chance.choice(("north", "south"))
        at = START + chance.randrange(10**6)
        changed = []
        for group in groups:
            events = []
            for event in group:
                data = event.data
                match data:
                    case GameCreated():
                        data = msgspec.structs.replace(data, rated=rated)
                    case PlayerJoined(seat):
                        data = msgspec.structs.replace(data, name=north if seat == "north" else south)
                    case GameEnded():
                        winner = "south" if by == "north" else "north"
                        data = msgspec.structs.replace(data, by=by, winner=winner)
                events.append(msgspec.structs.replace(event, data=data, at=at))
            changed.append(events)
        game = game_id(chance)
        found[game] = chained(changed, game=game)
    return found


def put(store: RedisStore, *games: tuple[str, Sequence[Commit]]) -> None:
    """Writes commits of games as they are, in one round trip."""
    with store.client.pipeline(transaction=False) as pipe:
        for game, commits in games:
            for commit in commits:
                pipe.xadd(keys.stream(game), dict(entry.fields(commit)), id=entry.entry_id(commit.seq))
        pipe.execute()


def announce(store: RedisStore, games: Sequence[tuple[str, int]]) -> None:
    """Announces these, in this order."""
    with store.client.pipeline(transaction=False) as pipe:
        for game, version in games:
            pipe.xadd(keys.feed(keys.partition(game)), {"game": game, "version": version})
        pipe.execute()
