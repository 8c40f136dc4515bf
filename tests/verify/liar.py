"""A service that lies: it holds the signing key and makes logs, receipts, records and HTTP answers as it likes.

Its honest half is the real one, handler, decider and web app over a store in memory. A lie is a change of its events, or
of an answer: the events are then numbered, sealed, chained and signed again, as only the holder of the key can.
"""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import structs

from events import player_evidence, shuffle
from events.canonical import encode
from events.cards import SEATS, Card, Seat
from events.log import Commit, Stored, genesis, heads_after, load
from events.memory import MemoryStore
from events.player_evidence import Line
from events.receipts import Signer
from events.record import Record
from events.store import LogHead
from events.types import ContributionRevealed, Data, Event, GameCreated, GameEnded, PlayerJoined
from projections.audience import Viewer
from projections.fold import fold
from projections.table import Table, empty
from service.base.entropy import Csprng
from service.base.identity import Identity
from service.base.settings import Settings
from service.bots import any_move
from service.client.http import Client
from service.client.player import Player
from service.client.transport import Answer
from service.client.witness import Suspicion
from service.games import results
from service.games.commits import Committed
from service.games.exporting import record_for
from service.games.handler import Games
from service.http.app import create_app
from tests.kit.forged import Groups, edited, is_a, place_of, seq_at
from tests.kit.logs import OTHER_SIGNER, SIGNER, chained

Json = dict[str, Any]
Fork = Callable[[Groups], Groups]
Spoil = Callable[[str, str, Json], Json]
OWN: dict[Seat, bytes] = {"north": b"\x01" * 32, "south": b"\x02" * 32}
EVIL = b"\x66" * 32
"""Bytes that only the service knows."""
NOT_CAUGHT = "not caught"
URL = "http://service.test"


# The honest half --------------------------------------------------------------------------------------------------------


class Dice(Csprng):
    """Roots and salts that come again; with `decks` and `draws` those come from elsewhere than the root."""

    def __init__(self, seed: int, *, decks: bool = False, draws: bool = False) -> None:
        self._dice = random.Random(seed)
        self._decks, self._draws = decks, draws

    def root(self) -> str:
        return self._dice.randbytes(32).hex()

    def salt(self) -> str:
        return self._dice.randbytes(16).hex()

    def stock(self, table: Table, hand: int) -> tuple[Card, ...]:
        return shuffle.stock(EVIL) if self._decks else super().stock(table, hand)

    def exchange(self, table: Table, seat: Seat, count: int) -> tuple[Card, ...]:
        if not self._draws:
            return super().exchange(table, seat, count)
        assert table.house.pile is not None
        return shuffle.exchange(EVIL, seat, table.house.pile, count)


class Clock:
    """A clock that goes on a little with every look. Milliseconds."""

    def __init__(self, time: int = 1_790_000_000_000) -> None:
        self.time = time

    def now(self) -> int:
        self.time += 7
        return self.time


