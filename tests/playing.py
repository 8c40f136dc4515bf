"""Games for tests: cards that are given instead of shuffled, whole games played at random from a seed, and a service that
lies, which changes a log and then chains, seals and signs it again.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from events import shuffle
from events.canonical import encode
from events.cards import DECK, ORDER, SEATS, Card, Seat, other
from events.log import Commit, Stored, head_after, load, store
from events.receipts import Signer
from events.record import Record
from events.ruleset import with_options
from events.store import start
from events.types import ContributionRevealed, Data, Event, GameEnded, HandStarted
from projections.audience import Viewer, seen_by
from projections.audit import Finding, Source, audit, from_commits
from projections.fold import apply, fold
from projections.legal import LegalMove, options
from projections.table import Table, empty
from projections.view import deadline
from service.base.entropy import Csprng
from service.games import decider, moves
from service.games.exporting import record_for
from service.games.refusals import Refused

GAME = "0k7f3x9q2m5v8w1c"
SIGNER = Signer(b"\x07" * 32)
OTHER_SIGNER = Signer(b"\x08" * 32)
START = 1_790_000_000_000
BYTES: dict[Seat, bytes] = {"north": b"\x01" * 32, "south": b"\x02" * 32}
SIMPLE: dict[str, type[Any]] = {
    "look": moves.Look,
    "double_nil": moves.DoubleNil,
    "keep": moves.Keep,
    "pass": moves.Pass,
}


def cards(text: str) -> tuple[Card, ...]:
    """The cards of a text such as ``"QS TD 2C"``."""
    return tuple(Card(card) for card in text.split())


class Scripted(Csprng):
    """Entropy that repeats: root and salts from a seed, stocks and exchange draws as given, derived where none is given."""

    def __init__(
        self, seed: int = 0, stocks: Mapping[int, Sequence[Card]] | None = None, draws: Iterable[Sequence[Card]] = ()
    ) -> None:
        self._dice = random.Random(seed)
        self.stocks = dict(stocks or {})
        self.draws = [tuple(drawn) for drawn in draws]

    def root(self) -> str:
        return self._dice.randbytes(32).hex()

    def salt(self) -> str:
        return self._dice.randbytes(16).hex()

    def stock(self, table: Table, hand: int) -> tuple[Card, ...]:
        return tuple(self.stocks[hand]) if hand in self.stocks else super().stock(table, hand)

    def exchange(self, table: Table, seat: Seat, count: int) -> tuple[Card, ...]:
        return self.draws.pop(0) if self.draws else super().exchange(table, seat, count)


class Game:
    """One game at its table: `commits` are the events of each accepted move, `tables` the tables after each of them."""

    def __init__(
        self,
        rules: Mapping[str, Any] | None = None,
        *,
        first: Seat = "north",
        entropy: Scripted | None = None,
        contributions: Sequence[Seat] = (),
        signer: Signer = SIGNER,
        now: int = START,
    ) -> None:
        self.entropy = entropy or Scripted()
        self.signer = signer
        self.now = now
        self.contributions = tuple(contributions)
        self.commits: list[tuple[Event, ...]] = []
        self.table = empty(GAME)
        created = moves.Create(
            name="Ann",
            rules=with_options(rules or {}),
            first=first,
            server_key=signer.key,
            invite_hash="a" * 64,
            token_hash="b" * 64,
            contribution=self._contribution("north"),
        )
        self._accept(decider.create(GAME, created, self.now, self.entropy))

    def _contribution(self, seat: Seat) -> str | None:
        return shuffle.contribution(BYTES[seat]) if seat in self.contributions else None

    def _accept(self, events: Sequence[Event]) -> None:
        self.commits.append(tuple(events))
        self.table = fold(self.table, events)
        assert self.table.open.due is None, "an accepted move leaves nothing due"

    def sit_down(self) -> "Game":
        """South sits down."""
        join = moves.Join(name="Bo", token_hash="c" * 64, contribution=self._contribution("south"))
        self._accept(decider.join(self.table, join, self.now, self.entropy))
        return self

    def join(self) -> "Game":
        """South sits down, and whoever brought bytes reveals them."""
        self.sit_down()
        while self.table.open.phase == "reveal":
            seat = self.table.open.turn
            assert seat is not None
            self.reveal(seat, BYTES[seat])
        return self

    def reveal(self, seat: Seat, own: bytes) -> None:
        """The commit of a reveal, with the first hand if it is the last one."""
        commit = decider._Commit(self.table, self.now, self.entropy)
        commit.add(ContributionRevealed(seat, own.hex()))
        self._accept(commit.done())

    def play(self, seat: Seat, *made: moves.Move) -> tuple[Event, ...]:
        """Moves of one seat, each accepted; the events of the last one."""
        for move in made:
            self._accept(decider.decide(self.table, seat, move, self.now, self.entropy))
        return self.commits[-1]

    def card(self, *texts: str) -> None:
        """Cards played by whoever is on turn, one after the other."""
        for text in texts:
            self.play(self.turn, moves.Play(Card(text)))

    def trick(self, *texts: str) -> Seat:
        """Cards played by whoever is on turn; who took the last trick."""
        self.card(*texts)
        last = self.table.open.last_trick
        assert last is not None
        assert last.winner is not None
        return last.winner

    def refused(self, seat: Seat, move: moves.Move, code: str) -> Refused:
        """The refusal of a move; it must have this code and leave the table as it was."""
        before = self.table
        with pytest.raises(Refused) as caught:
            decider.decide(self.table, seat, move, self.now, self.entropy)
        assert caught.value.code == code, caught.value.message
        assert self.table == before
        return caught.value

    @property
    def turn(self) -> Seat:
        """The seat on turn."""
        seat = self.table.open.turn
        assert seat is not None, f"nobody is on turn in phase {self.table.open.phase}"
        return seat

    @property
    def legal(self) -> tuple[LegalMove, ...]:
        """What the seat on turn may do."""
        return options(self.table.open, self.turn, self.table.own(self.turn))

    @property
    def playable(self) -> tuple[Card, ...]:
        """The cards the seat on turn may play."""
        (option,) = self.legal
        assert option.type == "play"
        return option.cards

    @property
    def events(self) -> list[Event]:
        """All events so far, as they are loaded from the bytes stored."""
        return [load(event) for commit in self.log() for event in commit.events]

    def log(self) -> list[Commit]:
        """The game as commits in a store."""
        return chained(self.commits, self.signer)

    def record(self, viewer: Viewer = "spectator") -> Record:
        """The game as a record for a viewer."""
        return record_for(GAME, self.log(), viewer, ended=self.table.open.phase == "ended")

    def seen(self, viewer: Viewer, *, ended: bool = False) -> list[Event]:
        """The events as a viewer sees them."""
        return [seen_by(event, viewer, ended=ended) for event in self.events]

    def with_score(self, north: int = 0, south: int = 0, north_bags: int = 0, south_bags: int = 0) -> "Game":
        """The same table with other totals and bags: a game long under way, of which no log is asked."""
        o = self.table.open.with_player("north", total=north, bags=north_bags)
        self.table = self.table.but(open=o.with_player("south", total=south, bags=south_bags))
        return self


# Given hands ----------------------------------------------------------------------------------------------------------


def filled(north: str = "", south: str = "") -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Two hands of 13: the cards named, and the first of the rest of the deck that are in neither."""
    hands = [list(cards(north)), list(cards(south))]
    rest = [card for card in DECK if card not in hands[0] and card not in hands[1]]
    for hand in hands:
        while len(hand) < 13:
            hand.append(rest.pop(0))
    return tuple(hands[0]), tuple(hands[1])


