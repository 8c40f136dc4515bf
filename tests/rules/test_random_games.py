"""Games of any legal moves, under any rules: what must hold at every step, and what nobody may get to know."""

import random
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.cards import DECK, SEATS, Seat, other
from events.log import Stored, load
from events.types import CardPlayed, GameSecrets, HandStarted, PlayerSecrets, Stock
from projections.audience import Viewer, may_open, seen_by
from projections.fold import apply
from projections.legal import options
from projections.replay.step_view import explanation, step_view
from projections.replay.walk import steps
from projections.table import Table, empty
from projections.view import view
from service.games import decider, moves
from service.games.refusals import Refused
from tests.kit.assertions import folded, plain
from tests.kit.games import Game
from tests.kit.logs import GAME
from tests.kit.random_games import random_game

VIEWERS: tuple[Viewer, ...] = ("north", "south", "spectator")
CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")
RULES = st.fixed_dictionaries(
    {"max_hands": st.integers(1, 2)},
    optional={
        "target": st.sampled_from([50, 100, 500]),
        "failed_nil": st.sampled_from(["ignore", "bags", "bags_and_points"]),
        "second_card": st.sampled_from(["hidden", "seen"]),
        "exchange_max": st.integers(0, 3),
        "floor": st.sampled_from([-50, -200]),
        "bag_limit": st.sampled_from([0, 1, 5]),
    },
)
ODD = settings(max_examples=14, deadline=None, derandomize=True)


class Watcher:
    """Looks at a game after every move, and keeps by itself what each viewer may know of the hand that is played."""

    def __init__(self, *, every: int = 6) -> None:
        self.stored = empty(GAME)
        self.partial = dict.fromkeys(VIEWERS, empty(GAME))
        self.shown: dict[Viewer, list[Stored]] = {viewer: [] for viewer in VIEWERS}
        self.known: dict[Viewer, set[str]] = {viewer: set() for viewer in VIEWERS}
        self.secrets: dict[Viewer, set[str]] = {viewer: set() for viewer in VIEWERS}
        self.hand_from = dict.fromkeys(VIEWERS, 0)
        self.seen, self.every, self.moves = 0, every, 0
        self.dice = random.Random(0)

    def __call__(self, game: Game) -> None:
        for commit in game.log()[self.seen :]:
            for event in commit.events:
                self._one(event)
        self.seen = len(game.commits)
        table = game.table
        assert self.stored == table, "the fold of the stored bytes is the live table"
        _every_card_is_in_one_place(table)
        _one_is_to_move_and_can(table)
        _whatever_is_not_legal_is_refused(game, self.dice)
        self.moves += 1
        running = table.open.phase != "ended"
        for viewer in VIEWERS:
            self._agrees(table, viewer)
            if running:
                self._keeps_secrets(table, viewer)

    def _one(self, stored: Stored) -> None:
        event = load(stored)
        before = self.stored
        self.stored = apply(before, event)
        for viewer in VIEWERS:
            if isinstance(event.data, HandStarted):
                self.known[viewer] = set()
                self.hand_from[viewer] = len(self.shown[viewer])
            self.known[viewer] |= _learned(before, self.stored, viewer)
            if isinstance(event.data, CardPlayed):
                self.known[viewer].add(event.data.card)
            seen = seen_by(event, viewer, ended=False)
            self.shown[viewer].append(stored if seen.secret is not None else Stored(stored.public))
            assert (seen.secret is not None) == (event.owner == viewer) == may_open(event, viewer, ended=False)
            if event.owner is not None and event.owner != viewer:
                assert event.salt is not None
                self.secrets[viewer].add(event.salt)
            if isinstance(event.secret, GameSecrets):
                self.secrets[viewer] |= {event.secret.root, event.secret.invite_hash}
            if isinstance(event.secret, PlayerSecrets):
                self.secrets[viewer].add(event.secret.token_hash)
            self.partial[viewer] = apply(self.partial[viewer], seen)

    def _agrees(self, table: Table, viewer: Viewer) -> None:
        """From a viewer's own events alone come the same public facts, and all the viewer's own."""
        partial = self.partial[viewer]
        assert partial.open == table.open
        if viewer == "spectator":
            return
        seat: Seat = viewer
        own, whole = partial.own(seat), table.own(seat)
        assert (own.hand, own.discarded, own.known) == (whole.hand, whole.discarded, True)
        assert options(partial.open, seat, own) == options(table.open, seat, whole)

    def _keeps_secrets(self, table: Table, viewer: Viewer) -> None:
        seat: Seat | None = None if viewer == "spectator" else viewer
        seen = view(table.open, "", None, seat, None if seat is None else table.own(seat))
        texts = [msgspec.json.encode(seen).decode()]
        texts += [_text(event) for event in self.shown[viewer][self.hand_from[viewer] :]]
        if self.moves % self.every == 0:
            told = steps(GAME, [load(event) for event in self.shown[viewer]])
            hand = [step for step in told if step.hand == table.open.hand]
            texts += [str(step_view(step)) + str(explanation(step)) for step in hand]
            everything = "".join(str(step_view(step)) + str(explanation(step)) for step in told)
            everything += "".join(_text(event) for event in self.shown[viewer])
            assert not [secret for secret in self.secrets[viewer] if secret in everything]
        found = {card for text in texts for card in CARD.findall(text)}
        assert found <= self.known[viewer], f"{viewer} got to know {found - self.known[viewer]}"
        joined = "".join(texts)
        assert not [secret for secret in self.secrets[viewer] if secret in joined]