class Service:
    """The honest service, in memory; `secret` and the keys of its requests decide the ids of its games."""

    def __init__(self, seed: int = 0, *, entropy: Csprng | None = None, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.games = Games(MemoryStore(self.clock.now), Identity(bytes(range(32)), SIGNER), self.clock, entropy or Dice(seed))
        self.app = create_app(self.games, Settings(create_limit=0))

    def groups(self, game: str) -> Groups:
        """The true log of a game, to be changed."""
        return groups_from(self.games.log(game))


def groups_from(commits: Sequence[Commit]) -> Groups:
    """The events of commits, to be changed."""
    return [[load(stored) for stored in commit.events] for commit in commits]


def answered(status: int, body: Any, kind: str = "application/json", location: str = "") -> Answer:
    """An HTTP answer; `body` is bytes, or a value to be sent as JSON."""
    return Answer(status, kind, body if isinstance(body, bytes) else json.dumps(body).encode(), location)


class Wire(Client):
    """A client whose requests go straight into the app, past the liar.

    `fork` shows this player another log than the true one; `spoil` changes an answer (method, path, answer) on its way;
    `instead` answers in place of the service. `sent` are the bodies that were sent, `if_match` the headers.
    """

    def __init__(self, service: Service, seat: Seat) -> None:
        super().__init__(URL)
        self.service, self.seat = service, seat
        self.fork: Fork | None = None
        self.spoil: Spoil | None = None
        self.instead: Callable[[str, str], Answer | None] | None = None
        self.sent: list[Json] = []
        self.if_match: list[str] = []
        self._keys = 0

    def _post(self, path: str, body: Json, key: str, expected: str | None, wanted: str) -> Json:
        self._keys += 1
        return super()._post(path, body, f"{self.seat}-{self._keys:022}", expected, wanted)

    def _request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None, wait: int = 0
    ) -> Answer:
        sent = {"Accept": "application/json", **(headers or {})}
        if self.token is not None:
            sent["Authorization"] = f"Bearer {self.token}"
        if "If-Match" in sent:
            self.if_match.append(sent["If-Match"])
        if self.fork is not None:  # the liar does not mind what its victim believes
            sent = {name: value for name, value in sent.items() if name not in ("If-Match", "If-None-Match")}
        if body is not None:
            self.sent.append(json.loads(body))
        mine = self.instead(method, path) if self.instead is not None else None
        if mine is not None:
            return mine
        path = path.split("?wait=")[0]  # nobody waits in a test
        response = self.service.app.test_client().open(path, method=method, data=body, headers=sent)
        if response.status_code >= 300:
            return answered(response.status_code, response.data)
        value = json.loads(response.data)
        if self.fork is not None:
            value = self._forked(path, value)
        if self.spoil is not None:
            value = self.spoil(method, path, value)
        return answered(response.status_code, value)

    def revealed(self) -> bool:
        """Whether this player ever sent its own bytes."""
        return any("bytes" in body for body in self.sent)

    def _forked(self, path: str, value: Json) -> Json:
        """The same answer out of the other log; one that tells nothing of the log stays as it is."""
        assert self.fork is not None
        if "version" not in value:
            return value
        game = value["game"] if "game" in value else path.split("/")[3]
        true = [commit for commit in self.service.games.log(game) if commit.seq <= value["version"]]
        commits = chained(self.fork(groups_from(true)), game=game)
        table = fold(empty(game), [load(event) for commit in commits for event in commit.events])
        last, before = commits[-1], commits[-2].head if len(commits) > 1 else genesis(game)
        events, heads = tuple(map(load, last.events)), heads_after(before, last.events)
        done = Committed(self.seat, LogHead(last.first - 1, before), last, events, heads, table)
        made: Any
        if "/events?" in path:
            after, ended = int(path.split("after=")[1]), table.open.phase == "ended"
            lines = results.event_lines(commits, genesis(game), self.seat, ended=ended)
            made = {"events": [line for seq, line in lines if seq > after], "version": last.seq}
        elif "token" in value:
            made = {**value, **structs.asdict(results.seated(done, table, self.seat, value["token"]))}
        elif "events" in value:
            made = results.moved(done, table, self.seat)
        else:
            made = results.view_for(self.seat, table, last.head, last.receipt)
        found: Json = json.loads(msgspec.json.encode(made))
        return found


# Players ----------------------------------------------------------------------------------------------------------------


