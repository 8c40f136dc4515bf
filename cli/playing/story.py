"""What has happened in a game as its player tells it: made of the events that were checked, never of the service's words."""

from typing import Any

import msgspec

from projections.replay.step_view import step_view
from projections.replay.walk import steps
from projections.sheet import sheet
from service.client.player import Player

Json = dict[str, Any]


def story_of(player: Player) -> tuple[list[Json], Json]:
    """The steps of the hand that is on, as `GET …/replay` has them, and the score sheet, as `GET …/scoresheet` has it."""
    log = player.witness.log
    events, table = tuple(log.events), log.table
    hand = table.open.hand
    told = steps(table.open.game, events) if hand else []
    shown = [step_view(step) for step in told if step.hand == hand]
    found: tuple[list[Json], Json] = msgspec.json.decode(msgspec.json.encode((shown, sheet(events, table))))
    return found[0], found[1]
