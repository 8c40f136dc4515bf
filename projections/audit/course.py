"""The second pass: could every event happen, and was it legal, when it was made? It folds the table and asks before each event.

It stops at the first event after which nothing more can be said, and names it.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from events.types import (
    BidPlaced,
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardsExchanged,
    ContributionRevealed,
    Data,
    DoubleNilBid,
    Event,
    GameCreated,
    GameEnded,
    HandScored,
    HandStarted,
    Looked,
    PlayerJoined,
)
from projections.audit import dealt, played
from projections.audit.dealing import Deal, drawn_of, stock_of
from projections.audit.findings import Finding
from projections.audit.judging import Hand, Problem, Stop
from projections.fold import Impossible, apply
from projections.positions import of
from projections.table import Table, empty


class Course(msgspec.Struct, frozen=True):
    """The table at the end of what could be folded, what was found, and what the service dealt. `stopped` says why not all."""

    table: Table
    findings: tuple[Finding, ...]
    deals: tuple[Deal, ...]
    ended: Event | None
    stopped: str | None


def check(game: str, events: Sequence[Event], *, commits: frozenset[int] | None, whole: bool) -> Course:
    """Walks the events. `commits` are the ends of commits where known; `whole` says that nothing was left unread."""
    table, hand = empty(game), Hand()
    found: list[Finding] = []
    deals: list[Deal] = []
    ended: Event | None = None
    for event in events:
        position = of(table.open, event)
        place = (position, event.seq)
        try:
            for code, message in _judge(table, hand, event, commits):
                found.append(Finding(code, *place, message))
            deals.extend(_deals(table, position, event))
            table = apply(table, event)
        except Stop as stop:
            found.append(Finding(stop.problem[0], *place, stop.problem[1]))
            return Course(table, tuple(found), tuple(deals), ended, f"what follows {position} (event {event.seq})")
        except Impossible as error:
            found.append(Finding("impossible", *place, f"event {event.seq}: {error}"))
            return Course(table, tuple(found), tuple(deals), ended, f"what follows {position} (event {event.seq})")
        if isinstance(event.data, HandStarted):
            hand = Hand()
        elif isinstance(event.data, CardPlayed):
            hand.plays.append(event.data)
        elif isinstance(event.data, CardKept):
            hand.choice = event.data.choice
        elif isinstance(event.data, GameEnded):
            ended = event
    if whole and table.open.due is not None:
        last = table.open.version
        due = _due(table)
        found.append(Finding("commit_cut", f"v{last}", last, f"the log ends inside a commit: {due} must follow event {last}"))
    return Course(table, tuple(found), tuple(deals), ended, None)


def _deals(table: Table, position: str, event: Event) -> Iterator[Deal]:
    data = event.data
    if isinstance(data, HandStarted) and (stock := stock_of(event.secret)):
        yield Deal(event.seq, position, data.hand, stock)
    if isinstance(data, CardsExchanged) and (drawn := drawn_of(event.secret)) and table.house.pile is not None:
        yield Deal(event.seq, position, data.hand, drawn, data.seat, table.house.pile)


def _due(table: Table) -> str:
    return "hand_started or game_ended" if table.open.due == "verdict" else str(table.open.due)


def _judge(table: Table, hand: Hand, event: Event, commits: frozenset[int] | None) -> Iterator[Problem]:
    """Everything that is wrong with `event` at this table. Raises `Stop` where nothing after it makes sense."""
    o, data = table.open, event.data
    if o.phase == "ended":
        raise Stop("event_after_end", f"event {event.seq} ({event.type.name}) follows the end of play")
    if (o.version == 0) != isinstance(data, GameCreated):
        raise Stop("wrong_event", "a log begins with game_created, once")
    if o.due is not None:
        names = ("hand_started", "game_ended") if o.due == "verdict" else (o.due,)
        if event.type.name not in names:
            raise Stop("commit_cut", f"{_due(table)} must follow event {o.version} in its commit, not {event.type.name}")
        if event.at != o.at:
            yield "commit_split", f"event {event.seq} belongs to the commit of event {o.version} but has another time"
        if commits is not None and o.version in commits:
            yield "commit_split", f"a commit ends with event {o.version}, inside a move"
    elif isinstance(data, _ONLY_DUE):
        raise Stop("wrong_event", f"nothing before event {event.seq} brings a {event.type.name} now")
    elif commits is not None and o.version and o.version not in commits:
        yield "commits_joined", f"event {event.seq} is another move than event {o.version} but stands in its commit"
    yield from _CHECKS[type(data)](table, hand, event)


_ONLY_DUE = (HandStarted, CardDiscarded, HandScored)
"""What no move makes by itself: it follows another event in its commit."""

_CHECKS: dict[type[Data], Callable[[Table, Hand, Event], Iterator[Problem]]] = {
    GameCreated: dealt.created,
    PlayerJoined: dealt.joined,
    ContributionRevealed: dealt.revealed,
    HandStarted: dealt.hand_started,
    Looked: dealt.looked,
    DoubleNilBid: dealt.looked,
    CardKept: dealt.kept,
    CardDiscarded: dealt.discarded,
    CardsExchanged: dealt.exchanged,
    BidPlaced: played.bid,
    CardPlayed: played.played,
    HandScored: played.scored,
    GameEnded: played.ended,
}
