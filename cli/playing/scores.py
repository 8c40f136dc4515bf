"""The score sheet and the result, from the service's own arithmetic."""

from typing import Any

from cli.playing.state import State
from cli.text import Style, columns
from projections.sheet import minus

_BIDS = {"double_nil": "double nil", 0: "nil"}
_REASONS = {
    "target": "the target is reached",
    "floor": "a score is at or under the floor",
    "hand_limit": "the last hand is played",
    "resigned": "{by} resigned",
    "timed_out": "{by} ran out of time",
    "abandoned": "the game was abandoned",
}


def bid(value: Any) -> str:
    """A bid in words; - for none yet."""
    return "-" if value is None else _BIDS.get(value, str(value))


def hand_lines(hand: dict[str, Any], state: State, style: Style) -> list[str]:
    """One scored hand: for each player bid, tricks, the arithmetic, total and bags."""
    rows: list[list[str]] = []
    for seat in (state.seat, state.other):
        line = hand[seat]
        first, *more = line["lines"]
        took = f"bid {bid(line['bid'])}, took {line['tricks']}"
        rows.append([state.who(seat), took, first, f"total {minus(str(line['total']))}", f"bags {line['bags']}"])
        rows.extend(["", "", text, "", ""] for text in more)
    return [style.heading(f"Hand {hand['hand']}"), *columns(rows, indent=2)]


def sheet_lines(state: State, style: Style) -> list[str]:
    """Every scored hand."""
    lines: list[str] = []
    for hand in state.sheet.get("hands", []):
        lines += hand_lines(hand, state, style)
    return lines or ["No hand has been scored yet."]


def result(state: State, style: Style) -> str:
    """How play ended."""
    found = state.view["result"]
    reason = _REASONS.get(found["reason"], found["reason"]).format(by=state.who(found.get("by")))
    totals = minus(", ".join(f"{state.who(seat)} {state.player(seat).get('total', 0)}" for seat in (state.seat, state.other)))
    won = found.get("winner")
    if won is None:
        return style.heading(f"Nobody won: {reason} ({totals}).")
    text = f"{'You have won' if won == state.seat else state.who(won) + ' has won'}: {reason} ({totals})."
    return style.good(text) if won == state.seat else style.bad(text)
