"""What a create asks for, with what needs more than its form: the operator's word for a rated game, the earlier game of a
rematch."""

from collections.abc import Mapping
from typing import Any

from events.cards import SEATS, Seat, other
from events.types import Names
from service.games.loaded_game import LoadedGame
from service.games.moves import NewGame
from service.games.refusals import Refused
from service.house.house_player import is_house_game
from service.http import request_reader
from service.http.schemas import bodies
from service.http.schemas.bodies import CreateAsk


def new_game(body: Mapping[str, Any]) -> NewGame:
    """The game asked for. Raises `Refused` (`invalid`, `unauthorized`, `not_allowed`, `no_such_game`, `wrong_phase`)."""
    ask = bodies.create(body)
    if ask.after is not None:
        return _rematch(ask, ask.after)
    if ask.name is None:
        raise _invalid("name", "Missing data for required field.")
    if ask.rated:
        _rated(ask)
    if ask.opponent and (ask.listed or ask.opponent_name):
        wrong = "listed" if ask.listed else "opponent_name"
        raise _invalid(wrong, "The house takes the other seat of this game; nobody else can be offered it.")
    if ask.opponent_name == ask.name:
        raise _invalid("opponent_name", "Both seats cannot be kept for one name.")
    names = Names(ask.name, ask.opponent_name) if ask.opponent_name else None
    return NewGame(
        ask.name,
        bodies.rules(ask.rules),
        ask.first or "north",
        ask.opponent,
        ask.contribution,
        listed=ask.listed,
        rated=ask.rated,
        names=names,
    )


def _rated(ask: CreateAsk) -> None:
    request_reader.operator("a rated game is created with the operator's token")
    if ask.opponent or (not ask.opponent_name and ask.after is None):
        raise _invalid("opponent_name", "A rated game says who sits at both seats from the start.")


def _rematch(ask: CreateAsk, after: str) -> NewGame:
    """The same two and the same rules again; the creator sits north, and who was not the first player is it now."""
    live = request_reader.live_game(after)
    o = live.table.open
    who = request_reader.reader(live.table)
    if who == "spectator":
        raise Refused("unauthorized", "a rematch is asked for with the token of a seat of the earlier game")
    if not o.ended:
        raise Refused("wrong_phase", f"game {after} has not ended: a rematch follows its end")
    if not o.south.seated:
        raise Refused("not_allowed", f"nobody joined game {after}, so there is no rematch of it")
    if ask.first or ask.opponent_name:
        raise _invalid("first" if ask.first else "opponent_name", "The earlier game says so: leave it out.")
    mine: Seat = who if who in SEATS else "north"
    seated = request_reader.games().actual(after).table.open  # the names as they are: what is shown of them may be hidden
    name, other_name = seated.player(mine).name, seated.player(other(mine)).name
    if ask.name not in (None, name):
        raise _invalid("name", f"You were {o.player(mine).name} in the earlier game, and are in its rematch.")
    if ask.rated:
        _rated(ask)
    house = is_house_game(request_reader.games().identity, live)
    if ask.opponent and not house:
        raise _invalid("opponent", "The earlier game was not against the house.")
    return NewGame(
        name,
        bodies.rules(ask.rules) if ask.rules is not None else o.rules,
        "south" if o.first == mine else "north",
        "house" if house else None,
        ask.contribution,
        listed=_listed(ask, live),
        rated=ask.rated,
        names=Names(name, other_name),
        after=after,
    )


def _listed(ask: CreateAsk, live: LoadedGame) -> bool:
    if ask.listed and is_house_game(request_reader.games().identity, live):
        raise _invalid("listed", "The house takes the other seat of this game; nobody else can be offered it.")
    return ask.listed


def _invalid(field: str, text: str) -> Refused:
    return Refused("invalid", f"{field}: {text}", errors={field: [text]})