def _text(event: Stored) -> str:
    return (event.public + (event.sealed or b"")).decode()


def _learned(before: Table, after: Table, viewer: Viewer) -> set[str]:
    """The cards a viewer gets to see by one event, told from the stock: the drawn card, the next one where it is taken or may
    be seen, and what is drawn in an exchange."""
    if viewer == "spectator" or after.house.stock is None:
        return set()
    seat: Seat = viewer
    o, stock, learned = after.open, after.house.stock, set[str]()
    if o.phase == "draft" and o.turn == seat and o.player(seat).looked:
        learned.add(stock[2 * o.turns])
    was = before.open
    if was.due == "card_discarded" and was.turn == seat:
        kept_first = stock[2 * was.turns] in after.own(seat).hand
        if not kept_first or o.rules.second_card == "seen":
            learned.add(stock[2 * was.turns + 1])
    if was.phase == "draft" and o.due == "card_discarded" and was.turn == seat:
        learned |= set(after.own(seat).hand) - set(before.own(seat).hand)
    if was.phase == "exchange" and was.turn == seat:
        learned |= set(after.own(seat).hand)
    return learned


def _every_card_is_in_one_place(table: Table) -> None:
    o, house = table.open, table.house
    if house.stock is None or house.pile is None:
        return
    places = [*table.north.hand, *table.south.hand, *o.north.played, *o.south.played, *house.pile, *house.stock[2 * o.turns :]]
    assert len(places) == 52
    assert set(places) == set(DECK)
    assert (o.north.cards, o.south.cards) == (len(table.north.hand), len(table.south.hand))


def _one_is_to_move_and_can(table: Table) -> None:
    o = table.open
    if o.phase == "ended":
        assert (o.turn, o.trick) == (None, o.trick)
        assert not any(options(o, seat, table.own(seat)) for seat in SEATS)
        return
    assert o.turn is not None
    legal = options(o, o.turn, table.own(o.turn))
    assert legal
    assert all(option.cards for option in legal if option.type in ("play", "exchange"))
    assert not options(o, other(o.turn), table.own(other(o.turn)))
    assert o.trick is None or 1 <= o.trick.number <= 13


def _whatever_is_not_legal_is_refused(game: Game, dice: random.Random) -> None:
    o = game.table.open
    tried: list[moves.Move] = [moves.Look(), moves.DoubleNil(), moves.Keep(), moves.Pass(), moves.Bid(5), moves.Exchange(())]
    tried += [moves.Play(card) for card in dice.sample(DECK, 4)]
    for seat in SEATS:
        legal = options(o, seat, game.table.own(seat))
        kinds = {option.type for option in legal}
        playable = {card for option in legal if option.type == "play" for card in option.cards}
        for move in tried:
            name = {"doublenil": "double_nil"}.get(type(move).__name__.lower(), type(move).__name__.lower())
            if name in kinds and not (isinstance(move, moves.Play) and move.card not in playable):
                continue
            before = game.table
            with pytest.raises(Refused):
                decider.decide(before, seat, move, game.now, game.entropy)
            assert game.table == before


@pytest.mark.slow
@ODD
@given(st.integers(0, 2**32), RULES, st.sampled_from(SEATS), st.sets(st.sampled_from(SEATS)))
def test_at_every_step_of_a_random_game_all_holds_and_nobody_learns_what_is_not_theirs(
    seed: int, rules: dict[str, Any], first: Seat, contributions: set[Seat]
) -> None:
    brought = [seat for seat in SEATS if seat in contributions]
    game = random_game(seed, rules, first=first, contributions=brought, each=Watcher())
    assert game.table.open.phase == "ended"
    assert folded(game.log()) == game.table


@pytest.mark.slow
@ODD
@given(st.integers(0, 2**32), RULES, st.integers(0, 120), st.sampled_from(["resign", "timeout"]))
def test_a_game_that_stops_at_any_moment_leaves_all_in_order(seed: int, rules: dict[str, Any], most: int, end: str) -> None:
    game = random_game(seed, rules | {"turn_seconds": 60}, most=most, end=end, each=Watcher(every=50))
    assert game.table.open.phase == "ended"
    assert folded(game.log()) == game.table


def test_after_the_end_everything_is_open_but_what_was_never_to_be() -> None:
    game = random_game(5, {"max_hands": 1})
    for viewer in VIEWERS:
        closed = [event for event in game.seen(viewer, ended=True) if event.seal is not None and event.secret is None]
        assert {event.type.name for event in closed} == {"player_joined"}
        assert any(isinstance(event.secret, Stock) for event in game.seen(viewer, ended=True))


def test_the_hand_of_a_view_is_in_suit_and_rank_order_and_not_in_the_order_it_was_drawn() -> None:
    game = random_game(6, most=25)
    for seat in SEATS:
        shown = plain(view(game.table.open, "", None, seat, game.table.own(seat)))["you"]["hand"]
        assert shown == sorted(shown, key=DECK.index)
        assert len(shown) > 3


def test_a_watcher_would_notice_a_card_told_to_the_wrong_seat() -> None:
    game, watcher = random_game(7, most=20), Watcher()
    watcher(game)
    assert game.table.open.phase == "draft"
    leaky = game.table.but(south=msgspec.structs.replace(game.table.south, discarded=game.table.north.hand[:1]))
    with pytest.raises(AssertionError, match="got to know"):
        watcher._keeps_secrets(leaky, "south")
