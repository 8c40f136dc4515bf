"""One game as lists show it, folded from its public parts alone: no list, no ladder and no metric reads a sealed part.

Moves inside a hand change nothing here, so they are passed over unread.
"""

from collections.abc import Iterable
from typing import Any, Final, Literal

import msgspec

from events.cards import SEATS, Seat
from events.log import Commit, Stored, load
from events.types import (
    BadEvent,
    Data,
    DisputeOpened,
    DisputeSettled,
    GameCreated,
    GameEnded,
    HandScored,
    Line,
    Names,
    PlayerJoined,
    Reason,
    ScoreCorrected,
    Totals,
)

Status = Literal["open", "running", "finished", "damaged"]


class RowFigures(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a player did in bids, counted in hands; `bags` are bags taken."""

    hands: int = 0
    bids_made: int = 0
    bids_set: int = 0
    nils: int = 0
    nils_made: int = 0
    double_nils: int = 0
    double_nils_made: int = 0
    bags: int = 0

    def plus(self, other: "RowFigures") -> "RowFigures":
        """The sum of both."""
        return RowFigures(*(mine + theirs for mine, theirs in zip(_values(self), _values(other), strict=True)))


def _values(figures: RowFigures) -> tuple[int, ...]:
    return msgspec.structs.astuple(figures)


class GameOutcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """How play ended; a draw and an abandoned game have no winner."""

    reason: Reason
    winner: Seat | None = None
    by: Seat | None = None


class GameRow(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A game up to `version`, whose head is `head` (hex). Times in ms since 1970; `at` is of the last commit read, `ended` of
    the end of play. `key` is the id of the signing key, `opening` the head after event 2, both for the invite."""

    game: str
    version: int = 0
    head: str = ""
    created: int = 0
    at: int = 0
    status: Status = "open"
    listed: bool = False
    rated: bool = False
    fixed: Names | None = None
    after: str | None = None
    rules: dict[str, int | str] = {}
    key: str = ""
    opening: str = ""
    north: str = ""
    south: str = ""
    hands: int = 0
    totals: Totals = Totals(0, 0)
    outcome: GameOutcome | None = None
    ended: int = 0
    disputes: int = 0
    figures: dict[Seat, RowFigures] = {}

    def name(self, seat: Seat) -> str:
        """The name at a seat, "" where nobody sits."""
        return self.north if seat == "north" else self.south

    def data(self) -> bytes:
        """The row as it is kept: the same row is the same bytes."""
        return msgspec.json.encode(self, order="sorted")


_PASSED: Final = tuple(
    f'"type":"{name}","v":1}}'.encode()
    for name in (
        "contribution_revealed", "hand_started", "looked", "double_nil_bid", "card_kept", "card_discarded",
        "cards_exchanged", "bid_placed", "card_played",
    )
)  # fmt: skip
"""How public parts end that change no row: keys are sorted, so the type stands last but one."""


def read(raw: bytes) -> GameRow:
    """A row of its bytes. Raises `msgspec.DecodeError` for others."""
    return msgspec.json.decode(raw, type=GameRow)


def advance(row: GameRow, commits: Iterable[Commit]) -> GameRow:
    """The row after `commits` too; a log that cannot be read makes it `damaged`, and it stays so."""
    for commit in commits:
        at = row.at
        for stored in commit.events:
            if stored.public.endswith(_PASSED):
                continue
            try:
                event = load(Stored(stored.public))
            except ValueError:  # NotCanonical, BadEvent
                row = _but(row, status="damaged")
                continue
            at = event.at
            row = _apply(row, event.data, at)
        if row.version == 0:
            row = _but(row, opening=commit.head.hex())
        row = _but(row, version=commit.seq, head=commit.head.hex(), at=_time(commit) or at)
    return row


def _time(commit: Commit) -> int | None:
    """When the commit was made; its events share one time."""
    try:
        return load(Stored(commit.events[-1].public)).at
    except (BadEvent, ValueError):
        return None


def _but(row: GameRow, **changes: Any) -> GameRow:
    return msgspec.structs.replace(row, **changes)


def _apply(row: GameRow, data: Data, at: int) -> GameRow:
    match data:
        case GameCreated():
            told = {"listed": data.listed, "rated": data.rated, "fixed": data.names, "after": data.after}
            return _but(row, created=at, rules=data.rules, key=data.server_key.id, **told)
        case PlayerJoined():
            row = _but(row, **{data.seat: data.name})
            both = row.north and row.south and row.status == "open"
            return _but(row, status="running") if both else row
        case HandScored():
            lines: dict[Seat, Line] = {"north": data.north, "south": data.south}
            sums = {seat: row.figures.get(seat, RowFigures()).plus(_figures(lines[seat])) for seat in SEATS}
            totals = Totals(data.north.total, data.south.total)
            return _but(row, hands=row.hands + 1, totals=totals, figures=sums)
        case GameEnded():
            outcome = GameOutcome(data.reason, data.winner, data.by)
            status = row.status if row.status == "damaged" else "finished"
            return _but(row, status=status, outcome=outcome, totals=data.totals, ended=at)
        case DisputeOpened():
            return _but(row, disputes=row.disputes + 1)
        case DisputeSettled():
            return _but(row, disputes=row.disputes - 1)
        case ScoreCorrected():
            return _corrected(row, data)
        case _:
            return row


def _corrected(row: GameRow, data: ScoreCorrected) -> GameRow:
    """The row with another line in the place of one: totals and winner are those of the correction."""
    old, new = _values(_figures(data.old)), _values(_figures(data.new))
    mine = _values(row.figures.get(data.seat, RowFigures()))
    sums = RowFigures(*(had - was + now for had, was, now in zip(mine, old, new, strict=True)))
    row = _but(row, totals=data.totals, figures={**row.figures, data.seat: sums})
    if row.outcome is None:
        return row
    return _but(row, outcome=GameOutcome(row.outcome.reason, data.winner, row.outcome.by))


def _figures(line: Line) -> RowFigures:
    """A hand's line as figures: a bid of 0 is nil, made with no trick (rules.md §7)."""
    made = line.tricks == 0
    match line.bid:
        case "double_nil":
            return RowFigures(hands=1, double_nils=1, double_nils_made=int(made), bags=line.new_bags)
        case 0:
            return RowFigures(hands=1, nils=1, nils_made=int(made), bags=line.new_bags)
        case bid:
            made = line.tricks >= bid
            return RowFigures(hands=1, bids_made=int(made), bids_set=int(not made), bags=line.new_bags)