def stock_for(north: Sequence[Card], south: Sequence[Card], first: Seat = "north") -> tuple[Card, ...]:
    """A stock that gives these hands when everybody keeps every first card; the rest of the deck goes to the pile."""
    pile = [card for card in DECK if card not in north and card not in south]
    mine, theirs = (north, south) if first == "north" else (south, north)
    stock: list[Card] = []
    for turn in range(13):
        stock += [mine[turn], pile[2 * turn], theirs[turn], pile[2 * turn + 1]]
    return tuple(stock)


def keep_all(game: Game, double_nil: Sequence[Seat] = ()) -> None:
    """The whole draft: everybody looks, or bids double nil, and keeps every first card."""
    while game.table.open.phase == "draft":
        if not game.table.open.player(game.turn).looked:
            game.play(game.turn, moves.DoubleNil() if game.turn in double_nil else moves.Look())
        game.play(game.turn, moves.Keep())


def given(
    north: str = "",
    south: str = "",
    *,
    rules: Mapping[str, Any] | None = None,
    first: Seat = "north",
    double_nil: Sequence[Seat] = (),
    bids: Mapping[Seat, int] | None = None,
) -> Game:
    """A first hand with these cards after its draft (`filled` up), and after its bids where `bids` are given."""
    hands = filled(north, south)
    game = Game(rules, first=first, entropy=Scripted(stocks={1: stock_for(*hands, first)})).join()
    keep_all(game, double_nil)
    if bids is not None:
        bid(game, bids)
    return game


