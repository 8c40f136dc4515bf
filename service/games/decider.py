"""The decider: `decide(table, seat, move, now, entropy) -> Decision`, pure but for the entropy handed in.

A refused move raises `Refused` and leaves everything as it was. What is legal is asked of ``projections``; here it is
only turned into facts, with everything that must follow in the same commit (fairness.md, Commits).
"""

from typing import Literal

from events import shuffle
from events.cards import Card, Seat, other
from events.types import (
    BidPlaced,
    CardDiscarded,
    CardKept,
    CardPlayed,
    CardsExchanged,
    ContributionRevealed,
    DoubleNilBid,
    Exchanged,
    GameCreated,
    GameSecrets,
    Looked,
    OneCard,
    PlayerJoined,
    PlayerSecrets,
)
from projections.legal import (
    Objection,
    bid_objection,
    discard_owner,
    exchange_objection,
    options,
    play_objection,
    reveal_objection,
)
from projections.table import Result, Table, empty
from projections.view import deadline
from service.base import names
from service.base.entropy import Entropy
from service.games import moves
from service.games.consequences import CommitDraft, Decision, ended
from service.games.refusals import Refused


def create(game: str, move: moves.Create, now: int, entropy: Entropy) -> Decision:
    """The first commit of a game: `game_created` and north's `player_joined`. Raises `Refused` (`name_taken`)."""
    if move.names is not None:
        _require_two_names(move.names.north, move.names.south)
        if move.rated and names.alike(move.names.north, move.names.south):
            raise Refused("name_taken", "these two names look alike, which a rated game does not allow: choose another one")
    commit = CommitDraft(empty(game), now, entropy)
    root = entropy.root()
    created = GameCreated(
        move.rules.data(),
        move.first,
        shuffle.root_commitment(bytes.fromhex(root)),
        move.server_key,
        listed=move.listed,
        rated=move.rated,
        names=move.names,
        after=move.after,
    )
    commit.add(created, GameSecrets(root, move.invite_hash), "house")
    joined = PlayerJoined("north", move.name, move.contribution)
    commit.add(joined, PlayerSecrets(move.token_hash), "house")
    return commit.done()


def join(table: Table, move: moves.Join, now: int, entropy: Entropy) -> Decision:
    """South's `player_joined`, and the first hand unless a reveal is due. Raises `Refused`."""
    if table.open.ended:
        raise Refused("game_over", "this game has ended")
    if table.open.south.seated:
        raise Refused("seat_taken", "both seats of this game are taken")
    kept_for = table.open.names
    if kept_for is not None and kept_for.south != move.name:
        raise Refused("not_allowed", f"this seat is kept for {kept_for.south}: sit down under that name")
    _require_two_names(table.open.north.name, move.name)
    commit = CommitDraft(table, now, entropy)
    joined = PlayerJoined("south", move.name, move.contribution)
    commit.add(joined, PlayerSecrets(move.token_hash), "house")
    return commit.done()


def _require_two_names(north: str, south: str) -> None:
    if names.same(north, south):
        raise Refused("name_taken", "both players of a game cannot have the same name: choose another one")


def decide(table: Table, seat: Seat, move: moves.Move, now: int, entropy: Entropy) -> Decision:
    """The events of `seat`'s move at the time `now` (ms). Raises `Refused` with the reason."""
    o = table.open
    if o.ended:
        raise Refused("game_over", "this game has ended")
    commit = CommitDraft(table, now, entropy)
    match move:
        case moves.Resign():
            commit.add(ended(table, _resigned(table, seat)))
        case moves.ClaimTimeout():
            commit.add(ended(table, _timed_out(table, seat, commit.at)))
        case _:
            _require(table, seat, move)
            _make(commit, seat, move)
    return commit.done()


def _resigned(table: Table, seat: Seat) -> Result:
    if not table.open.south.seated:
        return Result("abandoned", None, seat)
    return Result("resigned", other(seat), seat)


