"""The commit of one move as it grows: its events, and all that must follow in the same commit (fairness.md, Commits)."""

import msgspec

from events.cards import Owner, Seat
from events.types import Data, Event, GameEnded, HandScored, HandStarted, Line, Stock, Totals
from projections.fold import apply
from projections.scoring import outcome, score_hand
from projections.table import Result, Table
from service.base.entropy import Entropy


class Decision(msgspec.Struct, frozen=True):
    """The events of one move, and the table after them."""

    events: tuple[Event, ...]
    table: Table


class CommitDraft:
    """The events of one move as they come, and the table after each of them."""

    def __init__(self, table: Table, now: int, entropy: Entropy) -> None:
        self.table, self.entropy = table, entropy
        self.at = max(now, table.open.at)
        self.events: list[Event] = []

    def add(self, data: Data, secret: Data | None = None, owner: Owner | None = None) -> None:
        """Appends an event; `secret` is its sealed part, under a fresh salt."""
        salt = None if secret is None else self.entropy.salt()
        event = Event(self.table.open.version + 1, self.at, data, secret, owner, salt)
        self.table = apply(self.table, event)
        self.events.append(event)

    def done(self) -> Decision:
        """The events with all that is due after them."""
        while (due := self.table.open.due) is not None:
            _FOLLOW[due](self)
        return Decision(tuple(self.events), self.table)


def _start_hand(commit: CommitDraft) -> None:
    o = commit.table.open
    first = o.first if o.hand == 0 else o.hand_second
    stock = commit.entropy.stock(commit.table, o.hand + 1)
    commit.add(HandStarted(o.hand + 1, first), Stock(stock), "house")


def _score(commit: CommitDraft) -> None:
    o = commit.table.open
    commit.add(HandScored(o.hand, _line(commit.table, "north"), _line(commit.table, "south")))


def _line(table: Table, seat: Seat) -> Line:
    player = table.open.player(seat)
    assert player.bid is not None, "play begins when both have bid"
    return score_hand(table.open.rules, player.total, player.bags, player.bid, player.tricks)


def _verdict(commit: CommitDraft) -> None:
    o = commit.table.open
    result = outcome(o.rules, o.hand, o.north.total, o.south.total)
    if result is None:
        _start_hand(commit)
    else:
        commit.add(ended(commit.table, result))


def ended(table: Table, result: Result) -> GameEnded:
    """The event that ends play with this result."""
    o, root = table.open, table.house.root
    assert root is not None, "the service knows its own root"
    return GameEnded(result.reason, Totals(o.north.total, o.south.total), root, result.winner, result.by)


_FOLLOW = {"hand_started": _start_hand, "hand_scored": _score, "verdict": _verdict}
