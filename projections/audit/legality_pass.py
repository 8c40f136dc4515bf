"""The second pass: could every event happen, and was it legal, when it was made? It folds the table and asks before each event.

It stops at the first event after which nothing more can be said, and names it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from events.cards import SEATS
from events.types import (
    REVIEW,
    BidPlaced,
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardsExchanged,
    ContributionRevealed,
    Data,
    DisputeOpened,
    DisputeSettled,
    DoubleNilBid,
    Event,
    GameCreated,
    GameEnded,
    HandScored,
    HandStarted,
    Looked,
    LossAccepted,
    PlayerJoined,
    ScoreCorrected,
)
from projections.audit import dealt, played, reviewed
from projections.audit.codes import Code
from projections.audit.dealing import Deal, drawn_of, stock_of
from projections.audit.findings import Finding
from projections.audit.judging import HandState, Problem, Stop, Whole, WrongScore
from projections.audit.phrases import phrase
from projections.fold import Impossible, apply
from projections.positions import of
from projections.table import Table, empty


class Course(msgspec.Struct, frozen=True):
    """The table at the end of what could be folded, what was found, and what the service dealt. `notes` are wrong scores that
    were put right later; `stopped` says why not all could be judged."""

    table: Table
    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    deals: tuple[Deal, ...]
    ended: Event | None
    stopped: str | None


def check(
    game: str, events: Sequence[Event], *, heads: Mapping[int, bytes], commits: frozenset[int] | None, whole: bool
) -> Course:
    """Walks the events, whose heads by version are `heads`. `commits` are the ends of commits where known; `whole` says that
    nothing was left unread."""
    kept = Whole(heads)
    table, hand = empty(game), HandState(kept)
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
        except (Stop, Impossible) as error:
            code, message = error.problem if isinstance(error, Stop) else (Code.IMPOSSIBLE, f"event {event.seq}: {error}")
            found.append(Finding(code, *place, message))
            return _course(table, kept, found, deals, ended, f"what follows {position} (event {event.seq})")
        kept.before = event
        if isinstance(event.data, HandStarted):
            hand = HandState(kept)
        elif isinstance(event.data, CardPlayed):
            hand.plays.append(event.data)
        elif isinstance(event.data, CardKept):
            hand.choice = event.data.choice
        elif isinstance(event.data, HandScored):
            _count(table, hand)
        elif isinstance(event.data, GameCreated):
            kept.recount.rules = table.open.rules
        elif isinstance(event.data, GameEnded):
            ended = event
    if whole and table.open.due is not None:
        last = table.open.version
        due = _due(table)
        found.append(
            Finding(Code.COMMIT_CUT, f"v{last}", last, f"the log ends inside a commit: {due} must follow event {last}")
        )
    return _course(table, kept, found, deals, ended, None)


def _course(
    table: Table, kept: Whole, found: list[Finding], deals: list[Deal], ended: Event | None, stopped: str | None
) -> Course:
    """A wrong score is a finding, unless a founded correction put it right: then it is a note."""
    wrong = [_finding(each) for each in kept.wrong if each.mended_by is None]
    notes = [_finding(each) for each in kept.wrong if each.mended_by is not None]
    notes += [Finding(Code.LOSS_ACCEPTED, f"v{version}", version, message) for version, message in kept.losses]
    return Course(table, (*found, *wrong), tuple(notes), tuple(deals), ended, stopped)


def _finding(wrong: WrongScore) -> Finding:
    if wrong.mended_by is None:
        return Finding(Code.WRONG_SCORE, wrong.position, wrong.version, wrong.message)
    message = f"{wrong.message}; corrected by event {wrong.mended_by.seq}"
    return Finding(Code.SCORE_MENDED, wrong.position, wrong.version, message)


def _count(table: Table, hand: HandState) -> None:
    """The hand as the plays make it, for the sheet that corrections are held against."""
    o = table.open
    bids = {seat: o.player(seat).bid for seat in SEATS}
    hand.game.recount.hand({seat: bid for seat, bid in bids.items() if bid is not None}, hand.plays)


def _deals(table: Table, position: str, event: Event) -> Iterator[Deal]:
    data = event.data
    if isinstance(data, HandStarted) and (stock := stock_of(event.secret)):
        yield Deal(event.seq, position, data.hand, stock)
    if isinstance(data, CardsExchanged) and (drawn := drawn_of(event.secret)) and table.house.pile is not None:
        yield Deal(event.seq, position, data.hand, drawn, data.seat, table.house.pile)


def _due(table: Table) -> str:
    names = ("hand_started", "game_ended") if table.open.due == "verdict" else (str(table.open.due),)
    return " or ".join(phrase(name) for name in names)


def _judge(table: Table, hand: HandState, event: Event, commits: frozenset[int] | None) -> Iterator[Problem]:
    """Everything that is wrong with `event` at this table. Raises `Stop` where nothing after it makes sense."""
    o, data = table.open, event.data
    if o.ended and not isinstance(data, REVIEW):
        raise Stop(Code.EVENT_AFTER_END, f"event {event.seq} ({phrase(event.type.name)}) follows the end of play")
    if (o.version == 0) != isinstance(data, GameCreated):
        raise Stop(Code.WRONG_EVENT, "a log begins with the creation of the game, once")
    if o.due is not None:
        names = ("hand_started", "game_ended") if o.due == "verdict" else (o.due,)
        if event.type.name not in names:
            raise Stop(
                Code.COMMIT_CUT, f"{_due(table)} must follow event {o.version} in its commit, not {phrase(event.type.name)}"
            )
        if event.at != o.at:
            yield Code.COMMIT_SPLIT, f"event {event.seq} belongs to the commit of event {o.version} but has another time"
        if commits is not None and o.version in commits:
            yield Code.COMMIT_SPLIT, f"a commit ends with event {o.version}, inside a move"
    elif isinstance(data, ScoreCorrected):
        yield from reviewed.follows(hand, event, commits)
    elif isinstance(data, _ONLY_DUE):
        raise Stop(Code.WRONG_EVENT, f"nothing before event {event.seq} brings {phrase(event.type.name)} now")
    elif commits is not None and o.version and o.version not in commits:
        yield Code.COMMITS_JOINED, f"event {event.seq} is another move than event {o.version} but stands in its commit"
    yield from _CHECKS[type(data)](table, hand, event)


_ONLY_DUE = (HandStarted, CardDiscarded, HandScored)
"""What no move makes by itself: it follows another event in its commit."""

_CHECKS: dict[type[Data], Callable[[Table, HandState, Event], Iterator[Problem]]] = {
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
    DisputeOpened: reviewed.opened,
    DisputeSettled: reviewed.settled,
    ScoreCorrected: reviewed.corrected,
    LossAccepted: reviewed.loss_accepted,
}