def _timed_out(table: Table, seat: Seat, now: int) -> Result:
    limit = deadline(table.open)
    if limit is None:
        why = "this game has no turn limit" if table.open.turn is not None else "nobody is on turn"
        raise Refused("no_timeout", f"nobody's time is running: {why}")
    if table.open.turn == seat:
        raise Refused("no_timeout", "it is your own turn: only the other seat can claim that you ran out of time")
    if now < limit:
        raise Refused("no_timeout", f"{table.open.turn} still has {-(-(limit - now) // 1000)} s")
    return Result("timed_out", seat, other(seat))


def end(table: Table, result: Result, now: int, entropy: Entropy) -> Decision:
    """The end that nobody at the table made: by the clock or by the operator. Raises `Refused` where play has ended."""
    if table.open.ended:
        raise Refused("game_over", "this game has ended")
    commit = CommitDraft(table, now, entropy)
    commit.add(ended(table, result))
    return commit.done()


_NAMES = {
    moves.Reveal: "reveal",
    moves.Look: "look",
    moves.DoubleNil: "double_nil",
    moves.Keep: "keep",
    moves.Pass: "pass",
    moves.Exchange: "exchange",
    moves.Bid: "bid",
    moves.Play: "play",
}
_PHASES = {
    "waiting": "nobody has taken the other seat yet",
    "reveal": "the players' own bytes must be revealed first",
    "draft": "the draft is on",
    "exchange": "the exchange is on",
    "bidding": "the bidding is on",
    "play": "the cards are being played",
}


def _require(table: Table, seat: Seat, move: moves.Move) -> None:
    """Raises `Refused` unless this kind of move is the seat's to make now."""
    o, name = table.open, _NAMES[type(move)]
    kinds = [option.type for option in options(o, seat, table.own(seat))]
    if name in kinds:
        return
    if o.turn is not None and o.turn != seat:
        raise Refused("not_your_turn", f"it is {o.turn}'s turn")
    if name == "double_nil" and o.phase == "draft":
        raise Refused("wrong_phase", "double nil is bid before the first card of the hand is seen (rules §3.1)")
    now = " or ".join(kinds)
    raise Refused("wrong_phase", f"{name} is not possible now: {_PHASES[o.phase]}" + (f"; you may {now}" if now else ""))


def _object(objection: Objection | None) -> None:
    if objection is not None:
        raise Refused(objection.code, objection.message)


def _make(commit: CommitDraft, seat: Seat, move: moves.Move) -> None:
    table = commit.table
    o, own = table.open, table.own(seat)
    match move:
        case moves.Reveal(own_bytes):
            _object(reveal_objection(o, seat, own_bytes))
            commit.add(ContributionRevealed(seat, own_bytes))
        case moves.Look():
            commit.add(Looked(o.hand, seat))
        case moves.DoubleNil():
            commit.add(DoubleNilBid(o.hand, seat))
        case moves.Keep() | moves.Pass():
            _draft(commit, seat, keep=isinstance(move, moves.Keep))
        case moves.Exchange(discard):
            _object(exchange_objection(o, own, discard))
            drawn = commit.entropy.exchange(table, seat, len(discard))
            commit.add(CardsExchanged(o.hand, seat, len(discard)), Exchanged(discard, drawn), seat)
        case moves.Bid(tricks):
            _object(bid_objection(tricks))
            commit.add(BidPlaced(o.hand, seat, tricks))
        case moves.Play(card):
            _object(play_objection(o, own, card))
            assert o.trick is not None
            commit.add(CardPlayed(o.hand, seat, o.trick.number, card))


def _draft(commit: CommitDraft, seat: Seat, *, keep: bool) -> None:
    """Keep: the first card to the hand, the second unseen to the pile; pass: the other way round (rules.md §2.2)."""
    o = commit.table.open
    first, second = _top_two(commit.table)
    kept, thrown = (first, second) if keep else (second, first)
    choice: Literal["first", "second"] = "first" if keep else "second"
    commit.add(CardKept(o.hand, seat, choice), OneCard(kept), seat)
    commit.add(CardDiscarded(o.hand, seat), OneCard(thrown), discard_owner(o.rules, seat, choice))


def _top_two(table: Table) -> tuple[Card, Card]:
    stock, turn = table.house.stock, table.open.turns
    assert stock is not None, "the service knows its own stock"
    return stock[2 * turn], stock[2 * turn + 1]
