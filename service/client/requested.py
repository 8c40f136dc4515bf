"""What a player requested when sitting down, in the words of event 1, so that the log can be compared with it."""

import contextlib
from typing import Any, Final

from events.ruleset import BadRule, with_options
from events.types import Names
from projections.verify.following import Asked
from service.base.names import HOUSE, entered

_REMATCH: Final = "after"


def asked_for_game(name: str, rules: dict[str, Any] | None, more: dict[str, Any]) -> Asked:
    """What event 1 and the first `player_joined` must say after a create; `more` are the other fields of its body.

    A rematch takes from the earlier game what its request leaves out.
    """
    rematch = _REMATCH in more
    created: dict[str, Any] = {} if rematch else {"first": "north", "names": None}
    if rules or not rematch:
        with contextlib.suppress(BadRule):  # the service says why it is refused
            created["rules"] = with_options(rules or {}).data()
    created |= {"listed": bool(more.get("listed")), "rated": bool(more.get("rated")), "after": more.get(_REMATCH)}
    if "first" in more:
        created["first"] = more["first"]
    if "opponent_name" in more:
        created["names"] = Names(name, more["opponent_name"])
    return Asked(entered(name), HOUSE if more.get("opponent") == "house" else None, created)


def asked_for_seat(name: str) -> Asked:
    """What the second `player_joined` must say after a join."""
    return Asked(entered(name))