def bid(game: Game, bids: Mapping[Seat, int]) -> None:
    """Both bids, without an exchange of cards where one is due."""
    while game.table.open.phase in ("exchange", "bidding"):
        if game.table.open.phase == "exchange":
            game.play(game.turn, moves.Exchange(()))
        else:
            game.play(game.turn, moves.Bid(bids[game.turn]))


def outcome_hands(leader_takes: int) -> tuple[str, str, str, str]:
    """Hands of the leader and of the other in which the leader takes so many tricks, and the order in which each plays
    (suits, each from its top): `play_out` plays them."""
    rest = 13 - leader_takes
    if leader_takes >= 7:
        leader = [f"{rank}C" for rank in "AKQJT98765432"[:leader_takes]] + [f"{rank}H" for rank in "23456789TJQKA"[:rest]]
        follower = [f"{rank}H" for rank in "AKQJT98765432"[:rest]] + [f"{rank}D" for rank in "AKQJT98765432"[:leader_takes]]
        return " ".join(leader), " ".join(follower), "CH", "DH"
    leader = [f"{rank}H" for rank in "AKQJT98765432"[:leader_takes]] + [f"{rank}C" for rank in "AKQJT98765432"[:rest]]
    follower = [f"{rank}H" for rank in "23456789TJQKA"[:leader_takes]] + [f"{rank}S" for rank in "AKQJT98765432"[:rest]]
    return " ".join(leader), " ".join(follower), "HC", "HS"


def hand_stock(north_takes: int, first: Seat) -> tuple[Card, ...]:
    """A stock of a hand in which north takes so many tricks when it is kept and played out (`play_out`)."""
    leader = other(first)
    leads, follows, *_ = outcome_hands(north_takes if leader == "north" else 13 - north_takes)
    mine: dict[Seat, str] = {leader: leads, first: follows}
    return stock_for(cards(mine["north"]), cards(mine["south"]), first)


def play_out(game: Game, north_takes: int) -> tuple[Event, ...]:
    """The play of a hand of `hand_stock`, to its score; the events of the last card's commit."""
    hand, leader = game.table.open.hand, game.table.open.hand_second
    *_, leads, follows = outcome_hands(north_takes if leader == "north" else 13 - north_takes)
    while game.table.open.phase == "play" and game.table.open.hand == hand:
        order = leads if game.turn == leader else follows
        game.play(game.turn, moves.Play(min(game.playable, key=lambda card: (order.index(card[1]), -ORDER[card]))))
    return game.commits[-1]


def hand(game: Game, north: int | str, south: int | str, north_takes: int) -> tuple[Event, ...]:
    """A whole hand with these bids (``"double_nil"`` included) and tricks; `hands` must have given the game its stock."""
    wanted: dict[Seat, int | str] = {"north": north, "south": south}
    keep_all(game, [seat for seat in SEATS if wanted[seat] == "double_nil"])
    bid(game, {seat: tricks for seat, tricks in wanted.items() if isinstance(tricks, int)})
    return play_out(game, north_takes)