class Seated:
    """Two players of ours at one table, each with what it keeps, and a game of one hand unless `rules` say otherwise."""

    def __init__(self, seed: int = 0, rules: Json | None = None, *, service: Service | None = None) -> None:
        self.service = service or Service(seed)
        self.rules = {"max_hands": 1, **(rules or {})}
        self.files: dict[Seat, list[bytes]] = {seat: [] for seat in SEATS}
        self.players: dict[Seat, Player] = {}
        self.wires: dict[Seat, Wire] = {}
        self._dice = random.Random(seed)
        for seat in SEATS:
            player = Player(URL, self.files[seat].append)
            player.client = self.wires[seat] = Wire(self.service, seat)
            player.witness.own = OWN[seat].hex()
            self.players[seat] = player

    @property
    def north(self) -> Player:
        """Who made the game."""
        return self.players["north"]

    @property
    def south(self) -> Player:
        """Who took the invite."""
        return self.players["south"]

    @property
    def game(self) -> str:
        """The game's id."""
        return self.north.game

    def create(self) -> Json:
        """North makes the game."""
        return self.north.create("Ann", self.rules)

    def join(self, created: Json) -> Json:
        """South takes the invite as it was passed on."""
        return self.south.join(created["game"], "Bo", created["invite"])

    def sit(self) -> "Seated":
        """Both sit, nothing is revealed yet."""
        self.join(self.create())
        return self

    def begin(self) -> "Seated":
        """Both have revealed: the first hand is on."""
        self.sit()
        for player in (self.south, self.north):
            player.refresh(0)
            player.reveal()
        return self

    def step(self) -> bool:
        """One move of whoever is on turn; False once both know that play is over."""
        for player in self.players.values():
            player.refresh(0)
        for player in self.players.values():
            if player.legal:
                player.reveal() if player.must_reveal() else player.move(any_move(player.view, self._dice))
                return True
        return False

    def until(self, wanted: Callable[["Seated"], bool]) -> "Seated":
        """Plays on until something holds, with both knowing what there is."""
        while True:
            for player in self.players.values():
                player.refresh(0)
            if wanted(self):
                return self
            assert self.step(), "play ended before"

    def play(self) -> "Seated":
        """Plays to the end, from the first request on."""
        if not self.game:
            self.sit()
        while self.step():
            pass
        return self

    def groups(self) -> Groups:
        """The true log, to be changed."""
        return self.service.groups(self.game)

    def lines(self, *seats: Seat) -> list[Line]:
        """What these players kept."""
        return [line for seat in seats for line in player_evidence.read(self.files[seat])]

    def caught(self, seat: Seat, act: Callable[[], Any]) -> str:
        """The code of the `Suspicion` that an act ends with, or `NOT_CAUGHT`. The evidence must be the last line of this
        player's file, and the player must have stopped for good."""
        found: Suspicion | None = None
        try:
            act()
        except Suspicion as suspicion:
            found = suspicion
        if found is None:
            return NOT_CAUGHT
        last = self.lines(seat)[-1]
        assert isinstance(last, player_evidence.Evidence)
        assert last.code == found.code
        assert self.players[seat].witness.stopped is found
        return found.code


def plain_game(
    service: Service,
    own: dict[Seat, bytes | None] | None = None,
    rules: Json | None = None,
    *,
    moves: int = 0,
    stop: Callable[[Json], bool] = lambda view: False,
) -> tuple[str, Groups]:
    """A whole game that the service plays with itself: the same id as that of `Seated`, other bytes, rules, moves. The
    game's id and its true log. `stop` ends it early."""
    brought = OWN if own is None else own
    wires = {seat: Wire(service, seat) for seat in SEATS}
    more = {seat: {"contribution": shuffle.contribution(own)} if own else {} for seat, own in brought.items()}
    created = wires["north"].create("Ann", {"max_hands": 1, **(rules or {})}, **more["north"])
    game = created["game"]
    wires["south"].join(game, "Bo", created["invite"], **more["south"])
    dice = random.Random(moves)
    while (view := wires["north"].view(game))["phase"] != "ended" and not stop(view):
        seat: Seat = view["turn"]
        seen = wires[seat].view(game)
        move = any_move(seen, dice)
        wires[seat].move(game, {**move, "bytes": (brought[seat] or b"").hex()} if move["type"] == "reveal" else move)
    return game, service.groups(game)


# Lies about the log: each takes the true events and gives others; where they do not stand in it yet, the same ------------


def changed(groups: Groups, kind: type[Data], nth: int = 0, *, of: Json | None = None, **changes: Any) -> Groups:
    """The `nth` event of a kind (whose data has the values `of`) changed as `edited` does it."""
    wanted = is_a(kind, **(of or {}))
    if sum(wanted(event) for group in groups for event in group) <= nth:
        return groups
    return edited(groups, place_of(groups, wanted, nth), **changes)


