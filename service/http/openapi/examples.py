"""The examples of the API's description: real answers of a little game in memory with a fixed deck, so they cannot go stale.

Its secret and salts are fixed and worthless: nothing here is ever used for a game of somebody.
"""

from functools import cache
from typing import Any, Final

import msgspec

from events import shuffle
from events.cards import Card, Seat
from events.log import genesis, load
from events.memory import MemoryStore
from events.receipts import Signer
from events.ruleset import STANDARD
from projections.across.ladder import standings
from projections.across.row import GameRow, advance
from projections.audit import audit, from_commits
from projections.claims import facts_of
from projections.claims.evidence import explained
from projections.replay.step_view import step_view
from projections.replay.unnamed import named
from projections.replay.walk import steps
from projections.sheet import sheet
from projections.table import Table
from service.base.entropy import hand_key
from service.base.identity import Identity
from service.games import dispute_reports, moves, results
from service.games.handler import Games, MoveRequest, NewGame, NewPlayer
from service.games.report_store import NoReports
from service.games.result_types import Moved
from service.http.answers import ComparedReceipt, Reported
from service.http.schemas import dispute_bodies
from service.readmodels.listed import listed_game, ranked, standing_view

NOW: Final = 1_790_000_000_000
KEYS: Final = (b"6f1f64a4-4a0f-4d37-8f5c-1a2b3c4d5e6f", b"0d9a7a52-9a2e-4d6b-b9ff-6f5e4d3c2b1a")


class _FixedClock:
    def now(self) -> int:
        return NOW


class _FixedEntropy:
    """Entropy of a worked example: everybody may know it."""

    def root(self) -> str:
        return bytes(range(32)).hex()

    def salt(self) -> str:
        return bytes(range(16)).hex()

    def stock(self, table: Table, hand: int) -> tuple[Card, ...]:
        return shuffle.stock(hand_key(table, hand))

    def exchange(self, table: Table, seat: Seat, count: int) -> tuple[Card, ...]:
        return shuffle.exchange(hand_key(table, table.open.hand), seat, table.house.pile or (), count)


@cache
def examples() -> dict[str, Any]:
    """An example for each kind of answer, by its name, as plain JSON values."""
    identity = Identity(bytes(32), Signer(bytes(range(32))))
    games = Games(MemoryStore(_FixedClock().now), identity, _FixedClock(), _FixedEntropy())
    created = games.create(MoveRequest(KEYS[0], {"name": "Ann"}), lambda: NewGame("Ann", STANDARD, "north"))
    game = created.game
    invite = created.invite
    assert invite is not None  # no one has the other seat yet
    link = f"https://trickbook.example/g/{game}#join={invite}"
    joined = games.join(game, MoveRequest(KEYS[1], {"name": "Bo"}), lambda: NewPlayer("Bo", invite))
    looked = _move(games, game, "north", moves.Look())
    live = games.live(game)
    view = results.view_for("north", live.table, live.at.head, live.receipt)
    lines = [line for _, line in results.event_lines(games.log(game), genesis(game), "north", ended=False)][-2:]
    _move(games, game, "north", moves.Keep())
    ended = _move(games, game, "south", moves.Resign())
    commits, table = games.log(game), games.live(game).table
    row = advance(GameRow(game=game), commits)
    rated = msgspec.structs.replace(row, listed=True, rated=True)
    standing = standings([rated])
    events = [load(stored) for commit in commits for stored in commit.events]
    told = steps(game, events)
    found = {
        "created": msgspec.structs.replace(created, invite_link=link),
        "joined": joined,
        "moved": looked,
        "resigned": ended,
        "view": view,
        "receipt": ended.receipt,
        "compared": ComparedReceipt(game, ended.version, "in_log"),
        "events": {"events": lines, "version": live.at.version},
        "scoresheet": sheet(events, table),
        "steps": {"game": game, "hands": 1, "version": len(events), "steps": [step_view(step) for step in told[-2:]]},
        "explanation": explained(facts_of(events), told[-2], told[-1]),
        "ask_join": {"name": "Bo", "invite": invite},
        "audit": audit(from_commits(game, commits)),
        **_disputed(games, game),
        "games": {"games": [listed_game(rated)], "next": "MTc5MDAwMDAwMDAwMCAwazdmM3g5cTJtNXY4dzFj"},
        "player": {"name": "Ann", "games": [listed_game(rated)], "rated": standing_view(standing["Ann"])},
        "ladder": {"players": ranked(standing)},
        "keys": {"keys": [{**msgspec.to_builtins(identity.signer.key), "current": True}]},
    }
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found))
    return plain


def _disputed(games: Games, game: str) -> dict[str, Any]:
    """South disputes the score of the game that ended, and the operator settles it."""
    ask = {"position": "1.d1", "claim": {"result": {"south": 20, "winner": "south"}}, "note": "I had won a hand before!"}
    settle = {"verdict": "rejected", "reason": "No hand was scored: south resigned in the first."}
    opened = games.dispute(game, "south", MoveRequest(KEYS[0], ask), lambda: dispute_bodies.dispute(ask))
    source = from_commits(game, games.log(game))
    raw = dispute_reports.for_viewer(games, NoReports(), source, 1, "south", lambda: 0.0)
    report = msgspec.Raw(named(raw, {"north": "Ann", "south": "Bo"}))
    settled = games.settle(game, 1, MoveRequest(KEYS[1], settle), lambda: dispute_bodies.settlement(settle))
    listed = results.dispute(games.live(game).table.open.disputes[0], "I had won a hand before!")
    return {
        "ask_dispute": ask,
        "disputed": opened,
        "reported": Reported(game, opened.version, opened.dispute, report),
        "disputes": {"game": game, "version": settled.version, "disputes": [listed]},
        "ask_settlement": settle,
        "settled": settled,
    }


def _move(games: Games, game: str, seat: Seat, move: moves.Move) -> Moved:
    return games.move(game, seat, MoveRequest(f"{seat}-{type(move).__name__}".encode(), {}), lambda: move)