def hands(
    *wanted: tuple[int | str, int | str, int],
    rules: Mapping[str, Any] | None = None,
    first: Seat = "north",
    north: tuple[int, int] = (0, 0),
    south: tuple[int, int] = (0, 0),
) -> Game:
    """A game of whole hands, each (north's bid, south's bid, tricks north takes), from totals and bags before the first."""
    firsts: list[Seat] = [first if number % 2 == 0 else other(first) for number in range(len(wanted))]
    stocks = {i + 1: hand_stock(takes, firsts[i]) for i, (_, _, takes) in enumerate(wanted)}
    game = Game(rules, first=first, entropy=Scripted(stocks=stocks)).join()
    game.with_score(north[0], south[0], north[1], south[1])
    for north_bid, south_bid, takes in wanted:
        hand(game, north_bid, south_bid, takes)
    return game


# Games at random ------------------------------------------------------------------------------------------------------


def any_move(game: Game, dice: random.Random, *, double_nils: float = 0.3) -> moves.Move:
    """A legal move of the seat on turn."""
    legal = game.legal
    assert legal, "on turn there is always something to do"
    kinds = [option.type for option in legal]
    if "double_nil" in kinds:
        return moves.DoubleNil() if dice.random() < double_nils else moves.Look()
    option = dice.choice(legal)
    if option.type == "exchange":
        return moves.Exchange(tuple(dice.sample(option.cards, dice.randint(0, option.most))))
    if option.type == "bid":
        return moves.Bid(dice.choice((0, 2, 3, 4, 5, 6, 7, 13)))
    if option.type == "play":
        return moves.Play(dice.choice(option.cards))
    made: moves.Move = SIMPLE[option.type]()
    return made


def random_game(
    seed: int,
    rules: Mapping[str, Any] | None = None,
    *,
    first: Seat = "north",
    contributions: Sequence[Seat] = (),
    most: int | None = None,
    end: str | None = None,
    each: Callable[[Game], None] | None = None,
    entropy: Scripted | None = None,
) -> Game:
    """A game of legal moves chosen by `seed`: to its end, or for `most` moves, after which it is left as it is, or ends by
    `end` (``resign``, ``timeout``; ``abandon`` before anybody joined). `each` is called after every move."""
    dice = random.Random(seed)
    game = Game(rules, first=first, entropy=entropy or Scripted(seed), contributions=contributions)
    if end == "abandon":
        game.play("north", moves.Resign())
        return game
    game.join()
    made = 0
    while game.table.open.phase != "ended" and (most is None or made < most):
        game.now += dice.choice((0, 0, 1, 700, 4000))
        game.play(game.turn, any_move(game, dice))
        made += 1
        if each is not None:
            each(game)
    if game.table.open.phase != "ended" and end is not None:
        if end == "resign":
            game.play(dice.choice(SEATS), moves.Resign())
        else:
            limit = deadline(game.table.open)
            assert limit is not None, "only a game with a turn limit times out"
            game.now = max(game.now, limit)
            game.play(other(game.turn), moves.ClaimTimeout())
        if each is not None:
            each(game)
    return game


# A service that lies --------------------------------------------------------------------------------------------------


def chained(groups: Iterable[Sequence[Event]], signer: Signer = SIGNER, *, game: str = GAME) -> list[Commit]:
    """Commits of these events as a service writes them: numbered from 1, sealed, chained and signed, whatever they say."""
    head, seq, found = start(game).head, 0, []
    for group in groups:
        numbered = [msgspec.structs.replace(event, seq=seq + i) for i, event in enumerate(group, 1)]
        seq += len(numbered)
        events = tuple(_stored(event) for event in numbered)
        head = head_after(head, events)
        by = encode({"key": "0" * 64, "request": "0" * 64, "seat": "house"})
        found.append(Commit(seq, events, head, signer.sign(numbered[-1].at, game, head, seq), by))
    return found


