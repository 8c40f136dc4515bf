"""The figures of a record: what every later version must find in it again."""

from pathlib import Path
from typing import Any

import msgspec

from events import record
from events.cards import SEATS
from events.log import heads, load
from projections.audit import audit, from_record
from projections.fold import fold
from projections.replay.walk import steps
from projections.sheet import rows
from projections.table import empty
from projections.verify import verify


def figures(path: Path, server_key: str) -> dict[str, Any]:
    """Head, numbers, scores, result and verdicts of a record, computed from its bytes by this version."""
    with path.open("rb") as file:
        read = record.read(file)
    game, events = read.header.game, [load(stored) for stored in read.events]
    source = from_record(read)
    o = fold(empty(game), events).open
    assert o.result is not None
    found = audit(source)
    return {
        "game": game,
        "events": len(events),
        "types": sorted({f"{event.type.name}/{event.data.v}" for event in events}),
        "head": heads(game, [stored.public for stored in read.events])[-1].hex(),
        "steps": len(steps(game, events)),
        "hands": [
            {seat: msgspec.to_builtins(row.lines[seat]) for seat in SEATS} | {"hand": row.hand, "version": row.version}
            for row in rows(events)
        ],
        "totals": {seat: o.player(seat).total for seat in SEATS},
        "bags": {seat: o.player(seat).bags for seat in SEATS},
        "result": msgspec.to_builtins(o.result),
        "audit": found.verdict,
        "findings": [finding.code for finding in found.findings],
        "verify": verify(source, server_key=server_key).verdict,
    }