def other_contribution(seat: Seat, own: bytes | None) -> Fork:
    """Another contribution of a seat, or none, and the reveal that goes with it."""

    def lie(groups: Groups) -> Groups:
        value = shuffle.contribution(own) if own else None
        found = changed(groups, PlayerJoined, of={"seat": seat}, data={"contribution": value})
        return changed(found, ContributionRevealed, of={"seat": seat}, data={"bytes": (own or EVIL).hex()})

    return lie


def exchanged_contributions(groups: Groups) -> Groups:
    """Each player's contribution at the other's seat."""
    found = changed(groups, PlayerJoined, of={"seat": "north"}, data={"contribution": shuffle.contribution(OWN["south"])})
    return changed(found, PlayerJoined, of={"seat": "south"}, data={"contribution": shuffle.contribution(OWN["north"])})


def other_root(groups: Groups) -> Groups:
    """Another root, from its commitment in event 1 to the end."""
    root = EVIL.hex()
    found = changed(groups, GameCreated, data={"root_commitment": shuffle.root_commitment(EVIL)}, secret={"root": root})
    return changed(found, GameEnded, data={"root": root})


def root_at_the_end(groups: Groups) -> Groups:
    """A root at the end that nobody had committed to."""
    return changed(groups, GameEnded, data={"root": EVIL.hex()})


def other_rules(groups: Groups) -> Groups:
    """Another rule from the first event on."""
    rules = groups[0][0].data.rules  # type: ignore[attr-defined]
    return changed(groups, GameCreated, data={"rules": {**rules, "nil_value": 90}})


def other_key(groups: Groups) -> Groups:
    """Another signing key named in event 1."""
    return changed(groups, GameCreated, data={"server_key": OTHER_SIGNER.key})


def without(wanted: Callable[[Event], bool], nth: int = 0) -> Fork:
    """One event dropped, the rest numbered anew."""

    def lie(groups: Groups) -> Groups:
        if not any(wanted(event) for group in groups for event in group):
            return groups
        c, e = place_of(groups, wanted, nth)
        copy = [list(group) for group in groups]
        del copy[c][e]
        return [group for group in copy if group]

    return lie


def doubled(wanted: Callable[[Event], bool], nth: int = 0) -> Fork:
    """One commit there twice, the rest numbered anew."""

    def lie(groups: Groups) -> Groups:
        if not any(wanted(event) for group in groups for event in group):
            return groups
        c, _ = place_of(groups, wanted, nth)
        return [*groups[: c + 1], list(groups[c]), *groups[c + 1 :]]

    return lie


def numbered(number: int) -> Callable[[Event], bool]:
    """A test for the event of this number."""
    return lambda event: event.seq == number


# Records ----------------------------------------------------------------------------------------------------------------


def record(groups: Groups, game: str, *, viewer: Viewer = "spectator", signer: Signer = SIGNER) -> Record:
    """A record of these events, numbered, sealed, chained and signed."""
    ended = any(isinstance(event.data, GameEnded) for group in groups for event in group)
    return record_for(game, chained(groups, signer, game=game), viewer, ended=ended)


def with_receipt(made: Record, **changes: Any) -> Record:
    """The record with a receipt for its last event that says something else, signed all the same."""
    said = msgspec.json.decode(made.receipt or b"{}")
    said = {name: changes.get(name, said[name]) for name in ("at", "game", "head", "seq")}
    signed = SIGNER.sign(said["at"], said["game"], bytes.fromhex(said["head"]), said["seq"])
    return msgspec.structs.replace(made, receipt=signed)


def unsealed(made: Record, version: int, sealed: Json | None = None) -> Record:
    """The record with the sealed part of one event left out, or another one in its place."""
    events = list(made.events)
    events[version - 1] = Stored(events[version - 1].public, None if sealed is None else encode(sealed))
    return msgspec.structs.replace(made, events=tuple(events))


def version_of(groups: Groups, kind: type[Data], nth: int = 0, **wanted: Any) -> int:
    """The number of the `nth` event of a kind."""
    return seq_at(groups, place_of(groups, is_a(kind, **wanted), nth))
