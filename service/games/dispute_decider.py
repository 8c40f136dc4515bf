"""The decisions about disputes, pure but for the entropy handed in: a dispute opened or settled, a score put right.

A refusal raises `Refused` and leaves everything as it was. A correction is taken only if the audit's own count of bids and
cards makes it that: nobody can write a score.
"""

from collections.abc import Sequence

from events.cards import SEATS
from events.log import Commit, heads, load
from events.types import Counts, Data, DisputeNote, DisputeOpened, DisputeSettled, Event, Line, ScoreCorrected, Totals
from projections import review
from projections.audit.score_table import Recount, recount
from projections.claims import BadClaim, Facts
from projections.claims.claim import check
from projections.claims.facts import Fact, ScoredHand
from projections.claims.recorded import claim_of
from projections.fold import apply
from projections.positions import BadPosition
from projections.replay.walk import index, steps
from projections.sheet import minus
from projections.table import Open, Table
from service.base.entropy import Entropy
from service.games.consequences import Decision
from service.games.dispute_requests import Correction, NewDispute, Settlement
from service.games.refusals import Refused


def opened(table: Table, seat: str, ask: NewDispute, commits: Sequence[Commit], now: int, entropy: Entropy) -> Decision:
    """The event of a dispute; `commits` are those the table was folded from. Raises `Refused`."""
    o = table.open
    if not o.south.seated:
        raise Refused("wrong_phase", "nobody has taken the other seat yet: there is nothing to dispute")
    _require_comparable(o, ask)
    version = _version(o, ask.position, commits)
    head = heads(o.game, [stored.public for commit in commits for stored in commit.events])[version - 1].hex()
    data = DisputeOpened(len(o.disputes) + 1, "north" if seat == "north" else "south", version, head, ask.claim)
    over = review.limit(o, data)
    if over is not None:
        code = "too_many_disputes" if data.n > review.MOST_DISPUTES else "dispute_open"
        raise Refused(code, over)
    event = Event(o.version + 1, max(now, o.at), data, DisputeNote(ask.note), "house", entropy.salt())
    return Decision((event,), apply(table, event))


def _require_comparable(o: Open, ask: NewDispute) -> None:
    """Raises `Refused` for a claim of nothing, or about a hand that has no score."""
    hands = tuple(ScoredHand(scored.hand, Fact(0, 0), Fact(0, 0)) for scored in o.scores)
    try:
        check(Facts(o.rules, hands, o.result), claim_of(ask.claim))
    except BadClaim as error:
        raise Refused("bad_claim", str(error)) from None


def _version(o: Open, position: str | None, commits: Sequence[Commit]) -> int:
    """The version a position names. Raises `Refused`."""
    if position is None:
        return o.version
    events = [load(stored) for commit in commits for stored in commit.events]
    try:
        return index(steps(o.game, events)).span(position).last
    except BadPosition as error:
        raise Refused("invalid", f"position: {error}") from None


def number(o: Open, text: str) -> int:
    """The number of the dispute that an address names. Raises `Refused` (`no_such_dispute`)."""
    known = {str(dispute.n): dispute.n for dispute in o.disputes}
    if text not in known:
        raise Refused("no_such_dispute", f"this game has no dispute {text[:10]!r}: it has {len(known)}")
    return known[text]


def settled(table: Table, n: int, ask: Settlement, commits: Sequence[Commit], now: int) -> Decision:
    """The events of a settlement; `commits` are those the table was folded from. Raises `Refused`."""
    dispute = next((each for each in table.open.disputes if each.n == n), None)
    if dispute is None:
        raise Refused("no_such_dispute", f"this game has no dispute {n}: it has {len(table.open.disputes)}")
    if dispute.settled is not None:
        raise Refused("dispute_settled", f"dispute {n} was {dispute.verdict} at v{dispute.settled}: that stays")
    events: list[Event] = []

    def add(data: Data) -> None:
        nonlocal table
        event = Event(table.open.version + 1, max(now, table.open.at), data)
        table = apply(table, event)
        events.append(event)

    add(DisputeSettled(n, ask.verdict, ask.reason))
    if ask.corrections:
        right = recount(load(stored) for commit in commits for stored in commit.events)
        for wanted in sorted(ask.corrections, key=lambda each: (each.hand, SEATS.index(each.seat))):
            add(_correction(table.open, right, wanted, wanted.why or ask.reason))
    return Decision(tuple(events), table)


def _correction(o: Open, right: Recount, wanted: Correction, why: str) -> ScoreCorrected:
    """The event that puts a line right. Raises `Refused` unless the plays make it what is wanted, and something else stands."""
    lines, seat = right.lines[wanted.seat], wanted.seat
    place = f"{seat} in hand {wanted.hand}"
    if not 1 <= wanted.hand <= len(o.scores):
        raise Refused("unfounded_correction", f"{place}: this game has scores of {len(o.scores)} hands")
    wrong = [scored.hand for scored, line in zip(o.scores, lines, strict=True) if scored.line(seat) != line]
    if not wrong:
        raise Refused("unfounded_correction", f"{place}: there is nothing to correct, the plays make {seat}'s score what it is")
    if wrong[0] != wanted.hand:
        raise Refused("unfounded_correction", f"{place}: the first of {seat}'s lines that is wrong is that of hand {wrong[0]}")
    new = lines[wanted.hand - 1]
    if new.points - new.penalty != wanted.points:
        made = minus(f"the plays make it {new.points - new.penalty:+}, not {wanted.points:+}")
        raise Refused("unfounded_correction", f"{place}: {made}")
    ends = {each: _end(o, lines[-1], each, corrected=each == seat) for each in SEATS}
    totals, bags = Totals(*(ends[each][0] for each in SEATS)), Counts(*(ends[each][1] for each in SEATS))
    old = o.scores[wanted.hand - 1].line(seat)
    winner = review.winner_by(o, totals.north, totals.south)
    return ScoreCorrected(wanted.hand, seat, old, new, totals, bags, why, winner)


def _end(o: Open, last: Line, seat: str, *, corrected: bool) -> tuple[int, int]:
    """Total and bags of a seat from now on."""
    player = o.north if seat == "north" else o.south
    return (last.total, last.bags) if corrected else (player.total, player.bags)
