"""What happens to games that nobody looks at: a time that ran out, a table left for thirty days, a house bot that should move.

It runs beside the service, as often as one likes and in any number of processes: every end goes through the handler under a
key that follows from the place in the log, so it is there once, and a move that came first stands (rules.md §8.4).
"""

from collections.abc import Callable, Iterable

import msgspec
import structlog

from events.cards import other
from projections.table import Open, Result
from projections.view import deadline
from service.games.handler import Games, MoveRequest
from service.games.overdue_scan import ABANDONED_MS, Glance, glances
from service.games.reading import undamaged
from service.games.refusals import Refused

log = structlog.get_logger("trickbook.sweep")


class SweepResult(msgspec.Struct, frozen=True):
    """The games that were ended, those in which the house was asked whether it is to move, and those that were over already."""

    timed_out: tuple[str, ...] = ()
    abandoned: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    over: tuple[str, ...] = ()


def sweep(games: Games, candidates: Iterable[str], attend: Callable[[str], None] | None = None) -> SweepResult:
    """Ends what is over by the clock among `candidates`, and calls `attend` with each game in which the house may be to move.

    Raises `events.store.Unreachable`; whatever is wrong with one game is logged and stops no other.
    """
    now, frozen = games.store.now(), games.store.frozen_games()
    found: dict[str, list[str]] = {"timed_out": [], "abandoned": [], "asked": [], "over": []}
    for glance in glances(games.store, games.identity, candidates, now):
        if glance.game in frozen:
            continue  # its clocks stand still
        if glance.ended:
            found["over"].append(glance.game)
        elif glance.overdue and (what := _end(games, glance)) is not None:
            found[what].append(glance.game)
        elif glance.forgotten and attend is not None and _attended(attend, glance.game):
            found["asked"].append(glance.game)
    return SweepResult(**{what: tuple(some) for what, some in found.items()})


def ending(o: Open, now: int) -> Result | None:
    """How the game is over by the clock at `now` (ms), None where it is not: who is on turn has lost (rules.md §8.4), or,
    after thirty days, has stayed away, and nobody wins."""
    limit = deadline(o)
    if o.turn is not None and limit is not None and now >= limit:
        return Result("timed_out", other(o.turn), o.turn)
    if not o.ended and now >= o.played_at + ABANDONED_MS:  # a dispute keeps no game alive
        return Result("abandoned", None, o.turn)
    return None


def _end(games: Games, glance: Glance) -> str | None:
    """Ends the game if it is over by the clock; why it ended, ``over`` where it had already, None where it goes on."""

    def wanted(o: Open, now: int) -> Result:
        result = ending(o, now)
        if o.ended:
            raise Refused("game_over", "this game has ended")
        if result is None:
            raise Refused("not_overdue", "nobody's time has run out")
        return result

    key = games.identity.end_key(glance.game, glance.version)
    try:
        with undamaged(glance.game):
            frozen = games.store.frozen(glance.game)
        if frozen is not None:
            return None
        done = games.end(glance.game, MoveRequest(key, {"type": "sweep"}), wanted)
    except Refused as refusal:
        if refusal.code == "game_over":
            return "over"
        if refusal.code != "not_overdue":
            log.warning("sweep_refused", game=glance.game, reason=refusal.code)
        return None
    result = done.after.open.result
    assert result is not None
    log.info("swept", game=glance.game, reason=result.reason, by=result.by)
    return result.reason


def _attended(attend: Callable[[str], None], game: str) -> bool:
    try:
        attend(game)
    except Refused as refusal:
        log.warning("house_waits", game=game, reason=refusal.code)
        return False
    return True