def _stored(event: Event) -> Stored:
    return store(msgspec.structs.replace(event, seal=None))


def rechained(groups: Iterable[Sequence[Stored]], signer: Signer = SIGNER, *, game: str = GAME) -> list[Commit]:
    """Commits of bytes as they are, chained and signed again; `at` and `seq` are read from the last event's bytes."""
    head, found = start(game).head, []
    for group in groups:
        head = head_after(head, group)
        last = msgspec.json.decode(group[-1].public)
        receipt = signer.sign(last["at"], game, head, last["seq"])
        found.append(Commit(last["seq"], tuple(group), head, receipt, b"{}"))
    return found


Groups = list[list[Event]]


def groups_of(game: Game) -> Groups:
    """The game's commits as lists that may be changed."""
    return [list(commit) for commit in game.commits]


def place_of(groups: Groups, wanted: Callable[[Event], bool], nth: int = 0) -> tuple[int, int]:
    """Which commit and which event of it: the `nth` event that is wanted."""
    found = [(c, e) for c, group in enumerate(groups) for e, event in enumerate(group) if wanted(event)]
    assert found, "the game has no such event"
    return found[nth]


def seq_at(groups: Groups, place: tuple[int, int]) -> int:
    """The number an event in this place gets."""
    return sum(len(group) for group in groups[: place[0]]) + place[1] + 1


def edited(groups: Groups, place: tuple[int, int], **changes: Any) -> Groups:
    """The same with one event changed: `data`, `secret`, `owner`, `at`, …; a mapping changes fields of data or secret."""
    event = groups[place[0]][place[1]]
    for name in ("data", "secret"):
        if isinstance(changes.get(name), Mapping):
            changes[name] = msgspec.structs.replace(getattr(event, name), **changes[name])
    copy = [list(group) for group in groups]
    copy[place[0]][place[1]] = msgspec.structs.replace(event, **changes)
    return copy


def folded(commits: Sequence[Commit]) -> Table:
    """The table of stored bytes, from scratch."""
    table = empty(GAME)
    for commit in commits:
        for event in commit.events:
            table = apply(table, load(event))
    return table


def ended_event(game: Game) -> GameEnded:
    """The last event of a game that ended."""
    data = game.commits[-1][-1].data
    assert isinstance(data, GameEnded)
    return data


def hand_events(game: Game) -> list[HandStarted]:
    """The starts of hands."""
    return [event.data for commit in game.commits for event in commit if isinstance(event.data, HandStarted)]


def said(source: Source) -> list[tuple[str, str]]:
    """What an audit finds: code and position of each finding, which must name the version too."""
    result = audit(source)
    assert (result.verdict == "ok") == (not result.findings)
    for finding in result.findings:
        assert finding.version >= 1
        assert not finding.position.startswith("v") or finding.position == f"v{finding.version}"
    return [(finding.code, finding.position) for finding in result.findings]


def said_of(groups: Iterable[Sequence[Event]]) -> list[tuple[str, str]]:
    """What the audit of a store finds when the service lied consistently: numbers, seals, chain and receipts are in order."""
    return said(from_commits(GAME, chained(groups)))


def found_of(groups: Iterable[Sequence[Event]]) -> list[Finding]:
    """The same as findings, of a game whose cards were given: that the root does not give them is left out."""
    audited = audit(from_commits(GAME, chained(groups))).findings
    return [finding for finding in audited if finding.code not in ("deck_not_derived", "exchange_not_derived")]


def codes_of(groups: Iterable[Sequence[Event]]) -> list[tuple[str, str]]:
    """Code and position of each finding of `found_of`."""
    return [(finding.code, finding.position) for finding in found_of(groups)]


def is_a(kind: type[Data], **wanted: Any) -> Callable[[Event], bool]:
    """A test for events of this kind whose data has these values."""

    def right(event: Event) -> bool:
        return isinstance(event.data, kind) and all(getattr(event.data, name) == value for name, value in wanted.items())

    return right
